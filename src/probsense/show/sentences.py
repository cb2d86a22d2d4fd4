"""What an estimate says of a model, in one sentence as people say it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite, nan
from string import Template
from typing import Final

from probsense.analysis.inference.estimate import Estimate
from probsense.show.measure import Measure, Unit, bracketed

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
