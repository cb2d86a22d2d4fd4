"""Columns that the tables of judgments share: which statement a row is about, and ratings of people."""

from __future__ import annotations

import polars as pl

from probsense.files.tables import Table


def statement_ids(table: Table, statements: pl.DataFrame | None = None) -> pl.Series:
    """The statement of each row.

    It stands in a column ``statement_id``, or in one without a name (as pandas writes an index), or as a text in
    a column ``statement``.

    Parameters
    ----------
    table : Table
    statements : DataFrame, optional
        Columns statement_id and statement: where the texts are to be found.

    Returns
    -------
    Series of Int64, named "statement_id"

    Raises
    ------
    InputError
        For a table without such a column, an id that is no whole number from 0, and a text that is unknown.
    """
    name = table.column("statement_id", "", "statement", expected="the statement's id or text in each row")
    if name != "statement":
        return table.whole_numbers(name).alias("statement_id")
    texts = table.texts(name)
    if statements is None:
        raise table.fault(0, "the statements are texts", "a column statement_id, or a file of the statements")
    known = dict(statements.select("statement", "statement_id").iter_rows())
    found = texts.replace_strict(known, default=None, return_dtype=pl.Int64)
    table.refuse(found.is_null(), name, "one of the statements, word for word")
    return found.alias("statement_id")


def ratings_of(table: Table, name: str) -> pl.Series:
    """A column of ratings: 0, 1 or nothing."""
    found = table.numbers(name)
    table.refuse(~found.is_in([0.0, 1.0]).fill_null(True), name, "0, 1 or nothing")
    return found.cast(pl.Int8)
