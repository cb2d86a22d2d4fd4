"""A task's words: what its measures, methods, parts and charts are called and mean, read from a file beside it."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.resources import files
from math import inf, nan
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, Self, TypeAlias

from probsense.analysis.inference.estimate import TWO_WAY, Estimate
from probsense.core.shown import Shown
from probsense.show.chart import ChartWords
from probsense.show.measure import (
    ACCURACY,
    ACCURACY_SENTENCE,
    PLAIN,
    UNITS,
    Group,
    KeyResults,
    Landmark,
    Measure,
    Sentence,
    Shortcut,
    Unit,
)
from probsense.show.text import heading, plain

if TYPE_CHECKING:
    import polars as pl


METHODS: Final[Mapping[str, str]] = {
    "clustered": (
        "the mean over questions; the interval treats questions that belong together as dependent and takes Student's t"
        " for the number of such clusters"
    ),
    "clustered Wilson": (
        "a share; its interval stays between none and all, and treats questions that belong together as dependent"
    ),
    TWO_WAY: "a mean over questions and people, both drawn from more of them",
    "cluster bootstrap": (
        "the interval holds 95 % of the values that come out when clusters of questions are drawn anew from those that"
        " were asked"
    ),
}
"""Methods of estimation that any task may use."""

PARTS: Final = ("problem",)

PEOPLE: Final = "people"
ILLUSTRATIVE: Final = "illustrative"
"""What marks are called that show where people stand, and those where made-up answers do."""
GIVEN: Final = (PEOPLE, ILLUSTRATIVE)

SIMPLE_RULES: Final = Shortcut(
    "a simple rule", "what the best of some rules reaches that avoid what the questions are about"
)


Texts: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """Text in rows and columns.

    Attributes
    ----------
    title : str
    columns : tuple of str
        Headings.
    rows : tuple of tuple of str
        Each as long as ``columns``.
    heads : int
        How many leading columns name the row; the others hold figures.
    across : str
        What the columns of figures are.
    footing : int
        How many rows at the end hold what the others are compared with, and stay there when they are sorted.
    texts : int
        How many columns at the end hold texts, not figures.
    """

    title: str
    columns: Texts
    rows: tuple[Texts, ...]
    heads: int = 1
    across: str = ""
    footing: int = 0
    texts: int = 0

    @classmethod
    def of(cls, title: str, columns: Mapping[str, Sequence[str]], heads: int = 1, **more: Any) -> Self:
        """Make a table of columns by their headings."""
        return cls(title, tuple(columns), tuple(zip(*columns.values(), strict=True)), heads, **more)

    @property
    def left(self) -> tuple[bool, ...]:
        """Whether the cells of each column begin at its left: those of names and texts do."""
        figures = range(self.heads, len(self.columns) - self.texts)
        return tuple(i not in figures for i in range(len(self.columns)))


@dataclass(frozen=True, slots=True)
class ProfileRow:
    """A measure that stands for its task in the profile, where everything lies between 0 and 1.

    Attributes
    ----------
    measure : str
    title, meaning : str
        What the profile calls it, in few words, and what it is.
    people, chance : float
        Where people and guessing are, if that is the same for all questions; else NaN.
    flipped : bool
        Whether the profile shows 1 − value, so that more is better.
    """

    measure: str
    title: str
    meaning: str
    people: float = nan
    chance: float = nan
    flipped: bool = False


ACCURACY_ROW: Final = ProfileRow("accuracy", "accuracy", ACCURACY.meaning)


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """Everything that tables, charts and pages need to know about a task in order to show its estimates.

    Attributes
    ----------
    title : str
        What the task is called in print.
    measures : Mapping of str to Measure
        A measure that is missing here is shown by its name, with three digits.
    methods : Mapping of str to str
        What each method of estimation does, beside :data:`METHODS`.
    parts : tuple of str
        Keys of an estimate's ``by`` that name a part of the answers, or a way to read them. The first one that the
        estimates of a measure have makes the columns of its table.
    values : Mapping of (str, str) to str
        What a value of such a key means: ``("view", "sum")``.
    groups : sequence of :class:`~probsense.show.measure.Group`
        Measures that share a table.
    page_only : collection of str
        Parts, methods and measures that a terminal leaves out.
    by_part : Mapping of str to collection of str
        For a part with many values: the only measures whose values by this part the page has as tables.
    leading : tuple of str
        Measures that open the page, each with its chart.
    summary : tuple of str
        Measures that sum up the task, the most telling first: a terminal shows the first five that are known.
    beside : tuple of str
        Raters, by name, that follow the models in the summary: people, and rules that know nothing.
    sentences : Mapping of str to Sentence
        How a measure is put into words.
    charts : Mapping of str to ChartWords
    profile : sequence of ProfileRow
    baselines : str or tuple of str
        How the names of raters begin that are no models; "" if there are none.
    item_group : str
        The column of the run's table by which the item browser sorts questions; "" if there is none.
    key_results : callable, optional
        Puts the most important estimates into sentences; without it, the page names the best accuracy.
    listing : callable, optional
        Makes a table of single items from the tables behind the charts, of so many items at most: what a terminal shows
        first, where the items themselves are the result.
    left_alone : collection of str
        Methods whose intervals no bound changes: they are part of what was published, or posterior.
    shortcut : Shortcut
        What the shortcut ceilings of its estimates are, if they have any.
    people : str
        What marks are called that show where people stand.
    illustrative : Words or None
        The words for data whose answers of people are made up; None if the task has no such data.
    """

    title: str
    measures: Mapping[str, Measure] = field(default_factory=dict)
    methods: Mapping[str, str] = field(default_factory=dict)
    parts: tuple[str, ...] = PARTS
    values: Mapping[tuple[str, str], str] = field(default_factory=dict)
    groups: Sequence[Group] = ()
    page_only: Collection[str] = ()
    by_part: Mapping[str, Collection[str]] = field(default_factory=dict)
    leading: tuple[str, ...] = ("accuracy",)
    summary: tuple[str, ...] = ("accuracy",)
    beside: tuple[str, ...] = ()
    sentences: Mapping[str, Sentence] = field(default_factory=dict)
    charts: Mapping[str, ChartWords] = field(default_factory=dict)
    profile: Sequence[ProfileRow] = ()
    baselines: str | tuple[str, ...] = ""
    item_group: str = ""
    key_results: Callable[[Sequence[Estimate], Words], KeyResults] | None = None
    listing: Callable[[Mapping[str, pl.DataFrame], int], Table] | None = None
    left_alone: Collection[str] = ()
    shortcut: Shortcut = SIMPLE_RULES
    people: str = PEOPLE
    illustrative: Words | None = None

    def suited(self, *, illustrative: bool) -> Words:
        """Return the words for data whose answers of people are made up, or for those that people gave."""
        return (self.illustrative if illustrative else None) or self

    def measure(self, name: str) -> Measure:
        """Return the measure of that name; one in plain style if it has no words of its own."""
        return self.measures.get(name) or Measure(name.replace("_", " ").capitalize())

    def sign(self, name: str) -> int:
        """Return the sign of a measure, or of that of which it is a view or a filter ("brier.token", "acc,none")."""
        return self.measure(name if name in self.measures else name.partition(",")[0].partition(".")[0]).sign

    def sentence(self, name: str) -> Sentence:
        """Return how a measure is put into words."""
        return self.sentences.get(name) or (ACCURACY_SENTENCE if name == "accuracy" else PLAIN)

    def difference(self, name: str) -> Measure:
        """Return the measure of differences of that measure: as far again below 0 as above it."""
        measure = self.measure(name)
        low, high = measure.bounds
        return replace(measure, bounds=(low - high, high - low), landmark=None)

    def people_at(self, name: str) -> float:
        """Return where people are on a measure, if that is the same for all questions; else NaN."""
        rows = (row for row in self.profile if row.measure == name)
        return next((1 - row.people if row.flipped else row.people for row in rows), nan)

    def bounds(self, name: str) -> tuple[float, float]:
        """Return the smallest and the largest possible value of a measure, or of a difference of two models by it."""
        stem = name.removesuffix("_difference")
        if name in self.measures:
            return self.measures[name].bounds
        return self.difference(stem).bounds if stem in self.measures else (-inf, inf)

    def bounded(self, estimates: Iterable[Estimate]) -> list[Estimate]:
        """Keep every interval within the bounds of its measure, as
        :func:`~probsense.analysis.inference.bounded.bounded` does."""
        from probsense.analysis.inference.bounded import bounded

        return [e if e.method in self.left_alone else bounded(e, self.bounds(e.measure)) for e in estimates]

    def method(self, name: str) -> str:
        """Say what a method of estimation does; "" if nothing is to be said."""
        return self.methods.get(name, METHODS.get(name, ""))

    def is_model(self, name: object) -> bool:
        """Whether a rater is a model and no baseline."""
        return not (self.baselines and str(name).startswith(self.baselines))

    def is_overall(self, estimate: Estimate) -> bool:
        """Whether an estimate covers all answers of one subject."""
        return not {*self.parts, "versus"} & set(estimate.by)


LOWER_IS_BETTER: Final = (
    *("brier", "brier_score", "log_score", "bits_per_byte", "ter", "mae", "mse"),
    *("perplexity", "word_perplexity", "byte_perplexity"),
)
"""Measures of other programs."""


def plain_words(name: str) -> Words:
    """Words for a task that brings none."""
    lower = {each: Measure(heading(each), bounds=(-inf, inf), better="lower") for each in LOWER_IS_BETTER}
    measures = {**lower, "accuracy": ACCURACY}
    return Words(title=plain(name).capitalize(), measures=measures, profile=(ACCURACY_ROW,))


def read_words(
    package: str,
    name: str = "words.toml",
    *,
    base: Words | None = None,
    given: Mapping[str, object] = MappingProxyType({}),
    **further: Any,
) -> Words:
    """Read the words of a task, to which its code adds what cannot stand in a file.

    Each key of the file is a field of :class:`~probsense.show.words.Words`; ``measures``, ``sentences``, ``groups``,
    ``profile``, ``shortcut`` and ``charts`` are tables with the fields of their classes. In all texts, ``{name}``
    stands for a value that is given, and braces that stay are doubled.

    Parameters
    ----------
    package : str
        The package with the file.
    name : str
        The file in it.
    base : Words, optional
        Words that it has in common with other tasks; the file adds measures to them, and replaces the rest.
    given : Mapping of str to object
        Values for the texts, so that a number stands in one place.
    **further
        The fields of :class:`~probsense.show.words.Words` that only code can give; for charts, those of
        :class:`~probsense.show.chart.ChartWords` by name.
    """
    content = _filled(tomllib.loads((files(package) / name).read_text("utf-8")), given)
    fields = {key: _READERS[key](value) if key in _READERS else value for key, value in content.items()}
    coded = further.pop("charts", {})
    charts = fields.get("charts", {}).items()
    fields |= {**further, "charts": {name: replace(one, **coded.get(name, {})) for name, one in charts}}
    if base is None:
        return Words(**fields)
    for merged in ("measures", "methods", "sentences", "values", "charts"):
        fields[merged] = {**getattr(base, merged), **fields.get(merged, {})}
    return replace(base, **fields)


def _styled(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Make the unit and the landmark of an entry."""
    made = dict(entry)
    if unit := made.get("unit"):
        made["unit"] = UNITS[unit] if isinstance(unit, str) else Unit(**unit)
    if "landmark" in made:
        made["landmark"] = Landmark(**made["landmark"])
    return made


_READERS: Final[Mapping[str, Callable[[Any], Any]]] = {
    "measures": lambda found: {name: Measure(**_styled(entry)) for name, entry in found.items()},
    "sentences": lambda found: {name: Sentence(**_styled(entry)) for name, entry in found.items()},
    "values": lambda found: {(part, key): said for part, ones in found.items() for key, said in ones.items()},
    "groups": lambda found: [Group(**entry) for entry in found],
    "profile": lambda found: [ProfileRow(**entry) for entry in found],
    "shortcut": lambda found: Shortcut(**found),
    "charts": lambda found: {name: ChartWords(**entry) for name, entry in found.items()},
}


def _filled(value: Any, given: Mapping[str, object]) -> Any:
    """Put the given values into all texts, however deep they stand, and make tuples of lists."""
    match value:
        case str():
            return value.format_map(given)
        case list():
            return tuple(_filled(one, given) for one in value)
        case dict():
            return {key.format_map(given): _filled(one, given) for key, one in value.items()}
        case _:
            return value


class Estimates(Shown, list[Estimate]):
    """List estimates of one task; a notebook shows them as tables.

    Parameters
    ----------
    found : iterable of Estimate
    words : Words
        Those of the task.
    """

    def __init__(self, found: Iterable[Estimate], words: Words) -> None:
        super().__init__(found)
        self.words = words
