"""What people said of the statements: single people's ratings, or what most of them say."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple, Self

import polars as pl

from probsense.core.errors import InputError, brief
from probsense.core.files.tables import NO_VALUE, Table, read_table
from probsense.tasks.base import PeopleAnswers
from probsense.tasks.judgments.people.wide import UNWEIGHTED, Read, check_marked, is_wide, read_wide
from probsense.tasks.judgments.questions.statements import majority_of, statement_ids
from probsense.tasks.judgments.questions.yes_no import QUESTIONS, Reading, ratings_of
from probsense.tasks.shared.understood import as_read

_STATEMENT = ("statement_id", "statement")
_LONG = "the columns statement_id (or statement), person, q1 and q2 (or one of both), or two wide tables: q1, then q2"
ANY = Reading()
"""Ratings as they are without the user's word."""
_MAJORITY = "a column majority or human_q1"
_WIDE = "the statements: a column statement_id, or one without a name, or statement"


def read_people(
    paths: Sequence[Path], statements: pl.DataFrame | None = None, reading: Reading = ANY
) -> pl.DataFrame:
    """Read the ratings of people: 1 yes, 0 no.

    Parameters
    ----------
    paths : sequence of Path
        Either one long table: ``statement_id`` (or ``statement``, its text), ``person`` (or ``participant``), ``q1``
        ("do you agree?") and ``q2`` ("would most people agree?"), one row for each statement that a person was asked
        about; a question that nobody was asked needs no column. Or one wide table, as
        :func:`~probsense.tasks.judgments.people.wide.read_wide` reads it: a row for each person, and columns whose
        names tell statement and question. Or two wide tables, as published
        (individual_ratings.csv, group_ratings.csv), for q1 and then for q2. The first column names the statement. Each
        other column bears the name of a person and holds that person's ratings. Columns and rows of the two are
        matched by name, in whichever order they stand.
    statements : DataFrame, optional
        Columns statement_id and statement, as from
        :func:`~probsense.tasks.judgments.questions.statements.read_statements`, which give the texts of a column
        ``statement`` their ids; ids must be among theirs.
    reading : Reading
        What texts mean yes and no, and how columns of a wide table are named.

    Returns
    -------
    DataFrame
        statement_id (Int64), person (String), q1 and q2 (Int8, null where there is no rating), one row for
        each statement and person with a rating; statements that nobody rated and people who rated nothing have
        no row.

    Raises
    ------
    InputError
        For a file that cannot be read, a rating that is not 0, 1 or empty, a person without a name (empty, or NA as R
        writes it), a name of a column such as ``Q2``, a statement and person that come twice, people or statements
        that only one of two wide tables has, statements that are not among those known, no rating at all.
    """
    return people_of([read_table(path) for path in paths], statements, reading).frame


def people_of(tables: Sequence[Table], statements: pl.DataFrame | None, reading: Reading) -> Read:
    """Read the ratings of people as :func:`read_people` does, and tell how, and what counts for nothing."""
    match tables:
        case [table] if is_wide(table, reading):
            found = read_wide(table, statements, reading)
        case [table]:
            check_marked(table, statements)
            found = _long(table, statements, reading)
        case [first, second]:
            if reading.columns:
                raise InputError("--columns with two tables", expected="one, with a row for each person")
            frame = _both(_wide(first, statements, reading), _wide(second, statements, reading))
            found = Read(frame, "two wide tables: q1, then q2", ())
        case _:
            raise InputError(
                f"{len(tables)} tables of people's ratings", expected="one long or two wide ones"
            )
    if found.frame.is_empty():
        raise InputError("holds no rating", path=tables[0].path)
    return found


def read_majority(path: Path, statements: pl.DataFrame | None = None, reading: Reading = ANY) -> pl.DataFrame:
    """Read what most people say of each statement.

    Parameters
    ----------
    path : Path
        A table with the column ``majority`` or ``human_q1`` (1 yes, 0 no, or empty), and ``statement_id``, a column
        without a name, or ``statement``.
    statements, reading
        As for :func:`read_people`.

    Returns
    -------
    DataFrame
        statement_id (Int64) and majority (Int8), one row for each statement with a majority.

    Raises
    ------
    InputError
        For a file that cannot be read, a majority that is not 0, 1 or empty, a statement that comes twice, a name of a
        column such as ``Majority``, no majority at all.
    """
    table = read_table(path)
    table.refuse_other_case(*_STATEMENT, "majority", "human_q1", expected=_MAJORITY)
    column = table.column("majority", "human_q1", expected=_MAJORITY)
    found = pl.DataFrame(
        [statement_ids(table, statements), ratings_of(table, column, reading).alias("majority")]
    )
    table.refuse_repeated(found.select("statement_id"))
    found = found.drop_nulls()
    if found.is_empty():
        raise InputError("holds no majority", path=path)
    return found


def _long(table: Table, statements: pl.DataFrame | None, reading: Reading) -> Read:
    table.refuse_other_case(*_STATEMENT, "person", "participant", *QUESTIONS, expected=_LONG)
    person = table.column("person", "participant", expected=_LONG)
    if not {*QUESTIONS} & set(table.frame.columns):
        table.column("q1", expected=_LONG)
    q1, q2 = (
        ratings_of(table, name, reading)
        if name in table.frame.columns
        else pl.Series(name, [None] * table.frame.height, dtype=pl.Int8)
        for name in QUESTIONS
    )
    ids = statement_ids(table, statements)
    found = pl.DataFrame([ids, table.texts(person, "a name").alias("person"), q1, q2])
    table.refuse_repeated(found.select("statement_id", "person"))
    rated = found.filter(pl.any_horizontal(pl.col(QUESTIONS).is_not_null()))
    left = found.height - rated.height
    known = (*_STATEMENT, "", person, *QUESTIONS)
    return Read(
        rated,
        f"a long table: a row for each person and statement ({', '.join(table.how)})",
        (
            *table.left_out(known, UNWEIGHTED),
            *([f"rows without a rating ({left:,})"] if left else []),
        ),
    )


class _Wide(NamedTuple):
    """A wide table: the statement of each row, and its ratings as rows (statement_id, person, rating)."""

    table: Table
    ids: pl.Series
    ratings: pl.DataFrame


def _both(q1: _Wide, q2: _Wide) -> pl.DataFrame:
    if "group" in q1.table.path.name and "individual" in q2.table.path.name:
        raise InputError(
            f"comes before {q2.table.path.name}",
            path=q1.table.path,
            expected="individual ratings, then group ratings",
        )
    _check_known(q1, q2)
    _check_known(q2, q1)
    joined = q1.ratings.rename({"rating": "q1"}).join(
        q2.ratings.rename({"rating": "q2"}), on=["statement_id", "person"], how="full", coalesce=True
    )
    place = {name: i for i, name in enumerate(q1.table.frame.columns)}
    return joined.sort("statement_id", pl.col("person").replace_strict(place, return_dtype=pl.Int64))


def _wide(table: Table, statements: pl.DataFrame | None, reading: Reading) -> _Wide:
    first, *people = table.frame.columns
    table.refuse_other_case(*_STATEMENT, expected=_WIDE)
    if first not in ("", *_STATEMENT):
        raise InputError(f"the first column is {first!r}", path=table.path, line=1, expected=_WIDE)
    if "" in people:
        raise InputError("a column without a person's name", path=table.path, line=1, expected="a name")
    ids = statement_ids(table, statements)
    table.refuse_repeated(ids.to_frame())
    # Numbers instead of names: a person may be called "row".
    cells = table.frame.drop(first).cast(pl.String)
    cells.columns = [str(number) for number in range(len(people))]
    cells = cells.with_row_index("row").unpivot(index="row", variable_name="person", value_name="given")
    cells = cells.with_columns(
        pl.col("person").cast(pl.Int64), pl.col("given").str.strip_chars().replace(["", NO_VALUE], None)
    ).drop_nulls()
    bad = cells.filter(reading.unknown(cells["given"])).sort("row")
    for row, person, given in bad.head(1).iter_rows():
        raise table.fault(row, f"the rating of person {people[person]!r} is {brief(given)}", reading.expected)
    cells = cells.with_columns(reading.ratings(cells["given"]).alias("rating")).drop_nulls()
    names = pl.Series("person", people, dtype=pl.String)
    rows = [ids.gather(cells["row"]), names.gather(cells["person"]), cells["rating"]]
    return _Wide(table, ids, pl.DataFrame(rows))


def _check_known(one: _Wide, other: _Wide) -> None:
    """Refuse a person or a statement that the other table does not have."""
    known = set(other.table.frame.columns[1:])
    for person in one.table.frame.columns[1:]:
        if person not in known:
            raise InputError(
                f"person {person!r} is unknown",
                path=one.table.path,
                line=1,
                expected=f"the people of {other.table.path.name}",
            )
    unknown = (~one.ids.is_in(other.ids.implode())).arg_true()
    for row in unknown.head(1):
        raise one.table.fault(
            row, f"statement {one.ids[row]} is unknown", f"the statements of {other.table.path.name}"
        )


@dataclass(frozen=True, eq=False)
class Opinions:
    """What people said: :class:`Ratings` or :class:`Majority`.

    Attributes
    ----------
    frame : DataFrame
        A table with the column statement_id.
    notes : tuple of str
        How their file was read, where the reader must know it.
    """

    frame: pl.DataFrame
    notes: tuple[str, ...] = ()

    def statements(self) -> list[int]:
        """Return the ids of the statements that people judged."""
        return self.frame["statement_id"].unique().to_list()

    def about(self, ids: Collection[int]) -> Self:
        """Return what people said of some statements only."""
        return replace(self, frame=self.frame.filter(pl.col("statement_id").is_in(list(ids))))


class Ratings(Opinions):
    """Ratings of single people, as from :func:`~probsense.tasks.judgments.people.answers.read_people`."""


class Majority(Opinions):
    """What most people say, as from :func:`~probsense.tasks.judgments.people.answers.read_majority`."""


def check_opinions(humans: Sequence[Path | str], majority: Path | str | None, reading: Reading = ANY) -> None:
    """Refuse both single people's ratings and a majority, and a way of reading without what is read in that way.

    Raises
    ------
    InputError
    """
    if humans and majority is not None:
        raise InputError("single people's ratings and a majority", expected="one of them")
    if reading.texts and not humans and majority is None:
        raise InputError("--labels without people's answers", expected="--humans or --majority beside it")
    if reading.columns and not humans:
        raise InputError("--columns without people's answers", expected="--humans beside it")


def read_opinions(
    humans: Sequence[Path],
    majority: Path | None,
    statements: pl.DataFrame | None = None,
    reading: Reading = ANY,
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
    reading : Reading
        As for :func:`read_people`.

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
        tables = [read_table(path) for path in humans]
        found = people_of(tables, statements, reading)
        table, *others = tables
        unlike = not others and (table.how[1:] or found.dropped or is_wide(table, reading))
        return Ratings(found.frame, (as_read(table.path, found.said, found.dropped),) if unlike else ())
    if majority is not None:
        return Majority(read_majority(majority, statements, reading))
    told = None if statements is None else majority_of(statements)
    return None if told is None or told.is_empty() else Majority(told)


def answers_by_statement(
    opinions: Ratings | Majority, *, illustrative: bool
) -> Mapping[int, Mapping[str, PeopleAnswers]]:
    """Arrange what people said by statement and question.

    Parameters
    ----------
    opinions : Ratings or Majority
    illustrative : bool
        Whether nobody was asked.

    Returns
    -------
    Mapping of int to Mapping of str to PeopleAnswers
        Of ratings, the shares of yes and no to q1 and q2, as far as people were asked. Of a majority, what most people
        say, which answers q1 and is the right expectation for q2.
    """
    match opinions:
        case Majority(frame=frame):
            rows = frame.drop_nulls("majority").select("statement_id", "majority").iter_rows()
            told = {
                statement: PeopleAnswers(most="yes" if majority else "no", illustrative=illustrative)
                for statement, majority in rows
            }
            return {statement: {"q1": one, "q2": one} for statement, one in told.items()}
        case Ratings(frame=frame):
            questions = ("q1", "q2")
            sums = frame.group_by("statement_id").agg(
                *(pl.col(name).cast(pl.Float64).mean() for name in questions),
                *(pl.col(name).count().alias(f"n_{name}") for name in questions),
            )
            return {
                row["statement_id"]: {
                    name: _shares_of_yes(row[name], row[f"n_{name}"], illustrative)
                    for name in questions
                    if row[f"n_{name}"]
                }
                for row in sums.iter_rows(named=True)
            }


def _shares_of_yes(yes: float, n: int, illustrative: bool) -> PeopleAnswers:
    return PeopleAnswers((("yes", yes), ("no", 1 - yes)), n, illustrative=illustrative)
