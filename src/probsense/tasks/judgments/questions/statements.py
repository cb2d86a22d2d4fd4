"""Statements: the table of them, with all that is known of each, and the columns by which other tables name them."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Final

import polars as pl

from probsense.core.errors import InputError
from probsense.core.files.tables import Table, read_table
from probsense.tasks.judgments.questions.yes_no import RATINGS, Reading

PACKAGED: Final = Path(str(files(__package__) / "statements.csv"))
"""Forty-eight statements that come with the package."""
MOST_SAY = "most"
"""The column of the statements that tells what most people say of each."""
_SAID: Final = Reading({**RATINGS, "agree": 1, "disagree": 0, "divided": None})
_EXPECTED = "a column statement"


def statement_ids(table: Table, statements: pl.DataFrame | None = None) -> pl.Series:
    """Find the statement of each row.

    The statement stands in a column ``statement_id``, or in one without a name (as pandas writes an index), or as a
    text in a column ``statement``.

    Parameters
    ----------
    table : Table
    statements : DataFrame, optional
        Columns statement_id and statement: all statements that there are. They give the texts their ids; ids must be
        among theirs, and texts that stand beside ids must be those of the same statements.

    Returns
    -------
    Series of Int64, named "statement_id"

    Raises
    ------
    InputError
        For a table without such a column, an id that is no whole number from 0, an id or a text that is unknown, a
        text that is another statement's, and a text with several ids or an id with several texts.
    """
    name = table.column("statement_id", "", "statement", expected="the statement's id or text in each row")
    if name != "statement":
        ids = table.whole_numbers(name).alias("statement_id")
        if statements is not None:
            _check_known(table, name, ids, statements)
        elif "statement" in table.frame.columns:
            _check_pairs(table, name, ids)
        return ids
    texts = table.texts(name)
    if statements is None:
        expected = "a column statement_id, or the table of the statements, with --data"
        raise table.fault(0, "the statements are texts", expected)
    known = dict(statements.select("statement", "statement_id").iter_rows())
    found = texts.replace_strict(known, default=None, return_dtype=pl.Int64)
    table.refuse(found.is_null(), name, "one of the statements, word for word")
    return found.alias("statement_id")


def check_ids(ids: pl.Series, statements: pl.DataFrame, path: Path) -> None:
    """Refuse ids of a file if they are not among those of the statements.

    Raises
    ------
    InputError
    """
    for unknown in ids.filter(~ids.is_in(statements["statement_id"].implode())).head(1):
        raise InputError(f"statement {unknown} is unknown", path=path, expected=_known_ids(statements))


def _check_known(table: Table, name: str, ids: pl.Series, statements: pl.DataFrame) -> None:
    table.refuse(~ids.is_in(statements["statement_id"].implode()), name, _known_ids(statements))
    if "statement" in table.frame.columns:
        texts = table.texts("statement")
        theirs = ids.replace_strict(
            statements["statement_id"], statements["statement"], return_dtype=pl.String
        )
        table.refuse(texts != theirs, "statement", "the text that the statements have for its id")


def _check_pairs(table: Table, name: str, ids: pl.Series) -> None:
    """Refuse one text with several ids, and one id with several texts: numbers of rows, say, are no ids."""
    pairs = pl.DataFrame([ids, table.texts("statement").alias("statement")])
    for key, other, column in (
        ("statement", "statement_id", name),
        ("statement_id", "statement", "statement"),
    ):
        differs = pairs.select(pl.col(other) != pl.col(other).first().over(key)).to_series()
        table.refuse(differs, column, "one id for each text and one text for each id, as in the rows above")


def _known_ids(statements: pl.DataFrame) -> str:
    ids: list[int] = statements["statement_id"].to_list()
    return f"one of the statements, whose ids go from {min(ids)} to {max(ids)}"


def majority_of(statements: pl.DataFrame | None) -> pl.DataFrame:
    """Return what most people say by the column :data:`MOST_SAY` of the statements, where it says so.

    Parameters
    ----------
    statements : DataFrame or None
        As from :func:`~probsense.tasks.judgments.questions.statements.read_statements`.

    Returns
    -------
    DataFrame
        statement_id (Int64) and majority (Int8); no row without the column, and none where people are divided.
    """
    if statements is None or MOST_SAY not in statements.columns:
        return pl.DataFrame(schema={"statement_id": pl.Int64, "majority": pl.Int8})
    said = _SAID.ratings(statements[MOST_SAY].cast(pl.String)).alias("majority")
    return pl.DataFrame([statements["statement_id"], said]).drop_nulls()


def read_statements(path: Path) -> pl.DataFrame:
    """Read statements, any number of them and in any language.

    Parameters
    ----------
    path : Path
        A table with the column ``statement`` and, optionally, ``statement_id`` (or a column without a name, as
        pandas writes an index); without one, statements are numbered from 0. A column ``most`` tells what most
        people say: agree, disagree or divided. Any other columns are kept.

    Returns
    -------
    DataFrame
        statement_id (Int64), statement (String), further columns; columns of numbers are Int64 or Float64, and texts
        have no white space around them.

    Raises
    ------
    InputError
        For a file that cannot be read, a statement without text, an id or a statement that stands twice, an id that
        is no whole number from 0, another word in the column ``most``, a name such as ``Most``.
    """
    table = read_table(path)
    table.refuse_other_case("statement_id", "statement", MOST_SAY, expected=_EXPECTED)
    text = table.texts(table.column("statement", expected=_EXPECTED)).alias("statement")
    number = next((name for name in ("statement_id", "") if name in table.frame.columns), None)
    rows = pl.int_range(len(text), dtype=pl.Int64, eager=True)
    ids = (rows if number is None else table.whole_numbers(number)).alias("statement_id")
    for key in (ids, text):
        table.refuse_repeated(key.to_frame())
    if MOST_SAY in table.frame.columns:
        table.refuse(_SAID.unknown(table.figures(MOST_SAY)), MOST_SAY, "agree, disagree or divided")
    further = table.frame.drop("statement_id", "", "statement", strict=False)
    return pl.DataFrame([ids, text, *(typed(table, name) for name in further.columns)])


def typed(table: Table, name: str) -> pl.Series:
    """Turn a column of texts into numbers, if they all are numbers or R's missing ones."""
    column = table.frame[name]
    if column.dtype in (pl.String, pl.Categorical, pl.Enum):
        column, given = table.values(name), table.figures(name)
        for dtype in (pl.Int64, pl.Float64):
            numbers = table.pointed(given).cast(dtype, strict=False)
            if numbers.null_count() == given.null_count():
                return numbers
    return column
