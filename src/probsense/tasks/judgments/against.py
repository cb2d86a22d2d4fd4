"""What people said of the statements, to set models against: single people's ratings, or what most of them say."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

import polars as pl

from probsense.core.errors import InputError
from probsense.tasks.judgments.columns import majority_of
from probsense.tasks.judgments.people import read_majority, read_people


@dataclass(frozen=True, eq=False)
class Said:
    """What people said: :class:`Ratings` or :class:`Majority`.

    Attributes
    ----------
    frame : DataFrame
        A table with the column statement_id.
    """

    frame: pl.DataFrame

    def statements(self) -> list[int]:
        """Return the ids of the statements that people judged."""
        return self.frame["statement_id"].unique().to_list()

    def about(self, ids: Collection[int]) -> Self:
        """Return what people said of some statements only."""
        return replace(self, frame=self.frame.filter(pl.col("statement_id").is_in(list(ids))))


class Ratings(Said):
    """Ratings of single people, as from :func:`~probsense.tasks.judgments.people.read_people`."""


class Majority(Said):
    """What most people say, as from :func:`~probsense.tasks.judgments.people.read_majority`."""


def check_against(humans: Sequence[Path | str], majority: Path | str | None) -> None:
    """Refuse to take both single people's ratings and a majority that somebody else has counted.

    Raises
    ------
    InputError
    """
    if humans and majority is not None:
        raise InputError("single people's ratings and a majority", expected="one of them")


def read_against(
    humans: Sequence[Path], majority: Path | None, statements: pl.DataFrame | None = None
) -> Ratings | Majority | None:
    """Read what people said.

    Parameters
    ----------
    humans : sequence of Path
        One long table or two wide ones.
    majority : Path, optional
        A table with what most people say; it does not count beside ``humans``.
    statements : DataFrame, optional
        Where to find statements that the files name by their text. Without a file, their column ``most`` tells what
        most people say.

    Returns
    -------
    Ratings or Majority or None
        None if no file is named and the statements do not tell, either.

    Raises
    ------
    InputError
        Whatever the readers refuse.
    """
    if humans:
        return Ratings(read_people(humans, statements))
    if majority is not None:
        return Majority(read_majority(majority, statements))
    told = None if statements is None else majority_of(statements)
    return None if told is None or told.is_empty() else Majority(told)
