"""Wide tables of people's ratings: a row for each person, and a column for each statement and question."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

import polars as pl

from probsense.core.errors import InputError, did_you_mean, plain
from probsense.core.files.table import Table, some
from probsense.show.text import counted
from probsense.tasks.judgments.questions.yes_no import QUESTIONS, Reading, ratings_of
from probsense.tasks.shared.tables.columns import person_column
from probsense.tasks.shared.understood import Read

_APART: Final = r"(?:\s*[_:/-]+\s*|\s+|\.)"
MARKS: Final = (
    re.compile(rf"(?P<mark>q[12]{_APART})(?P<name>.+)", re.IGNORECASE),
    re.compile(rf"(?P<name>.+?)(?P<mark>\s*[(\[]q[12][)\]]|{_APART}q[12])", re.IGNORECASE),
)
"""How the name of a column tells its question, where the user does not say how."""
_NUMBERED: Final = re.compile(rf"q\d+{_APART}.+|.+?(\s*[(\[]q\d+[)\]]|{_APART}q\d+)", re.IGNORECASE)
"""The name of a column with the number of a question, such as Qualtrics gives."""


UNWEIGHTED: Final = "a table without it, as ratings have no weights"


class _Column(NamedTuple):
    """A column of ratings: its name, its question, and what of its name tells the statement."""

    column: str
    question: str
    name: str


class _Way(NamedTuple):
    """A way in which columns name statements, whether it is sure, and the statements that it finds."""

    said: str
    sure: bool
    found: dict[str, int]


def is_wide(table: Table, reading: Reading) -> bool:
    """Tell whether a table has a row for each person: its columns are named for it, or the user says so."""
    if reading.patterns:
        return True
    names = {*table.frame.columns}
    marked = any(mark.fullmatch(name) for name in names for mark in MARKS)
    return marked and not names & {"statement_id", "statement", *QUESTIONS}


def read_wide(table: Table, statements: pl.DataFrame | None, reading: Reading) -> Read[pl.DataFrame]:
    """Read a wide table as if each rating had a row.

    A column is a statement's by its text, by what the file says was asked there (exports of Qualtrics and SPSS do), by
    its id, or by a column of the statements. A table without a column of names has numbers for its people.

    Parameters
    ----------
    table : Table
    statements : DataFrame, optional
        All statements that there are.
    reading : Reading

    Raises
    ------
    InputError
        For columns that can be understood in two ways or in none, two columns for one statement and question, a person
        who comes twice, and a rating that is none.
    """
    patterns = reading.patterns or _marked(table)
    columns = _given(table, patterns)
    best = _statements(table, columns, statements, some_only="*" in patterns.values())
    if not reading.patterns:
        _prove_pairs(table, columns, best.found, statements)
    people, ids = person_names(table), best.found
    table.refuse_repeated(people.to_frame())
    own = [one for one in columns if one.column in ids]
    known: dict[tuple[int, str], str] = {}
    rated = []
    for one in own:
        first = known.setdefault((ids[one.column], one.question), one.column)
        if first != one.column:
            found = f"the columns {plain(first)} and {plain(one.column)} are one statement and question"
            raise _fault(table, found, "each once")
        cells = pl.DataFrame({"person": people, "rating": ratings_of(table, one.column, reading)})
        statement = pl.lit(ids[one.column], pl.Int64)
        rated.append(cells.with_columns(statement_id=statement, question=pl.lit(one.question)))
    place = pl.col("person").replace_strict({name: row for row, name in enumerate(people)})
    frame = by_question(rated).sort(place, maintain_order=True)
    said = (
        f"a wide table: {len(people):,} people × {counted(len({*ids.values()}), 'statement')},"
        f" {' and '.join(f'{question} by {pattern}' for question, pattern in patterns.items())}; statements {best.said}"
        f" ({', '.join(table.how)})"
    )
    taken = {*(one.column for one in own), person_column(table) or ""}
    dropped = table.left_out(taken, UNWEIGHTED)
    if silent := people.filter(~people.is_in(frame["person"].implode())).to_list():
        dropped = (*dropped, f"people without a rating ({len(silent):,}): {some(silent)}")
    return Read(frame, said, dropped)


def by_question(ratings: Iterable[pl.DataFrame]) -> pl.DataFrame:
    """Put ratings of both questions side by side, and leave out statements and persons without any.

    Parameters
    ----------
    ratings : iterable of DataFrame
        With the columns statement_id, person, question and rating.

    Returns
    -------
    DataFrame
        As :func:`~probsense.tasks.judgments.people.answers.read_people` returns it, in order of appearance.
    """
    sides = (pl.col("rating").filter(pl.col("question") == name).first().alias(name) for name in QUESTIONS)
    found = pl.concat(ratings).group_by("statement_id", "person", maintain_order=True).agg(*sides)
    return found.filter(pl.any_horizontal(pl.col(QUESTIONS).is_not_null()))


def _marked(table: Table) -> dict[str, str]:
    """Find the patterns of the names that begin or end with q1 or q2, by question."""
    found: dict[tuple[str, str], str] = {}
    for mark in MARKS:
        for name in table.frame.columns:
            if told := mark.fullmatch(name):
                question = re.sub("[^a-z0-9]", "", told["mark"].lower())
                pattern = f"{name[: told.start('name')]}*{name[told.end('name') :]}"
                found.setdefault((question, pattern), name)
    patterns = dict(sorted(found))
    if len({pattern[0] == "*" for pattern in patterns.values()}) > 1 or len(found) > len(patterns):
        first, *_, last = found.values()
        raise _fault(
            table,
            f"columns such as {plain(first)} and {plain(last)} tell q1 and q2 in several ways",
            "--columns q1=q1_*,q2=q2_* or --columns q1=*_q1,q2=*_q2, with * for the statement",
        )
    return patterns


def _given(table: Table, patterns: Mapping[str, str]) -> list[_Column]:
    """Find the columns that patterns with an asterisk name."""
    found: dict[str, _Column] = {}
    # An asterisk alone means whatever the other pattern leaves.
    for question, pattern in sorted(patterns.items(), key=lambda pair: pair[1] == "*"):
        before, _, after = pattern.partition("*")
        own = [
            name
            for name in table.frame.columns
            if len(name) > len(before + after) and name.startswith(before) and name.endswith(after)
            if name not in found or pattern != "*"
        ]
        if not own:
            hint = "a pattern of its columns, such as *_q1"
            raise InputError(f"has no column {pattern} for {question}", path=table.path, expected=hint)
        for name in own:
            if name in found:
                twice = f"the column {plain(name)} is of q1 and q2 by --columns"
                raise _fault(table, twice, "of one of them")
            found[name] = _Column(name, question, name[len(before) : len(name) - len(after)].strip())
    return [*found.values()]


def _prove_pairs(
    table: Table, columns: Sequence[_Column], ids: Mapping[str, int], statements: pl.DataFrame | None
) -> None:
    """Refuse columns that are q1 and q2 by their names alone, where the file says something else, or may say so.

    Names such as Q1_1 and Q2_1 may also be those of the first and the second of many questions.
    """
    taken = [one.column for one in columns]
    settled = "--columns q1=…,q2=…, with * for the statement in the names of columns"
    if others := [name for name in table.frame.columns if name not in taken and _NUMBERED.fullmatch(name)]:
        found = f"the columns {some(taken[:2])} are not the only ones of their kind; {some(others)}"
        raise _fault(table, f"{found} are named alike", settled)
    # Texts and codes of statements say which columns go together, and numbers do not.
    if len({one.question for one in columns}) < 2 or not all(one.name.isdecimal() for one in columns):
        return
    # Qualtrics writes what a matrix asks of all, a dash, and the item.
    items = (
        {}
        if statements is not None
        else {one: table.asked.get(one, "").rpartition(" - ")[2] for one in taken}
    )
    first, second = (
        {(one.name, ids[one.column], items.get(one.column)) for one in columns if one.question == question}
        for question in QUESTIONS
    )
    if apart := sorted({name for name, *_ in first ^ second}):
        raise _fault(table, f"q1 and q2 are not of the same statements: {some(apart)}", settled)


def _statements(
    table: Table, columns: Sequence[_Column], statements: pl.DataFrame | None, *, some_only: bool
) -> _Way:
    """Find the statement of each column, or of some columns only."""
    ways = [*_ways(table, columns, statements)]
    known = max((way.found for way in ways), key=len)
    whole = [way for way in ways if len(way.found) == len(known if some_only else columns)]
    if not known or not whole:
        one = next(one for one in columns if one.column not in known)
        hint, expected = "", "the table of the statements, with --data"
        if statements is not None:
            hint = did_you_mean(one.name, statements["statement"])
            expected = "the text or the id of a statement, or a value of a column of the statements"
        raise _fault(table, f"the column {plain(one.column)} names no statement{hint}", expected)
    best = whole[0]
    if best.sure or statements is None:
        return best
    for other in whole[1:]:
        # The first of twenty statements may be 1 by one count, and 0 by another.
        if other.found != best.found:
            raise _fault(
                table,
                f"columns name statements {best.said} and {other.said}, which differ",
                "a column statement_id among the statements, and none that numbers them otherwise",
            )
    texts = dict(statements.select("statement_id", "statement").iter_rows())
    for column, statement in best.found.items():
        if (asked := table.asked.get(column)) and texts[statement] not in asked:
            found = f"the column {plain(column)} would be statement {statement}, “{plain(texts[statement])}”"
            raise _fault(table, f"{found}, and asks “{plain(asked)}”", "the statement that it asks of")
    named = [one for one in columns if one.column in best.found]
    rows = {*texts} == {*range(len(texts))} and 0 not in best.found.values()
    if (
        len(whole) == 1
        and rows
        and all(one.name.isdecimal() and one.column not in table.asked for one in named)
    ):
        found = f"columns {some([one.name for one in columns])} may count the statements from 1, and these"
        expected = "the texts of statements, or a column of them with these numbers"
        raise _fault(table, f"{found} are counted from 0", expected)
    example = f"{plain(named[0].name)} is “{plain(texts[best.found[named[0].column]])}”"
    return best._replace(said=f"{best.said} ({example})")


def _ways(table: Table, columns: Sequence[_Column], statements: pl.DataFrame | None) -> Iterable[_Way]:
    """List the ways in which columns may name statements, the surest first."""
    if statements is None:
        found = {one.column: int(one.name) for one in columns if one.name.isdecimal()}
        yield _Way("by their ids", False, found)
        return
    ids: list[int] = statements["statement_id"].to_list()
    texts = dict(statements.select("statement", "statement_id").iter_rows())
    yield _Way("by their texts", True, _named(columns, texts))
    asked = ((one.column, _asked(table.asked.get(one.column, ""), texts)) for one in columns)
    found = {column: statement for column, statement in asked if statement is not None}
    yield _Way("by the texts of their columns", True, found)
    yield _Way("by their ids", False, _named(columns, {str(one): one for one in ids}))
    for column in statements.drop("statement_id", "statement"):
        values = None if column.dtype.is_nested() else column.cast(pl.String, strict=False)
        # Each statement has a value of its own.
        if values is not None and values.null_count() == 0 and values.is_unique().all():
            known = dict(zip(values.to_list(), ids, strict=True))
            said = f"by the column {plain(column.name)} of the statements"
            yield _Way(said, False, _named(columns, known))


def _named(columns: Sequence[_Column], known: Mapping[str, int]) -> dict[str, int]:
    return {one.column: known[one.name] for one in columns if one.name in known}


def _asked(text: str, known: Mapping[str, int]) -> int | None:
    """Find the one statement that stands in a question, in which others may be contained; None without one."""
    inside = sorted((one for one in known if one in text), key=len)
    return known[inside[-1]] if inside and all(one in inside[-1] for one in inside) else None


def person_names(table: Table) -> pl.Series:
    """Read the people's names; number the rows where the table has none."""
    column = person_column(table)
    numbers = pl.int_range(1, table.frame.height + 1, eager=True).cast(pl.String)
    return (numbers if column is None else table.texts(column, "a name")).alias("person")


def _fault(table: Table, found: str, expected: str) -> InputError:
    line = 1 if table.lines else None
    return InputError(found, path=table.path, line=line, expected=expected)
