"""Reads tables from CSV, TSV, Parquet, JSON lines or XLSX, with the line on which each of their rows begins."""

from __future__ import annotations

import io
import json
import re
from collections import deque
from collections.abc import Iterator
from importlib.util import find_spec
from itertools import islice
from pathlib import Path

import polars as pl

from probsense.core.errors import InputError, brief
from probsense.core.files.csv_rows import column_names, distinct_names, read_csv_rows, separator_of
from probsense.core.files.read import kind_of, open_bytes, read_bytes, read_jsonl

_SURROGATE = re.compile("[\ud800-\udfff]")


def read_frame(path: Path) -> pl.DataFrame:
    """Read a table of any kind, without its empty rows.

    Parameters
    ----------
    path : Path
        CSV or TSV (UTF-8, with a header), Parquet, JSON lines or XLSX (its first sheet), by its ending.

    Returns
    -------
    DataFrame
        All columns of CSV, TSV, JSON lines and XLSX are strings; null where there is nothing. The names of columns have
        no white space around them.

    Raises
    ------
    InputError
        For another ending, a file that cannot be read, is not UTF-8 or holds no rows, a row with more or fewer cells
        than the header, a column that stands twice, and for XLSX where no reader of it is installed.
    """
    readers = {
        ".csv": _csv,
        ".tsv": _csv,
        ".parquet": _parquet,
        ".jsonl": _jsonl,
        ".ndjson": _jsonl,
        ".xlsx": _xlsx,
    }
    kind = kind_of(path)
    if kind not in readers:
        open_bytes(path).close()  # Tells of a folder, and where there is nothing.
        raise InputError(
            "no known kind of table",
            path=path,
            expected="a table: .csv, .tsv, .parquet, .jsonl or .xlsx, packed (.gz, .bz2) or not",
        )
    frame = readers[kind](path)
    frame.columns = distinct_names(path, frame.columns)
    if frame.width:
        frame = frame.filter(~pl.all_horizontal(pl.all().is_null()))
    if frame.is_empty():
        raise InputError("holds no rows", path=path)
    return frame


def line_of(path: Path, row: int) -> int | None:
    """Return the line on which a row (from 0) of :func:`read_frame` begins; None where there are no lines."""
    return next(islice(_lines(path), row, None), None)


def _parquet(path: Path) -> pl.DataFrame:
    data = read_bytes(path)
    try:
        return pl.read_parquet(data)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
        raise InputError("not a Parquet file, or a broken one", path=path) from None


def _xlsx(path: Path) -> pl.DataFrame:
    if find_spec("fastexcel") is None:
        raise InputError("XLSX needs another package", path=path, expected="pip install fastexcel, or CSV")
    data = read_bytes(path)
    try:
        # Without a schema, a cell is the text that stands in it.
        return pl.read_excel(io.BytesIO(data), sheet_id=1, engine="calamine", infer_schema_length=0)
    except Exception as error:  # whatever a broken archive raises in the package
        if isinstance(error, pl.exceptions.NoDataError):
            raise InputError("holds no rows", path=path) from None
        raise InputError("not an XLSX file, or a broken one", path=path) from None


def _csv(path: Path) -> pl.DataFrame:
    data = read_bytes(path)
    line, header = next(read_csv_rows(path, data), (1, []))
    if not header:
        raise InputError("is empty", path=path, expected="a header and rows")
    names = column_names(path, header, line)
    # Polars takes no bare CR for the end of a line.
    if data.count(b"\r") != data.count(b"\r\n"):
        return _whole_rows(path, data, names)
    separator = separator_of(path)
    try:
        frame = pl.read_csv(data, separator=separator, infer_schema=False, null_values=[""])
    except pl.exceptions.PolarsError:
        return _whole_rows(path, data, names)
    # Polars fills up short rows. Without quotes, all rows are whole if the separators add up.
    if b'"' in data or data.count(separator.encode()) != (frame.height + 1) * (frame.width - 1):
        deque(read_csv_rows(path, data), maxlen=0)
    return frame


def _whole_rows(path: Path, data: bytes, names: list[str]) -> pl.DataFrame:
    """Read the rows of a CSV as :func:`read_csv_rows` does, several times as slowly as polars."""
    cells = zip(*(row for _, row in islice(read_csv_rows(path, data), 1, None)), strict=True)
    columns = [pl.Series(name, column, pl.String) for name, column in zip(names, cells, strict=False)]
    return pl.DataFrame(columns).with_columns(pl.all().replace("", None))


def _jsonl(path: Path) -> pl.DataFrame:
    columns: dict[str, list[str | None]] = {}
    number = 0
    for line, record in read_jsonl(path):
        for name, value in record.items():
            text = value if isinstance(value, str) else None if value is None else json.dumps(value)
            if _SURROGATE.search(name + (text or "")):
                raise InputError(
                    f"{brief(name)} is {brief(value)}", path=path, line=line, expected="Unicode characters"
                )
            column = columns.setdefault(name, [])
            column += [None] * (number - len(column)) + [text or None]
        number += 1
    for column in columns.values():
        column += [None] * (number - len(column))
    return pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String()))


def _lines(path: Path) -> Iterator[int]:
    """List the lines on which the rows of a table begin; none where it has no lines."""
    kind = kind_of(path)
    if kind in (".csv", ".tsv"):
        rows = islice(read_csv_rows(path), 1, None)
        yield from (line for line, cells in rows if any(cells))
    elif kind not in (".parquet", ".xlsx"):
        records = read_jsonl(path)
        yield from (line for line, record in records if any(v not in (None, "") for v in record.values()))
