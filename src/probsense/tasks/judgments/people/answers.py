"""Reads what people said of the statements: single people's ratings, or what most of them say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import polars as pl

from probsense.core.errors import InputError, brief, plain
from probsense.core.files.table import NO_VALUE
from probsense.core.files.tables import Table, read_table
from probsense.tasks.judgments.people.wide import UNWEIGHTED, by_question, is_wide, person_names, read_wide
from probsense.tasks.judgments.questions.statements import statement_ids
from probsense.tasks.judgments.questions.yes_no import QUESTIONS, Reading, ratings_of
from probsense.tasks.shared.tables.columns import person_column
from probsense.tasks.shared.tables.numbers import read_shares
from probsense.tasks.shared.tables.people import without_trials
from probsense.tasks.shared.understood import Read

_STATEMENT = ("statement_id", "statement")
_LONG = (
    "the columns statement_id (or statement), person, q1 and q2 (or one of both), two wide tables: q1, then q2, or"
    " --columns q1=* for a row for each person, with * for the statement"
)
ANY = Reading()
"""Ratings as they are without the user's word."""
_MAJORITY = "a column majority, human_q1, share (of yes), or yes and no, or ratings of people"
_WIDE = "the statements: a column statement_id, or one without a name, or statement"


def read_people(
    paths: Sequence[Path], statements: pl.DataFrame | None = None, reading: Reading = ANY
) -> Read[pl.DataFrame]:
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
    Read
        Its frame has statement_id (Int64), person (String), q1 and q2 (Int8, null where there is no rating), one row
        for each statement and person with a rating; statements that nobody rated and people who rated nothing have
        no row.

    Raises
    ------
    InputError
        For a file that cannot be read, a rating that is not 0, 1 or empty, a person without a name (empty, or NA as R
        writes it), a name of a column such as ``Q2``, a statement and person that come twice, people or statements
        that only one of two wide tables has, statements that are not among those known, no rating at all.
    """
    match [reading.renamed(read_table(path)) for path in paths]:
        case [table]:
            found = _one(table, statements, reading)
        case [first, second]:
            if reading.columns:
                raise InputError("--columns with two tables", expected="one, with a row for each person")
            frame = _both(first, second, statements, reading)
            found = Read(frame, "two wide tables: q1, then q2", usual=True)
        case _:
            raise InputError(f"{len(paths)} tables of people's ratings", expected="one long or two wide ones")
    if found.frame.is_empty():
        raise InputError("holds no rating", path=paths[0])
    return found


def _one(table: Table, statements: pl.DataFrame | None, reading: Reading) -> Read[pl.DataFrame]:
    """Read one table of ratings, long or wide."""
    table, trials = without_trials(table)
    read = read_wide if is_wide(table, reading) else _long
    found = read(table, statements, reading)
    return found._replace(dropped=(*trials, *found.dropped), usual=found.usual and not trials)


def read_majority(path: Path, statements: pl.DataFrame | None = None, reading: Reading = ANY) -> pl.DataFrame:
    """Read what most people say of each statement.

    Parameters
    ----------
    path : Path
        A table with ``statement_id``, a column without a name, or ``statement``, and the column ``majority`` or
        ``human_q1`` (1 yes, 0 no, or empty), ``share`` (of yes) or ``yes`` and ``no`` (how many people); or ratings of
        single people, as :func:`read_people` reads them, of which a column ``weight`` may say how much each person
        counts. Where just as many people say yes as no, there is no majority.
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
    table = reading.renamed(read_table(path))
    table.refuse_other_case(*_STATEMENT, "majority", "human_q1", expected=_MAJORITY)
    names = {*table.frame.columns}
    if names & {"q1", "person", "participant"} or is_wide(table, reading):
        found = _weighted(table, statements, reading)
    else:
        if "share" in names:
            shares = read_shares(table, "share")
            shares = shares / (100 if (shares > 1).any() else 1)
            table.refuse(~shares.is_between(0, 1).fill_null(True), "share", "a share of people who say yes")
            majority = _majority(shares)
        elif names >= {"yes", "no"}:
            yes, no = (table.whole_numbers(name) for name in ("yes", "no"))
            majority = _majority(yes / (yes + no))
        else:
            majority = ratings_of(table, table.column("majority", "human_q1", expected=_MAJORITY), reading)
        found = pl.DataFrame([statement_ids(table, statements), majority.alias("majority")])
        table.refuse_repeated(found.select("statement_id"))
    found = found.drop_nulls()
    if found.is_empty():
        raise InputError("holds no majority", path=path)
    return found


def _majority(shares: pl.Series) -> pl.Series:
    """Return what most people say by the shares of yes; null where they are divided."""
    return pl.select(pl.when((shares - 0.5).abs() > 1e-12).then(shares > 0.5)).to_series().cast(pl.Int8)


def _weighted(table: Table, statements: pl.DataFrame | None, reading: Reading) -> pl.DataFrame:
    """Return what most people say by their ratings, each person with a weight if the table has one."""
    rated = table
    weights = pl.DataFrame(schema={"person": pl.String, "weight": pl.Float64})
    if "weight" in table.frame.columns:
        weight = table.numbers("weight")
        table.refuse(~(weight.is_finite() & (weight >= 0)).fill_null(False), "weight", "a number from 0")
        weights = pl.DataFrame([person_names(table), weight]).unique()
        for name in weights.filter(weights["person"].is_duplicated())["person"].head(1):
            raise InputError(f"person {plain(name)} has several weights", path=table.path, expected="one")
        rated = replace(table, frame=table.frame.drop("weight"))
    found = _one(rated, statements, reading).frame.drop_nulls("q1").join(weights, on="person", how="left")
    each = pl.col("weight").fill_null(1.0)
    share = (each * pl.col("q1")).sum() / each.sum()
    shares = found.group_by("statement_id", maintain_order=True).agg(share=share)
    return shares.select("statement_id", majority=_majority(shares["share"]))


def _long(table: Table, statements: pl.DataFrame | None, reading: Reading) -> Read[pl.DataFrame]:
    table.refuse_other_case(*_STATEMENT, "person", "participant", *QUESTIONS, expected=_LONG)
    person = person_column(table) or table.column("person", expected=_LONG)
    table.column(*QUESTIONS, expected=_LONG)
    asked = [name for name in QUESTIONS if name in table.frame.columns]
    key = pl.DataFrame([statement_ids(table, statements), person_names(table)])
    table.refuse_repeated(key)
    rated = by_question(
        key.with_columns(question=pl.lit(name), rating=ratings_of(table, name, reading)) for name in asked
    )
    said = f"a long table: a row for each person and statement ({', '.join(table.how)})"
    dropped = table.left_out((*_STATEMENT, "", person, *QUESTIONS), UNWEIGHTED)
    if left := key.height - rated.height:
        dropped = (*dropped, f"rows without a rating ({left:,})")
    return Read(rated, said, dropped, usual=not dropped and not table.how[1:])


def _both(q1: Table, q2: Table, statements: pl.DataFrame | None, reading: Reading) -> pl.DataFrame:
    """Read two tables with a row for each statement and a column for each person."""
    if "group" in q1.path.name and "individual" in q2.path.name:
        expected = "individual ratings, then group ratings"
        raise InputError(f"comes before {q2.path.name}", path=q1.path, expected=expected)
    ids = [_wide_ids(table, statements) for table in (q1, q2)]
    for (one, own), (other, theirs) in permutations(zip((q1, q2), ids, strict=True)):
        for person in sorted({*one.frame.columns[1:]} - {*other.frame.columns[1:]}):
            found, expected = f"person {person!r} is unknown", f"the people of {other.path.name}"
            raise InputError(found, path=one.path, line=1, expected=expected)
        unknown = ~own.is_in(theirs.implode())
        one.refuse(unknown, one.frame.columns[0], f"the statements of {other.path.name}")
    parts = zip((q1, q2), ids, QUESTIONS, strict=True)
    rated = (_cells(table, own, reading).with_columns(question=pl.lit(name)) for table, own, name in parts)
    in_order = pl.col("person").cast(pl.Enum(q1.frame.columns[1:]))
    return by_question(rated).sort("statement_id", in_order)


def _cells(table: Table, ids: pl.Series, reading: Reading) -> pl.DataFrame:
    """Arrange the cells of a table that has a column for each person: statement_id, person and rating."""
    cells = table.frame[:, 1:].cast(pl.String).with_row_index("")  # A person may have any other name.
    cells = cells.unpivot(index="", variable_name="person", value_name="given").rename({"": "row"})
    given = pl.col("given").str.strip_chars().replace(["", NO_VALUE], None)
    cells = cells.with_columns(given).drop_nulls()
    for row, person, text in cells.filter(reading.unknown(cells["given"])).sort("row").head(1).iter_rows():
        raise table.fault(row, f"the rating of person {person!r} is {brief(text)}", reading.expected)
    rating = reading.ratings(cells["given"]).alias("rating")
    return pl.DataFrame([ids.gather(cells["row"]), cells["person"], rating])


def _wide_ids(table: Table, statements: pl.DataFrame | None) -> pl.Series:
    first, *people = table.frame.columns
    if first not in ("", *_STATEMENT):
        raise InputError(f"the first column is {first!r}", path=table.path, line=1, expected=_WIDE)
    if "" in people:
        raise InputError("a column without a person's name", path=table.path, line=1, expected="a name")
    ids = statement_ids(table, statements)
    table.refuse_repeated(ids.to_frame())
    return ids
