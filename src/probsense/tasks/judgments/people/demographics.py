"""Divides people by characteristics, and finds groups with whom a model agrees more than with others."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from probsense.analysis.agreement.people import People
from probsense.analysis.agreement.scores import match
from probsense.analysis.agreement.statements import common_sense_by_answer, majority_of_others
from probsense.analysis.agreement.subgroups import PeopleGroups, bands, groups_of
from probsense.analysis.inference.estimate import Estimate
from probsense.analysis.inference.raters import crossed_difference, crossed_share
from probsense.analysis.inference.significance import adjust
from probsense.core.errors import InputError
from probsense.core.files.table import some
from probsense.core.files.tables import NO_VALUE, read_table
from probsense.core.records import Item
from probsense.tasks.conditions.personas import PeopleInGroups
from probsense.tasks.judgments.measures.estimates import PEOPLE
from probsense.tasks.judgments.people.answers import Ratings
from probsense.tasks.judgments.people.study import Study, persons_of
from probsense.tasks.judgments.people.wide import person_column

DISTINCT = 12
"""A column with more different values than this divides no people, unless it has numbers, which make bands."""
FEWEST = 5
"""The fewest people that make a group."""
COLUMNS = ("characteristic", "group", "who", "n", "mean", "difference", "low", "high", "p")
"""Columns of the table of differences between people."""
_EXPECTED = "a column person, named as in the ratings, and columns of characteristics"


@dataclass(frozen=True, slots=True)
class Divisions:
    """Divisions of people by characteristic, and notes about them for the reader."""

    groups: dict[str, PeopleGroups]
    notes: list[str]


def check_demographics(demographics: Path | str | None, humans: Sequence[object]) -> None:
    """Refuse characteristics of people whose ratings are not known.

    Raises
    ------
    InputError
    """
    if demographics is not None and not humans:
        raise InputError(
            "characteristics of people without their ratings", expected="single people's ratings"
        )


def read_demographics(path: Path, persons: Sequence[str]) -> Divisions:
    """Read the characteristics of people: a table with a column person, and one for each characteristic.

    Parameters
    ----------
    path : Path
        The column may have any name of :data:`~probsense.tasks.judgments.people.wide.PERSON`. Where it is
        ``ResponseId`` with values Response_1 to Response_n, as published, and the ratings are of people 0 to n − 1,
        these are taken for the same people in the same order, which nothing documents; a note says so.
    persons : sequence of str
        Names of people, in order.

    Raises
    ------
    InputError
        For a file that cannot be read, one without such a column, a person that stands twice, and if none of the
        people is among those who rated.
    """
    table = read_table(path)
    notes = []
    column = person_column(table) or table.column("person", "participant", expected=_EXPECTED)
    if column == "ResponseId" and not table.texts(column).is_in(list(persons)).any():
        number = table.texts("ResponseId").str.extract(r"^Response_(\d+)$").cast(pl.Int64, strict=False)
        table.refuse(number.is_null(), "ResponseId", "Response_1, Response_2, …")
        # Only two whole counts of the same people prove that they go together.
        if {*number} != {*range(1, len(number) + 1)} or {*persons} != {str(one - 1) for one in number}:
            expected = (
                "the names of the ratings, or Response_1 to Response_n for ratings of the people 0 to n − 1"
            )
            raise InputError("ResponseId names none of the people", path=path, expected=expected)
        names = (number - 1).cast(pl.String).alias("person")
        notes.append("Response_1, Response_2, … are taken for the people 0, 1, … of the ratings")
    else:
        names = table.texts(column).alias("person")
    table.refuse_repeated(names.to_frame())
    order = pl.DataFrame({"person": persons})
    further = table.frame.drop("person", column, strict=False)
    placed = order.join(further.with_columns(names), on="person", how="left", maintain_order="left")
    rated = names.is_in(list(persons))
    if not rated.any():
        raise InputError(
            "none of these people rated anything", path=path, expected="the names of the ratings"
        )
    unknown = order.filter(~pl.col("person").is_in(names.implode()))["person"].to_list()
    if unknown:
        notes.append(
            f"{len(unknown):,} of {len(persons):,} people who rated are not in {path} ({some(unknown)}), and"
            f" {(~rated).sum():,} of its rows are of nobody who rated"
        )
    divided = {column.name: _groups(column) for column in placed.drop("person")}
    if left := [name for name, groups in divided.items() if groups is None]:
        notes.append(
            f"no groups of at least {FEWEST} people by {some(left)}: they take numbers or at most"
            f" {DISTINCT} different texts"
        )
    return Divisions({name: groups for name, groups in divided.items() if groups is not None}, notes)


def people_in_groups(opinions: Ratings, path: Path, items: Sequence[Item]) -> PeopleInGroups:
    """Arrange single people's answers to some questions, with their characteristics.

    Parameters
    ----------
    opinions : Ratings
    path : Path
        The characteristics, as :func:`read_demographics` reads them.
    items : sequence of Item
    """
    asked = pl.DataFrame(
        [(item.data["statement_id"], item.data["question"], row) for row, item in enumerate(items)],
        schema={"statement_id": pl.Int64, "question": pl.String, "row": pl.Int64},
        orient="row",
    )
    frame = opinions.about(asked["statement_id"].unique()).frame
    persons = persons_of(frame)
    number = pl.DataFrame({"person": persons, "number": np.arange(len(persons))})
    answers = (
        frame.unpivot(["q1", "q2"], index=["statement_id", "person"], variable_name="question")
        .drop_nulls("value")
        .join(asked, on=["statement_id", "question"])
        .join(number, on="person")
        .sort("number", "row")
    )
    divisions = read_demographics(path, persons)
    row, person, yes = answers.select("row", "number", pl.col("value").cast(pl.Float64)).to_numpy().T
    return PeopleInGroups(
        row.astype(np.int64), person.astype(np.int64), yes, divisions.groups, divisions.notes
    )


def _groups(column: pl.Series) -> PeopleGroups | None:
    """Divide people by the values of a column, or by bands of numbers; None if there are no two groups."""
    texts = column.cast(pl.String).str.strip_chars().replace("", None)
    given = texts.replace(NO_VALUE, None)
    numbers = given.cast(pl.Float64, strict=False)
    if numeric := numbers.null_count() == given.null_count():
        texts = given
    distinct = texts.drop_nulls().n_unique()
    if not distinct:
        return None
    if distinct > DISTINCT:
        if not numeric:
            return None
        groups = bands(numbers.fill_null(np.nan).to_numpy())
    else:
        groups = groups_of(texts.to_list())
    enough = groups.members.sum(axis=1) >= FEWEST
    if enough.sum() < 2:
        return None
    names = tuple(name for name, kept in zip(groups.names, enough, strict=True) if kept)
    return PeopleGroups(names, groups.members[enough])


def group_estimates(
    study: Study, divisions: Divisions, silent: Collection[str] = ()
) -> tuple[list[Estimate], pl.DataFrame]:
    """Estimate how often each model gives the same first answer as a group of people, and the group's common sense.

    Statements and people are both drawn from more of them. Agreement is with single people, because the majority of a
    small group is noisier than that of a large one.

    Parameters
    ----------
    study : Study
    divisions : Divisions
    silent : collection of str
        Models that are left out.

    Returns
    -------
    list of Estimate
        "agreement" of models by group of people, and "commonsensicality" of people: means over people.
    DataFrame
        characteristic, group, who, n, mean, difference (from all other people), low, high, p, p_holm: corrected for
        all models, groups and characteristics, where the two groups of a characteristic with two values are one test.
    """
    raters = [
        *(
            (model, "agreement", _agreement(study.people, answers))
            for model, answers in zip(study.models, study.answers.q1, strict=True)
            if model not in silent
        ),
        (PEOPLE, "commonsensicality", _common_sense(study.people)),
    ]
    estimates: list[Estimate] = []
    rows = []
    for characteristic, groups in divisions.groups.items():
        for who, measure, cells in raters:
            grouped = groups.members[:, cells.person]
            among = np.asarray(grouped.any(axis=0))
            for group, inside in zip(groups.names, grouped, strict=True):
                if not inside.any():
                    continue
                by = {"model": who, "people": f"{characteristic}: {group}"}
                mean = crossed_share(measure, by, *cells.where(inside))
                estimates.append(replace(mean, n=len(np.unique(cells.person[inside]))))
                apart = crossed_difference(inside[among], *cells.where(among))
                values = mean.value, apart.value, apart.low, apart.high, apart.p
                rows.append((characteristic, group, who, estimates[-1].n, *values))
    return estimates, _corrected(pl.DataFrame(rows, schema=COLUMNS, orient="row")) if rows else pl.DataFrame()


def _corrected(table: pl.DataFrame) -> pl.DataFrame:
    """Add p-values corrected by Holm's method for all characteristics together.

    The differences of two groups are one test, which counts once: each is the other with its sign changed.
    """
    whose = "characteristic", "who"
    again = (pl.len().over(whose) == 2) & (pl.int_range(pl.len()).over(whose) == 1)
    once = table.select(pl.when(again).then(math.nan).otherwise("p")).to_series()
    holm = pl.lit(pl.Series(adjust(once.to_numpy(), "holm")))
    return table.with_columns(p_holm=pl.when(again).then(holm.shift(1)).otherwise(holm))


class _Cells(NamedTuple):
    """Hold what each answer of a person adds to the person's value, which is the mean over the person's answers.

    The weights of a person's answers sum to 1.
    """

    value: NDArray[np.float64]
    statement: NDArray[np.int64]
    person: NDArray[np.int64]
    weight: NDArray[np.float64]

    @classmethod
    def known(cls, people: People, value: NDArray[np.float64]) -> _Cells:
        """Keep the answers of people whose value is known."""
        kept = ~np.isnan(value)
        person = people.person[kept]
        return cls(value[kept], people.statement[kept], person, 1 / np.bincount(person)[person])

    def where(self, kept: NDArray[np.bool_]) -> _Cells:
        """Select some of the answers."""
        return _Cells(self.value[kept], self.statement[kept], self.person[kept], self.weight[kept])


def _agreement(people: People, answers: NDArray[np.float64]) -> _Cells:
    """Compare a model's first answers with those of each person."""
    return _Cells.known(people, match(answers[people.statement], people.q1))


def _common_sense(people: People) -> _Cells:
    """Divide each person's common sense among the answers that count."""
    key = majority_of_others(people)
    value = common_sense_by_answer(match(people.q1, key), match(people.q2, key), people.person, people.people)
    return _Cells.known(people, np.where(np.isnan(key), np.nan, value))
