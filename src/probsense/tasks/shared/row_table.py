"""Tables row by row: made of rows, few of which are Python objects at any time, and rows that belong together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, Final, Generic, NamedTuple, TypeVar

import polars as pl

from probsense.core.errors import brief
from probsense.core.files.tables import Table

CHUNK: Final = 50_000
"""Rows that are Python objects at the same time, which take five times as much room as in a table."""


def row_table(rows: Iterable[tuple[Any, ...]], schema: Mapping[str, Any]) -> pl.DataFrame:
    """Make a table of rows, taking each of them once.

    Parameters
    ----------
    rows : iterable of tuple
        The values of the columns, in their order.
    schema : Mapping of str to data type
    """
    following = iter(rows)
    parts = [pl.DataFrame(schema=dict(schema))]
    while chunk := list(islice(following, CHUNK)):
        parts.append(pl.DataFrame(chunk, schema=dict(schema), orient="row"))
    return pl.concat(parts, rechunk=True)


Key = TypeVar("Key")


class RowGroup(NamedTuple, Generic[Key]):
    """Rows of one key, from 0, and what they say, by column."""

    key: Key
    rows: list[int]
    about: dict[str, str]


def row_groups(table: Table, keys: Iterable[Key], about: Sequence[str]) -> list[RowGroup[Key]]:
    """Put together the rows that have one key; refuse those that differ in what they say.

    Parameters
    ----------
    table : Table
    keys : iterable
        The key of each row.
    about : sequence of str
        Columns that say the same in all rows of a key, where they say something; the table need not have them.

    Raises
    ------
    InputError
        For a row that says something else than an earlier one of its key.
    """
    found: dict[Key, RowGroup[Key]] = {}
    for row, key in enumerate(keys):
        found.setdefault(key, RowGroup(key, [], {})).rows.append(row)
    for name in about:
        values = table.values(name).to_list() if name in table.frame.columns else []
        for group in found.values() if values else ():
            said = [row for row in group.rows if values[row] is not None]
            for row in said:
                if values[row] != (first := values[said[0]]):
                    differs = f"{name} is {brief(values[row])}, but {brief(first)} {table.place(said[0])}"
                    raise table.fault(row, differs, f"the same {name} in all rows of a question")
            group.about.update({name: values[said[0]]} if said else {})
    return [*found.values()]
