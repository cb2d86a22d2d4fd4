"""The characteristics of people, and the groups that these divide people into."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

from probsense.analysis.agreement.groups import PeopleGroups, bands, groups_of
from probsense.core.errors import InputError
from probsense.core.files.table import some
from probsense.core.files.tables import NO_VALUE, read_table
from probsense.tasks.shared.tables.columns import beside_answers, person_column
from probsense.tasks.shared.tables.people import without_trials

DISTINCT = 12
"""A column with more different values than this divides no people, unless it has numbers, which make bands."""
FEWEST = 5
"""The fewest people that make a group."""
EXPIRED = ("DATA_EXPIRED", "CONSENT_REVOKED")
"""What Prolific writes where it has deleted what a person said."""
_EXPECTED = "a column person, named as in the ratings, and columns of characteristics"


class Divisions(NamedTuple):
    """Divisions of people by characteristic, and notes about them for the reader."""

    groups: dict[str, PeopleGroups]
    notes: list[str]


class Characteristics(NamedTuple):
    """The characteristics of people, as from :func:`read_demographics`.

    Attributes
    ----------
    path : Path
        The file that holds them.
    frame : DataFrame
        person, and a column for each characteristic.
    notes : tuple of str
        How the file was read, where the reader must know it.
    """

    path: Path
    frame: pl.DataFrame
    notes: tuple[str, ...] = ()

    def divided(self, persons: Sequence[str]) -> Divisions:
        """Divide some people, in their order, by each characteristic that makes two groups or more.

        Raises
        ------
        InputError
            If the file has none of them.
        """
        rated = self.frame["person"].is_in(list(persons))
        if not rated.any():
            expected = "the names of the ratings"
            raise InputError("none of these people rated anything", path=self.path, expected=expected)
        order, notes = pl.DataFrame({"person": persons}), [*self.notes]
        unknown = order.join(self.frame, on="person", how="anti", maintain_order="left")["person"].to_list()
        if unknown:
            notes.append(
                f"{len(unknown):,} of {len(persons):,} people who rated are not in {self.path} ({some(unknown)}),"
                f" and {(~rated).sum():,} of its rows are of nobody who rated"
            )
        placed = order.join(self.frame, on="person", how="left", maintain_order="left").drop("person")
        divided = {column.name: _groups(column) for column in placed}
        if left := [name for name, groups in divided.items() if groups is None]:
            notes.append(
                f"no groups of at least {FEWEST} people by {some(left)}: they take numbers or at most"
                f" {DISTINCT} different texts"
            )
        return Divisions({name: groups for name, groups in divided.items() if groups is not None}, notes)


def read_demographics(path: Path, persons: Sequence[str]) -> Characteristics:
    """Read the characteristics of people: a table with a column person, and one for each characteristic.

    Parameters
    ----------
    path : Path
        The column may have any name that is known for it; what programs write beside people's answers is none of their
        characteristics, and what Prolific deleted is missing. Where the column is
        ``ResponseId`` with values Response_1 to Response_n, as published, and the ratings are of people 0 to n − 1,
        these are taken for the same people in the same order, which nothing documents; a note says so.
    persons : sequence of str
        Names of all people who rated.

    Raises
    ------
    InputError
        For a file that cannot be read, one without such a column, a person that stands twice.
    """
    table, notes = without_trials(read_table(path))
    notes = [f"{path}: left out are {one}" for one in notes]
    column = person_column(table) or table.column("person", "participant", expected=_EXPECTED)
    names = table.texts(column)
    if column == "ResponseId" and not names.is_in(list(persons)).any():
        number = names.str.extract(r"^Response_(\d+)$").cast(pl.Int64, strict=False)
        table.refuse(number.is_null(), "ResponseId", "Response_1, Response_2, …")
        # Only two whole counts of the same people prove that they go together.
        if {*number} != {*range(1, len(number) + 1)} or {*persons} != {str(one - 1) for one in number}:
            expected = (
                "the names of the ratings, or Response_1 to Response_n for ratings of the people 0 to n − 1"
            )
            raise InputError("ResponseId names none of the people", path=path, expected=expected)
        names = (number - 1).cast(pl.String)
        notes.append("Response_1, Response_2, … are taken for the people 0, 1, … of the ratings")
    names = names.alias("person")
    table.refuse_repeated(names.to_frame())
    further = table.frame.drop({"person", column, *beside_answers(table)}, strict=False)
    further = further.with_columns(pl.col(pl.String).replace(dict.fromkeys(EXPIRED)))
    return Characteristics(path, pl.DataFrame([names, *further]), (*notes,))


def _groups(column: pl.Series) -> PeopleGroups | None:
    """Divide people by the values of a column, or by bands of numbers; None if there are no two groups."""
    texts = column.cast(pl.String).str.strip_chars().replace("", None)
    given = texts.replace(NO_VALUE, None)
    numbers = given.cast(pl.Float64, strict=False)
    numeric = numbers.null_count() == given.null_count()
    labels = given if numeric else texts
    distinct = labels.drop_nulls().n_unique()
    if not distinct or (distinct > DISTINCT and not numeric):
        return None
    many = distinct > DISTINCT
    groups = bands(numbers.fill_null(np.nan).to_numpy()) if many else groups_of(labels.to_list())
    enough = groups.members.sum(axis=1) >= FEWEST
    if enough.sum() < 2:
        return None
    names = tuple(name for name, kept in zip(groups.names, enough, strict=True) if kept)
    return PeopleGroups(names, groups.members[enough])
