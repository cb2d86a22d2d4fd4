"""Files of tables: CSV, Parquet or JSON lines in, a frame out, and the line on which each of its rows begins."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import polars as pl

from probsense.errors import InputError
from probsense.files import read_bytes, read_jsonl

_SURROGATE = re.compile("[\ud800-\udfff]")


def read_frame(path: Path) -> pl.DataFrame:
    """Read a table of any kind; rows with nothing in them are left out.

    Parameters
    ----------
    path : Path
        CSV (comma, UTF-8, with a header), Parquet or JSON lines, by its ending.

    Returns
    -------
    DataFrame
        Of CSV and JSON lines, all columns are strings; null where there is nothing.

    Raises
    ------
    InputError
        For another ending, a file that cannot be read, is not UTF-8 or holds no rows, a row with more or fewer cells
        than the header, and for a column that stands twice.
    """
    readers = {".csv": _csv, ".parquet": _parquet, ".jsonl": _jsonl, ".ndjson": _jsonl}
    kind = _kind(path)
    if kind not in readers:
        raise InputError(
            "of no known kind" if path.exists() else "no such file",
            path=path,
            expected="a table: .csv, .parquet or .jsonl, packed (.gz, .bz2) or not",
        )
    frame = readers[kind](path)
    if frame.width:
        frame = frame.filter(~pl.all_horizontal(pl.all().is_null()))
    if frame.is_empty():
        raise InputError("holds no rows", path=path)
    return frame


def line_of(path: Path, row: int) -> int | None:
    """The line on which a row (from 0) of :func:`read_frame` begins; None where there are no lines."""
    return next(islice(_lines(path), row, None), None)


def _kind(path: Path) -> str:
    return Path(path.name.removesuffix(".gz").removesuffix(".bz2")).suffix


def _parquet(path: Path) -> pl.DataFrame:
    try:
        return pl.read_parquet(read_bytes(path))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
        raise InputError("not a Parquet file, or a broken one", path=path) from None


def _csv(path: Path) -> pl.DataFrame:
    data = read_bytes(path)
    header = next(_rows(path, data), (1, []))[1]
    if not header:
        raise InputError("is empty", path=path, expected="a header and rows")
    ((name, times),) = Counter(header).most_common(1)
    if times > 1:
        raise InputError(f"the column {name!r} stands twice", path=path, line=1)
    try:
        frame = pl.read_csv(data, infer_schema=False, null_values=[""])
    except pl.exceptions.PolarsError as error:
        _check_rows(path, data)
        raise InputError(f"not a CSV file: {str(error).splitlines()[0]}", path=path) from None
    # Polars fills up short rows. Without quotes, all rows are whole if the commas add up.
    if b'"' in data or data.count(b",") != (frame.height + 1) * (frame.width - 1):
        _check_rows(path, data)
    return frame


def _rows(path: Path, data: bytes) -> Iterator[tuple[int, list[str]]]:
    """The rows of a CSV that have cells, each with the line on which it begins."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError("not UTF-8 text", path=path, line=line, expected="CSV") from None
    rows = csv.reader(io.StringIO(text, newline=""), strict=True)
    line = 1
    try:
        for row in rows:
            if row:
                yield line, row
            line = rows.line_num + 1
    except csv.Error as error:
        raise InputError(f"not valid CSV: {error}", path=path, line=line) from None


def _check_rows(path: Path, data: bytes) -> None:
    rows = _rows(path, data)
    width = len(next(rows, (1, []))[1])
    for line, row in rows:
        if len(row) != width:
            raise InputError(
                f"{len(row)} cells", path=path, line=line, expected=f"{width}, as many as columns"
            )


def _jsonl(path: Path) -> pl.DataFrame:
    columns: dict[str, list[str | None]] = {}
    number = 0
    for line, record in read_jsonl(path):
        for name, value in record.items():
            text = value if isinstance(value, str) else None if value is None else json.dumps(value)
            if _SURROGATE.search(name + (text or "")):
                raise InputError(
                    f"{name!a} is {ascii(value)[:60]}", path=path, line=line, expected="Unicode characters"
                )
            column = columns.setdefault(name, [])
            column += [None] * (number - len(column)) + [text or None]
        number += 1
    for column in columns.values():
        column += [None] * (number - len(column))
    return pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String()))


def _lines(path: Path) -> Iterator[int]:
    """The lines on which the rows of a table begin; none where it has no lines."""
    if _kind(path) == ".csv":
        rows = islice(_rows(path, read_bytes(path)), 1, None)
        yield from (line for line, cells in rows if any(cells))
    elif _kind(path) != ".parquet":
        records = read_jsonl(path)
        yield from (line for line, record in records if any(v not in (None, "") for v in record.values()))
