"""Defines the form in which recorded results are compared: a row for each item, a column for each measure."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar, NamedTuple, Protocol

import polars as pl

from probsense.core.errors import InputError, did_you_mean
from probsense.core.names import short_names

ITEMS = {
    "item": pl.String,
    "cluster": pl.String,
    "part": pl.String,
    "stratum": pl.String,
    "setting": pl.String,
    "form": pl.String,
    "weight": pl.Float64,
    "gold": pl.String,
    "label": pl.String,
    "text": pl.String,
}
"""Columns with the information on an item other than its scores.

They are the item; the cluster of items that depend on each other; the part of the task (a problem, a suite; null for
none); the stratum, which is the fixed cell in which the item was drawn (null if items are not stratified); the
setting in which it is told, one of many that could be (a skin of WorldSense; null for none); the form, which is what
else it was drawn from, whatever its setting (a form of WorldSense; null for none); the weight; the right answer, the
given answer and the text of the question (null where unknown). Strata count equally within a part, and parts count
equally.
"""


class References(NamedTuple):
    """What the mean of a measure is set against: what guessing and shortcuts reach, as in an estimate."""

    chance: float = math.nan
    shortcut_ceiling: float = math.nan
    shortcut_stderr: float = math.nan


class ItemScores(NamedTuple):
    """What is known of the items of a run, and their scores: two tables with the same rows.

    Attributes
    ----------
    items : DataFrame
        Columns of :data:`ITEMS`; those that are left out are unknown.
    scores : DataFrame
        A column of numbers for each measure, the most telling first.
    notes : tuple of str
        What a reader should know.
    references : Mapping of str to References
        For measures whose references are known, over all the items.
    people : DataFrame or None
        What share of the people who answered an item was right, where the task knows: columns item, n (how many
        answered) and one for each measure by which that is known.
    """

    items: pl.DataFrame
    scores: pl.DataFrame
    notes: tuple[str, ...] = ()
    references: Mapping[str, References] = {}
    people: pl.DataFrame | None = None


class ScoresReader(Protocol):
    """A reader of files with results of single items; its constructor declares its options."""

    kind: ClassVar[str]
    """What the user may name: "samples of lm-evaluation-harness"."""

    def recognises(self, path: Path) -> bool:
        """Whether a file or folder is of this kind, by its name and its beginning."""

    def read(self, path: Path) -> Sequence[Scores]:
        """Read the results of one model or several."""


@dataclass(frozen=True, eq=False)
class Scores:
    """Hold what one model achieved on each item.

    Attributes
    ----------
    name : str
        Name of the model.
    detail : str
        Difference from other results of the same model, such as the prompting.
    source : str
        Origin of the results.
    task : str
    items : DataFrame
        A row for each item, with the columns :data:`ITEMS`; no item twice. Missing columns are unknown, and missing
        weights are 1. Columns of texts may be categories.
    scores : DataFrame
        The same rows with a column of numbers (or of truth values, which take less memory) for each measure, the most
        informative first; null where there is none.
    notes : tuple of str
        Notes for the reader.
    references : Mapping of str to References
        For measures whose references are known, over all the items.
    ratings : DataFrame or None
        For people, several of whom answered each item: a row for each answer, with the columns "item" and "rater" and
        one for each measure. The score of an item is the mean of its ratings. Intervals then speak for other people,
        too.
    people : DataFrame, optional
        As in :class:`ItemScores`.
    """

    name: str
    detail: str
    source: str
    task: str
    items: pl.DataFrame
    scores: pl.DataFrame
    notes: tuple[str, ...] = ()
    references: Mapping[str, References] = field(default_factory=dict)
    ratings: pl.DataFrame | None = None
    people: pl.DataFrame | None = None

    def __post_init__(self) -> None:
        items = self.items.with_columns(
            pl.lit(None, kind).alias(name) for name, kind in ITEMS.items() if name not in self.items.columns
        )
        known = items.select(
            pl.col(name) if items.schema[name] == pl.Categorical else pl.col(name).cast(kind)
            for name, kind in ITEMS.items()
        )
        object.__setattr__(self, "items", known.with_columns(pl.col("weight").fill_null(1.0)))
        numbers = self.scores.select(
            pl.col(name) if kind == pl.Boolean else pl.col(name).cast(pl.Float64).fill_nan(None)
            for name, kind in self.scores.schema.items()
        )
        object.__setattr__(self, "scores", numbers)
        if known["item"].n_unique() < known.height:
            twice = known["item"].filter(known["item"].is_duplicated())
            raise InputError(
                f"the item {twice[0]!r} stands twice in {self.source}", expected="each item once"
            )

    @property
    def measures(self) -> tuple[str, ...]:
        """Return the names of the measures."""
        return tuple(self.scores.columns)

    def of(self, measure: str) -> pl.DataFrame:
        """Return the items that have a score by one measure, with it as column "score"."""
        return self.items.with_columns(self.scores[measure].cast(pl.Float64).alias("score")).drop_nulls(
            "score"
        )

    def rated(self, measure: str) -> pl.DataFrame | None:
        """Return the ratings by one measure, as column "score" beside "item" and "rater"; None where there are none."""
        if self.ratings is None:
            return None
        return self.ratings.select("item", "rater", pl.col(measure).alias("score")).drop_nulls("score")


def named(sources: Sequence[Scores]) -> list[Scores]:
    """Give each source a short name of its own: if models are the same, with what else tells them apart.

    What else is their details, then their sources.

    Raises
    ------
    InputError
        If the same results come twice.
    """
    short = short_names(one.name for one in sources)
    found = [replace(one, name=short[one.name]) for one in sources]
    for further in ("detail", "source"):
        told = {(one.name, getattr(one, further)) for one in found}
        several = Counter(name for name, _ in told)
        found = [
            replace(one, name=f"{one.name} ({more})")
            if several[one.name] > 1 and (more := getattr(one, further))
            else one
            for one in found
        ]
    names = [one.name for one in found]
    if twice := [name for name in names if names.count(name) > 1]:
        raise InputError(f"{twice[0]} is given twice", expected="results that differ")
    return found


def shared_measures(sources: Sequence[Scores]) -> list[str]:
    """Return the measures that all sources have, in the order of the first."""
    return [name for name in sources[0].measures if all(name in one.measures for one in sources)]


def chosen_measures(sources: Sequence[Scores], measures: Sequence[str]) -> list[str]:
    """Return the requested measures, or the first one that all sources have.

    Raises
    ------
    InputError
        If there is none, or a source lacks one that is requested.
    """
    shared = shared_measures(sources)
    if not shared:
        raise InputError("the results have no measure in common", expected="results of one kind")
    for name in measures:
        if name not in shared:
            raise InputError(
                f"not all of the results have the measure {name!r}{did_you_mean(name, shared)}",
                expected=f"one of {', '.join(shared)}",
            )
    return list(dict.fromkeys(measures)) or shared[:1]
