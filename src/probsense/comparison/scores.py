"""The one shape in which recorded results come to be compared: a row for each item, a column for each measure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar, NamedTuple, Protocol

import polars as pl

from probsense.errors import InputError

ITEMS = {
    "item": pl.String,
    "cluster": pl.String,
    "part": pl.String,
    "stratum": pl.String,
    "weight": pl.Float64,
    "gold": pl.String,
    "label": pl.String,
    "text": pl.String,
}
"""Columns of what is known of an item besides its scores: the item; the cluster of those that depend on each other; of
what part of the task it is (a problem, a suite; null for none); the fixed cell that it was drawn in, of which those of
a part count alike, as parts do (null: items are not stratified); what it weighs; the right answer, the one given and
the words of the question (null where unknown)."""


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
    """

    items: pl.DataFrame
    scores: pl.DataFrame
    notes: tuple[str, ...] = ()


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
    """What one model achieved on each item.

    Attributes
    ----------
    name : str
        Of the model.
    detail : str
        What tells it from other results of the same model, such as the prompting.
    source : str
        Where they come from.
    task : str
    items : DataFrame
        A row for each item, with :data:`ITEMS`; no item twice. Columns that are left out are unknown; weights, 1.
    scores : DataFrame
        The same rows with a column of numbers for each measure, the most telling first; null where there is none.
    notes : tuple of str
        What a reader should know.
    """

    name: str
    detail: str
    source: str
    task: str
    items: pl.DataFrame
    scores: pl.DataFrame
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        items = self.items.with_columns(
            pl.lit(None, kind).alias(name) for name, kind in ITEMS.items() if name not in self.items.columns
        )
        known = items.select(pl.col(name).cast(kind) for name, kind in ITEMS.items())
        object.__setattr__(self, "items", known.with_columns(pl.col("weight").fill_null(1.0)))
        numbers = self.scores.select(pl.all().cast(pl.Float64).fill_nan(None))
        object.__setattr__(self, "scores", numbers)
        if (twice := known["item"].filter(known["item"].is_duplicated())).len():
            raise InputError(
                f"the item {twice[0]!r} stands twice in {self.source}", expected="each item once"
            )

    @property
    def measures(self) -> tuple[str, ...]:
        """The names of the measures."""
        return tuple(self.scores.columns)

    def of(self, measure: str) -> pl.DataFrame:
        """The items that have a score by one measure, with it as column "score"."""
        return self.items.with_columns(self.scores[measure].alias("score")).drop_nulls("score")


def named(sources: Sequence[Scores]) -> list[Scores]:
    """The same results, each with a name of its own: with their details, or else sources, where models are the same.

    Raises
    ------
    InputError
        If the same results come twice.
    """
    found = list(sources)
    for further in ("detail", "source"):
        names = [one.name for one in found]
        found = [
            replace(one, name=f"{one.name} ({more})")
            if names.count(one.name) > 1 and (more := getattr(one, further))
            else one
            for one in found
        ]
    names = [one.name for one in found]
    if twice := [name for name in names if names.count(name) > 1]:
        raise InputError(f"{twice[0]} is given twice", expected="results that differ")
    return found
