"""What a measure is called, what it means, and how its values and their intervals are printed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import inf, isfinite, isnan, nan
from string import Template
from typing import Final, Literal, NamedTuple

from probsense.analysis.inference.estimate import NO_INTERVAL, Estimate


class Unit(NamedTuple):
    """How values are printed.

    Attributes
    ----------
    suffix : str
        What follows a printed value in a sentence: " %".
    scale : float
        The factor between a value and its printed form: 100 for percentages.
    digits : int
        Decimal places.
    """

    suffix: str = ""
    scale: float = 1.0
    digits: int = 3


NUMBER: Final = Unit()
PERCENT: Final = Unit(" %", 100, 1)
POINTS: Final = Unit(" points", 100, 1)
UNITS: Final = {"number": NUMBER, "percent": PERCENT, "points": POINTS}
"""Units by name; any other is a table with the fields of :class:`Unit`."""


class Landmark(NamedTuple):
    """A value that means the same for every estimate of a measure, and its name."""

    value: float
    name: str


class Shortcut(NamedTuple):
    """How a shortcut ceiling is reached, as a noun for sentences ("counting"), and what the ceiling means."""

    name: str
    meaning: str


ABSENT: Final = "–"
"""What stands where there is no value."""


@dataclass(frozen=True, slots=True)
class Measure:
    """How a measure is shown.

    Attributes
    ----------
    title : str
    meaning : str
        One or two sentences for a reader who has never met it, without the first capital letter.
    unit : Unit
    bounds : (float, float)
        The smallest and the largest possible value.
    landmark : Landmark or None
        What guessing gets is no landmark: each estimate knows it by itself.
    better : {"higher", "lower", "neither"}
        Which values are better: these come first, and have the first ranks.
    """

    title: str
    meaning: str = ""
    unit: Unit = NUMBER
    bounds: tuple[float, float] = (0, 1)
    landmark: Landmark | None = None
    better: Literal["higher", "lower", "neither"] = "higher"

    @property
    def sign(self) -> int:
        """By what to multiply values so that higher ones are better; 0 if neither are."""
        return {"higher": 1, "lower": -1, "neither": 0}[self.better]

    def rank(self, value: float) -> float:
        """Return by what to sort values: the best come first, unknown ones last."""
        return inf if isnan(value) else value if self.better == "lower" else -value

    @property
    def heading(self) -> str:
        """The title with the unit, for the head of a column."""
        return f"{self.title} in{self.unit.suffix}" if self.unit.suffix else self.title

    def number(self, value: float) -> str:
        """Print a value without its unit; "?" if it is unknown. Zero has no sign, nor has what is printed as zero."""
        if isnan(value):
            return "?"
        return f"{value * self.unit.scale:z.{self.unit.digits}f}"


ACCURACY: Final = Measure("Accuracy", "the share of questions answered rightly", PERCENT)


@dataclass(frozen=True, slots=True)
class Group:
    """Measures that share one table, which has a row for each rater.

    Attributes
    ----------
    title : str
    meaning : str
        What the table as a whole tells.
    measures : tuple of str
        The first one sorts the rows.
    detail : bool
        Whether only the page shows the table, to keep a terminal readable.
    """

    title: str
    meaning: str
    measures: tuple[str, ...]
    detail: bool = False


@dataclass(frozen=True, slots=True)
class KeyResult:
    """What one model achieved.

    Attributes
    ----------
    model : str
    said : str
        The rest of a sentence that begins with the model's name.
    rest : str
        Further sentences.
    """

    model: str
    said: str
    rest: str


class KeyResults(NamedTuple):
    """The opening words of a task's report.

    Attributes
    ----------
    headline : str
        One sentence about all models.
    models : list of KeyResult
        What each achieved.
    scope : str
        What all intervals speak for.
    """

    headline: str
    models: list[KeyResult]
    scope: str = ""


def half_width(estimate: Estimate, measure: Measure) -> str:
    """Print the value and the half-width of its interval: ``61.2 (2.3)``, or ``61.2 (one cluster)`` without one.

    A p-value follows if there is one: ``3.1 (2.3), p 0.008``.
    """
    half = measure.number((estimate.high - estimate.low) / 2)
    return _cell(estimate, measure, f"({estimate.why_no_interval or half})")


def both_ends(estimate: Estimate, measure: Measure) -> str:
    """Print the value and both ends of its interval: ``61.2 [58.9, 63.5]``, or ``61.2 (one cluster)`` without one.

    The interval is printed as far as the bounds of the measure reach. A p-value follows if there is one.
    """
    return _cell(estimate, measure, bracketed(estimate, measure))


def _cell(estimate: Estimate, measure: Measure, interval: str) -> str:
    if isnan(estimate.value):
        return ABSENT
    tested = "" if isnan(estimate.p) else f", p {p_value(estimate.p)}"
    return f"{measure.number(estimate.value)} {interval}{tested}"


def bracketed(estimate: Estimate, measure: Measure, number: Callable[[float], str] | None = None) -> str:
    """Print both ends of the interval, ``[58.9, 63.5]``, or why there is none, ``(one cluster)``."""
    if why := estimate.why_no_interval:
        return f"({why})"
    low, high = map(number or measure.number, ends(estimate, measure))
    return f"[{low}, {high}]"


def p_value(p: float) -> str:
    """Print a p-value: ``0.031``, ``<0.001``, or ``?`` if it is unknown."""
    if isnan(p):
        return "?"
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def ends(estimate: Estimate, measure: Measure) -> tuple[float, float]:
    """Return the ends of the interval, as far as the bounds of the measure reach."""
    low, high = measure.bounds
    # An unknown end comes first, so that max and min keep it.
    return max(estimate.low, low), min(estimate.high, high)


class Notation(NamedTuple):
    """How cells are written, and how the title of the table explains it, given the level."""

    cell: Callable[[Estimate, Measure], str]
    legend: str


HALF_WIDTHS: Final = Notation(half_width, "± half-width of the {} interval")
ENDS: Final = Notation(both_ends, "with the ends of the {} interval")


def is_lopsided(estimate: Estimate, measure: Measure) -> bool:
    """Whether the sides of the interval differ by more than the printed precision; unknown ends do not count."""
    apart = (estimate.high - estimate.value) - (estimate.value - estimate.low)
    # The small part is for rounding: ends that are printed the same distance away count as symmetric.
    return abs(apart) * measure.unit.scale > 10.0**-measure.unit.digits * (1 + 1e-6)


def interval(estimate: Estimate, measure: Measure) -> str:
    """Describe the interval, as far as the bounds of the measure reach: ``95 % interval 58.9–63.5``.

    Without one, say why: ``no interval: one cluster``.
    """
    if why := estimate.why_no_interval:
        return why if why == NO_INTERVAL else f"{NO_INTERVAL}: {why}"
    joint = " to " if measure.bounds[0] < 0 else "–"
    return f"{level(estimate)} interval {joint.join(map(measure.number, ends(estimate, measure)))}"


def in_sentence(estimate: Estimate, measure: Measure) -> str:
    """Print value, unit and interval: ``61.2 % (95 % interval 58.9–63.5)``."""
    return f"{measure.number(estimate.value)}{measure.unit.suffix} ({interval(estimate, measure)})"


def level(estimate: Estimate) -> str:
    """Print the level of the interval: ``95 %``."""
    return f"{estimate.level * 100:g} %"


CHANCE: Final = "chance"
"""The name under which a sentence finds what guessing gets."""


SHORT: Final = 3.0
"""An interval narrower than this, as it is printed, shows its last digit in a sentence; others are rounded."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """How an estimate is put into words; all texts follow the name of a model.

    In the texts, ``$title`` is the title of the measure, ``$value`` the value with its unit, ``$interval`` its interval
    in brackets, ``$other`` whom the model is set against, and ``$there`` where these are.

    Attributes
    ----------
    said : str
        The beginning of the sentence.
    against : Mapping of str to str
        Whom the model is set against, and what they are called: the first one that is known. :data:`CHANCE` is what
        guessing gets, a number is a place on the scale, and any other name is that of a rater.
    above, below, same, unsure : str
        How the sentence ends where the whole interval lies above the other, below it, or so close around it that both
        are the same, and where it is too wide to tell.
    near : float
        How far an interval may reach from the other, on either side, and be called the same.
    unit : Unit or None
        How values are printed in the sentence, if not as in tables.
    """

    said: str = "has “$title” of $value $interval"
    against: Mapping[str, str] = field(default_factory=lambda: {CHANCE: "guessing"})
    above: str = ", above $other ($there)"
    below: str = ", below $other ($there)"
    same: str = ", the same as $other ($there)"
    unsure: str = ", too rough to tell from $other ($there)"
    near: float = 0.05
    unit: Unit | None = None


PLAIN: Final = Sentence()


ACCURACY_SENTENCE: Final = Sentence(
    said="answers $value of the questions right $interval",
    above="; $other gets $there",
    below=", fewer than $other gets ($there)",
    same=", as many as $other gets ($there)",
)
"""How an accuracy is said where the words of the task do not say it otherwise."""


def sentence(estimate: Estimate, measure: Measure, words: Sentence, raters: Mapping[str, Estimate]) -> str:
    """Put an estimate into a sentence that lacks its first words, the name of the model, and its full stop.

    Parameters
    ----------
    estimate : Estimate
        With a value.
    measure : Measure
    words : Sentence
    raters : Mapping of str to Estimate
        Estimates of the same measure by the names of raters, for whom the model may be set against.
    """
    unit = words.unit or measure.unit
    given = {"title": measure.title, "value": short(estimate.value, estimate, unit)}
    given["interval"] = short_interval(estimate, measure, unit)
    said = words.said
    for name, called in words.against.items():
        there = _place(name, estimate, raters)
        if isfinite(there):
            said += getattr(words, verdict(estimate, there, words.near))
            given |= {"other": called, "there": short(there, estimate, unit)}
            break
    return Template(said).substitute(given)


def short(value: float, estimate: Estimate, unit: Unit, *, suffix: bool = True) -> str:
    """Print a value for a sentence about an estimate: rounded, unless its interval is narrow."""
    narrow = (estimate.high - estimate.low) * unit.scale < SHORT * 10.0 ** (1 - unit.digits)
    digits = unit.digits if narrow else max(unit.digits - 1, 0)
    return f"{value * unit.scale:z.{digits}f}{unit.suffix if suffix else ''}"


def short_interval(estimate: Estimate, measure: Measure, unit: Unit) -> str:
    """Print the interval for a sentence, ``[54, 62]``, or why there is none, ``(one cluster)``."""
    return bracketed(estimate, measure, lambda end: short(end, estimate, unit, suffix=False))


def _place(name: str, estimate: Estimate, raters: Mapping[str, Estimate]) -> float:
    """Tell where somebody stands whom the model is set against; NaN if that is not known."""
    if name == CHANCE:
        return estimate.chance
    if name in raters:
        return raters[name].value
    try:
        return float(name)
    except ValueError:
        return nan


def verdict(estimate: Estimate, there: float, near: float = PLAIN.near) -> str:
    """Tell where an interval lies beside a place: the name of the field of :class:`Sentence` that says so."""
    if estimate.low > there:
        return "above"
    if estimate.high < there:
        return "below"
    return "same" if estimate.low >= there - near and estimate.high <= there + near else "unsure"
