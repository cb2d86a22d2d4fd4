"""What people said of the statements, whatever file it comes from, what that means for a question, and who they are."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
import polars as pl

from probsense.analysis.agreement.groups import PeopleGroups, bands, groups_of
from probsense.core.errors import InputError
from probsense.core.files.table import some
from probsense.core.files.tables import read_table
from probsense.core.records import Item
from probsense.tasks.base import PeopleAnswers
from probsense.tasks.conditions.personas import PeopleInGroups
from probsense.tasks.judgments.people.answers import read_majority, read_people
from probsense.tasks.judgments.questions.statements import majority_of, typed
from probsense.tasks.judgments.questions.yes_no import QUESTIONS, Reading
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
        known, notes = {*self.frame["person"]}, [*self.notes]
        if unknown := [name for name in persons if name not in known]:
            notes.append(
                f"{len(unknown):,} of {len(persons):,} people who rated are not in {self.path} ({some(unknown)}),"
                f" and {(~rated).sum():,} of its rows are of nobody who rated"
            )
        order = pl.DataFrame({"person": persons})
        placed = order.join(self.frame, on="person", how="left", maintain_order="left").drop("person")
        groups = {column.name: own for column in placed if (own := _groups(column))}
        if left := [name for name in placed.columns if name not in groups]:
            notes.append(
                f"no groups of at least {FEWEST} people by {some(left)}: they take numbers or at most"
                f" {DISTINCT} different texts"
            )
        return Divisions(groups, notes)


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
    known = replace(table, frame=further.with_columns(pl.col(pl.String).replace(dict.fromkeys(EXPIRED))))
    about = (typed(known, name) for name in further.columns)
    return Characteristics(path, pl.DataFrame([names, *about]), (*notes,))


def _groups(column: pl.Series) -> PeopleGroups | None:
    """Divide people by the values of a column, or by bands of numbers; None if there are no two groups."""
    distinct = column.drop_nulls().n_unique()
    if 0 < distinct <= DISTINCT:
        groups = groups_of(column.cast(pl.String).to_list())
    elif distinct and column.dtype.is_numeric():
        groups = bands(column.cast(pl.Float64).fill_null(np.nan).to_numpy())
    else:
        return None
    enough = groups.members.sum(axis=1) >= FEWEST
    if enough.sum() < 2:
        return None
    names = tuple(name for name, kept in zip(groups.names, enough, strict=True) if kept)
    return PeopleGroups(names, groups.members[enough])


@dataclass(frozen=True, eq=False)
class Opinions:
    """What people said.

    Attributes
    ----------
    frame : DataFrame
        Single people's ratings, as from :func:`read_people`, or what most people say, as from :func:`read_majority`.
    notes : sequence of str
        How their file was read, where the reader must know it.
    who : Characteristics or None
        Who single people are, if that is known.
    named : bool
        Whether a file says it; otherwise the statements do, and nobody need have been asked.
    """

    frame: pl.DataFrame
    notes: Sequence[str] = ()
    who: Characteristics | None = None
    named: bool = True

    @property
    def persons(self) -> tuple[str, ...]:
        """The names of single people in order, by number if all are numbers; nobody if the majority alone is known."""
        if "person" not in self.frame.columns:
            return ()
        names: list[str] = self.frame["person"].unique().to_list()
        return tuple(sorted(names, key=int if all(name.isdecimal() for name in names) else str))

    def about(self, ids: Collection[int]) -> Opinions:
        """Return what people said of some statements only."""
        return replace(self, frame=self.frame.filter(pl.col("statement_id").is_in(list(ids))))

    @cached_property
    def by_statement(self) -> Mapping[int, Mapping[str, PeopleAnswers]]:
        """What people said by statement and question.

        Of ratings, these are the shares of yes and no to q1 and q2, as far as people were asked. Of a majority, it is
        what most people say, which answers q1 and is the right expectation for q2.
        """
        if not self.persons:
            told = self.frame.select("statement_id", "majority").iter_rows()
            most = [PeopleAnswers(most=label, illustrative=not self.named) for label in ("no", "yes")]
            return {statement: dict.fromkeys(QUESTIONS, most[majority]) for statement, majority in told}
        found: dict[int, dict[str, PeopleAnswers]] = {}
        for question in QUESTIONS:
            rated = self.frame.drop_nulls(question).group_by("statement_id", maintain_order=True)
            for statement, yes, n in rated.agg(pl.col(question).mean(), pl.len()).iter_rows():
                shares = (("yes", yes), ("no", 1 - yes))
                found.setdefault(statement, {})[question] = PeopleAnswers(shares, n)
        return found

    def in_groups(self, items: Sequence[Item]) -> PeopleInGroups | None:
        """Arrange single people's answers to some questions, with the groups of these people, if they are known.

        Parameters
        ----------
        items : sequence of Item
        """
        if self.who is None:
            return None
        asked = pl.DataFrame(
            [(item.data["statement_id"], item.data["question"], row) for row, item in enumerate(items)],
            schema={"statement_id": pl.Int64, "question": pl.String, "row": pl.Int64},
            orient="row",
        )
        about = self.about(asked["statement_id"].unique())
        persons = about.persons
        places = {name: place for place, name in enumerate(persons)}
        answers = (
            about.frame.unpivot(QUESTIONS, index=["statement_id", "person"], variable_name="question")
            .drop_nulls("value")
            .join(asked, on=["statement_id", "question"])
            .with_columns(pl.col("person").replace_strict(places, return_dtype=pl.Int64))
            .sort("person", "row")
        )
        row, person, yes = (answers[name].to_numpy() for name in ("row", "person", "value"))
        divisions = self.who.divided(persons)
        return PeopleInGroups(row, person, yes.astype(np.float64), divisions.groups, divisions.notes)


NOTHING: Final = Opinions(
    pl.DataFrame(schema={"statement_id": pl.Int64, "person": pl.String, "q1": pl.Int8, "q2": pl.Int8})
)
"""What people said, where nobody knows it."""


@dataclass(frozen=True, slots=True)
class PeopleFiles:
    """The files that hold what people said, and how they are to be read.

    Attributes
    ----------
    humans, majority, demographics
        As for :class:`probsense.tasks.judgments.task.Judgments`.
    reading : Reading
        What its options ``labels`` and ``columns`` say.

    Raises
    ------
    InputError
        For options that do not go together.
    """

    humans: Sequence[Path | str]
    majority: Path | str | None
    reading: Reading
    demographics: Path | str | None

    def __post_init__(self) -> None:
        if self.humans and self.majority is not None:
            raise InputError("single people's ratings and a majority", expected="one of them")
        for flag, said in (("--labels", self.reading.texts), ("--columns", self.reading.columns)):
            if said and not self.named:
                expected = "--humans or --majority beside it"
                raise InputError(f"{flag} without people's answers", expected=expected)
        if self.demographics is not None and not self.humans:
            found = "characteristics of people without their ratings"
            raise InputError(found, expected="single people's ratings")

    @property
    def named(self) -> bool:
        """Whether there are any; if not, only the statements may tell what most people say."""
        return bool(self.humans) or self.majority is not None

    def read(self, statements: pl.DataFrame | None) -> Opinions:
        """Read what people said: nothing if no file is named and the statements do not tell, either.

        Parameters
        ----------
        statements : DataFrame, optional
            Where to find statements that the files name by their text. Without a file, their column ``most`` tells
            what most people say.

        Raises
        ------
        InputError
            Whatever the readers refuse.
        """
        if self.majority is not None:
            return Opinions(read_majority(Path(self.majority), statements, self.reading))
        if not self.humans:
            return Opinions(majority_of(statements), named=False)
        paths = [Path(path) for path in self.humans]
        found = read_people(paths, statements, self.reading)
        opinions = Opinions(found.frame, found.notes(paths[0]))
        if self.demographics is None:
            return opinions
        return replace(opinions, who=read_demographics(Path(self.demographics), opinions.persons))
