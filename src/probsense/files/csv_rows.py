"""Rows of CSV, each with the line on which it begins: comma, UTF-8, quotes as spreadsheets write them."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from probsense.errors import InputError, brief
from probsense.files.read import decode, read_bytes


def read_csv_rows(path: Path, data: bytes | None = None) -> Iterator[tuple[int, list[str]]]:
    """Read the rows of a CSV that have cells; the first of them is the header.

    Parameters
    ----------
    path : Path
        Plain, ``.bz2`` or ``.gz``.
    data : bytes, optional
        The content of the file, if it has been read.

    Yields
    ------
    (int, list of str)
        The line from 1 on which the row begins, and its cells.

    Raises
    ------
    InputError
        For a file that cannot be read, is not UTF-8 or no valid CSV, and for a row with more or fewer cells than the
        first.
    """
    text = decode(path, read_bytes(path) if data is None else data, "CSV")
    rows = csv.reader(io.StringIO(text, newline=""), strict=True)
    line, width = 1, 0
    try:
        for row in rows:
            if row:
                width = width or len(row)
                if len(row) != width:
                    raise InputError(
                        f"{len(row)} cells", path=path, line=line, expected=f"{width}, as many as columns"
                    )
                yield line, row
            line = rows.line_num + 1
    except csv.Error as error:
        raise InputError(f"not valid CSV: {error}", path=path, line=line) from None


def read_csv(path: Path) -> tuple[list[str], Iterator[tuple[int, dict[str, str]]]]:
    """Read a CSV with a header.

    Parameters
    ----------
    path : Path
        Plain, ``.bz2`` or ``.gz``.

    Returns
    -------
    list of str
        Its columns; none where the file is empty.
    iterator of (int, dict)
        The line from 1 on which a row begins, and its cells by column.

    Raises
    ------
    InputError
        For a column that stands twice, and as :func:`read_csv_rows`, also while the rows are read.
    """
    rows = read_csv_rows(path)
    line, columns = next(rows, (1, []))
    check_columns(path, columns, line)
    return columns, ((number, dict(zip(columns, row, strict=True))) for number, row in rows)


def check_columns(path: Path, columns: list[str], line: int = 1) -> None:
    """Refuse a header in which a column stands twice, or whose cells are not separated by commas."""
    if len(columns) == 1:
        for separator, called in ((";", "semicolons"), ("\t", "tabs")):
            if separator in columns[0]:
                raise InputError(f"cells are separated by {called}", path=path, line=line, expected="commas")
    for name, times in Counter(columns).most_common(1):
        if times > 1:
            raise InputError(f"the column {brief(name)} stands twice", path=path, line=line)
