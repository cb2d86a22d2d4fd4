"""Makes tables of rows, and holds few of the rows as Python objects at any time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any, Final

import polars as pl

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
