"""Reads the statements to judge, with all that is known about each."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from probsense.core.files.tables import Table, read_table
from probsense.tasks.judgments.columns import MOST_SAY, check_most

_EXPECTED = "a column statement"


def read_statements(path: Path) -> pl.DataFrame:
    """Read statements, any number of them and in any language.

    Parameters
    ----------
    path : Path
        A table with the column ``statement`` and, if need be, ``statement_id`` (or a column without a name, as
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
    check_most(table)
    further = table.frame.drop("statement_id", "", "statement", strict=False)
    return pl.DataFrame([ids, text, *(_typed(table, name) for name in further.columns)])


def _typed(table: Table, name: str) -> pl.Series:
    """Turn a column of texts into numbers, if they all are numbers; R's missing values are none."""
    column = table.frame[name]
    if column.dtype in (pl.String, pl.Categorical, pl.Enum):
        column = table.values(name)
        for dtype in (pl.Int64, pl.Float64):
            numbers = column.cast(dtype, strict=False)
            if numbers.null_count() == column.null_count():
                return numbers
    return column
