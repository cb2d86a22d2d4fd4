"""Reads tables of any kind: CSV, TSV, XLSX, SPSS, Parquet and JSON lines, as programs and questionnaires write them."""

from __future__ import annotations

import io
import json
import re
from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import polars as pl

from probsense.core.errors import InputError, brief
from probsense.core.files.csv_rows import (
    SEPARATORS,
    csv_rows,
    decoded,
    distinct_names,
    found_separator,
    read_csv_rows,
)
from probsense.core.files.read import kind_of, open_bytes, read_bytes, read_jsonl
from probsense.core.files.table import NO_VALUE, Table
from probsense.core.registry import install

__all__ = ["KINDS", "NO_VALUE", "Table", "read_table"]

_SURROGATE = re.compile("[\ud800-\udfff]")
_IMPORT_ID = r'^\{\s*"ImportId"\s*:.*\}$'
"""What stands in every cell of the third row of an export of Qualtrics."""


def read_table(path: Path) -> Table:
    """Read a table of any kind, without its empty rows.

    Parameters
    ----------
    path : Path
        By its ending CSV or TSV, Parquet, JSON lines, XLSX (its first sheet) or SPSS; packed (``.gz``, ``.bz2``) or
        not. The cells of CSV are separated by commas, semicolons or tabs. With semicolons or tabs, a comma between
        digits is a decimal comma. The text is UTF-8, UTF-16 with its mark, or Latin-1. The two rows that Qualtrics
        writes below the names of columns are none of the rows of the table.

    Returns
    -------
    Table
        All columns are strings, except those of Parquet. The names of columns have no white space around them.

    Raises
    ------
    InputError
        For another ending, a file that cannot be read, is no text or holds no rows, a row with more or fewer cells than
        the header, cells that can be separated in two ways, a column that stands twice, and for XLSX and SPSS where no
        reader of it is installed.
    """
    kind = kind_of(path)
    if kind not in _READERS:
        open_bytes(path).close()  # Tells of a folder, and where there is nothing.
        raise InputError(
            "no known kind of table",
            path=path,
            expected="a table: .csv, .tsv, .txt, .xlsx, .sav, .parquet or .jsonl, packed (.gz, .bz2) or not",
        )
    table = _READERS[kind](path)
    frame = table.frame
    frame.columns = distinct_names(path, frame.columns)
    if frame.width:
        frame = frame.filter(~pl.all_horizontal(pl.all().is_null()))
    table = _below_headers(replace(table, frame=frame))
    if table.frame.is_empty():
        raise InputError("holds no rows", path=path)
    return table


def _below_headers(table: Table) -> Table:
    """Take what Qualtrics writes below the names of columns for what it is: what was asked, and ids of its own."""
    frame = table.frame
    more = _further_headers(frame)
    if not more:
        return table
    return replace(
        table,
        frame=frame.slice(more),
        how=(*table.how, f"with the {('two', 'three')[more - 1]} header rows of Qualtrics"),
        asked={name: text.strip() for name, text in frame.row(0, named=True).items() if text},
        lines=lambda: islice(table.lines(), more, None),
    )


def _further_headers(frame: pl.DataFrame) -> int:
    """Count the header rows of Qualtrics below the first; the last of three is often deleted by hand."""
    if frame.is_empty() or any(dtype != pl.String for dtype in frame.dtypes):
        return 0
    ids = pl.Series(frame.row(1), dtype=pl.String).drop_nulls() if frame.height > 1 else pl.Series([""])
    if not ids.is_empty() and ids.str.contains(_IMPORT_ID).all():
        return 2
    return int("ResponseId" in frame.columns and frame["ResponseId"][0] == "Response ID")


def _parquet(path: Path) -> Table:
    data = read_bytes(path)
    try:
        return Table(path, pl.read_parquet(data), ("Parquet",))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
        raise InputError("not a Parquet file, or a broken one", path=path) from None


def _xlsx(path: Path) -> Table:
    if find_spec("fastexcel") is None:
        raise InputError("XLSX needs another package", path=path, expected=f"{install('tables')}, or CSV")
    import fastexcel

    data = read_bytes(path)
    try:
        sheets = fastexcel.read_excel(data).sheet_names
        # Without a schema, a cell is the text that stands in it.
        frame = pl.read_excel(io.BytesIO(data), sheet_id=1, engine="calamine", infer_schema_length=0)
    except Exception as error:  # whatever a broken archive raises in the package
        if isinstance(error, pl.exceptions.NoDataError):
            raise InputError("holds no rows", path=path) from None
        raise InputError("not an XLSX file, or a broken one", path=path) from None
    of = f", the sheet {brief(sheets[0])} alone of {len(sheets)}" if len(sheets) > 1 else ""
    return Table(path, frame, (f"XLSX{of}",))


def _sav(path: Path) -> Table:
    frame, texts = read_sav(path)
    return Table(path, frame, ("SPSS, with values by their labels",), texts)


def _csv(path: Path) -> Table:
    data = read_bytes(path)
    text, encoding = decoded(path, data)
    if encoding != "UTF-8":
        data = text.encode()
    separator = found_separator(path, text)
    line, header = next(csv_rows(path, text, separator), (1, []))
    if not header:
        raise InputError("is empty", path=path, expected="a header and rows")
    names = distinct_names(path, header, line)
    return Table(
        path,
        _csv_frame(path, data, text, separator, names),
        (f"CSV separated by {SEPARATORS[separator]}", *([] if encoding == "UTF-8" else [f"in {encoding}"])),
        commas=separator != ",",
        lines=partial(_csv_lines, path),
    )


def _csv_frame(path: Path, data: bytes, text: str, separator: str, names: list[str]) -> pl.DataFrame:
    """Read CSV by polars, which is fast, where it can be sure that each row is whole."""
    # Polars takes no bare CR for the end of a line.
    if data.count(b"\r") != data.count(b"\r\n"):
        return _whole_rows(path, text, separator, names)
    try:
        frame = pl.read_csv(data, separator=separator, infer_schema=False, null_values=[""])
    except pl.exceptions.PolarsError:
        return _whole_rows(path, text, separator, names)
    # Polars fills up short rows. Without quotes, all rows are whole if the separators add up.
    if b'"' in data or data.count(separator.encode()) != (frame.height + 1) * (frame.width - 1):
        deque(csv_rows(path, text, separator), maxlen=0)
    return frame


def _whole_rows(path: Path, text: str, separator: str, names: list[str]) -> pl.DataFrame:
    """Read the rows of a CSV as :func:`csv_rows` does, several times as slowly as polars."""
    cells = zip(*(row for _, row in islice(csv_rows(path, text, separator), 1, None)), strict=True)
    columns = [pl.Series(name, column, pl.String) for name, column in zip(names, cells, strict=False)]
    return pl.DataFrame(columns).with_columns(pl.all().replace("", None))


def _csv_lines(path: Path) -> Iterator[int]:
    """List the lines on which the rows of a CSV begin, read again."""
    return (line for line, cells in islice(read_csv_rows(path), 1, None) if any(cells))


def _jsonl(path: Path) -> Table:
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
    frame = pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String()))
    return Table(path, frame, ("JSON lines",), lines=partial(_jsonl_lines, path))


def _jsonl_lines(path: Path) -> Iterator[int]:
    """List the lines on which the rows of JSON lines begin, read again."""
    return (line for line, record in read_jsonl(path) if any(v not in (None, "") for v in record.values()))


_READERS: Final = {
    ".csv": _csv,
    ".tsv": _csv,
    ".txt": _csv,
    ".xlsx": _xlsx,
    ".sav": _sav,
    ".parquet": _parquet,
    ".jsonl": _jsonl,
    ".ndjson": _jsonl,
}
KINDS: Final = (*_READERS,)
"""Endings of files that hold tables."""


def read_sav(path: Path) -> tuple[pl.DataFrame, dict[str, str]]:
    """Read a ``.sav`` file.

    Parameters
    ----------
    path : Path
        Plain, ``.bz2`` or ``.gz``.

    Returns
    -------
    DataFrame
        All columns are strings: the label of a value that has one, and else the value. What SPSS takes for missing, as
        its system or the user says, is null.
    dict of str to str
        The labels of the columns that have one.

    Raises
    ------
    InputError
        If the package that reads such files is missing, or cannot read the file.
    """
    if find_spec("pyreadstat") is None:
        raise InputError("SPSS needs another package", path=path, expected=f"{install('tables')}, or CSV")
    import pyreadstat

    data = read_bytes(path)
    with TemporaryDirectory() as folder:  # The package reads files by their paths alone.
        plain = Path(folder) / "table.sav"
        plain.write_bytes(data)
        try:
            columns, about = pyreadstat.read_sav(str(plain), output_format="dict")
        except Exception:  # whatever a broken file raises in the package
            raise InputError("not an SPSS file, or a broken one", path=path) from None
    labels = about.variable_value_labels
    frame = pl.DataFrame(
        [
            pl.Series(name, [_text(value, labels.get(name, {})) for value in column], pl.String)
            for name, column in columns.items()
        ]
    )
    return frame, {name: text.strip() for name, text in about.column_names_to_labels.items() if text}


def _text(value: Any, labels: dict[Any, str]) -> str | None:
    if value is None or value != value:
        return None
    if value in labels:
        return labels[value]
    return str(int(value) if isinstance(value, float) and value.is_integer() else value) or None
