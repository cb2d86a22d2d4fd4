"""Reads tables of any kind: CSV, TSV, XLSX, SPSS, Parquet and JSON, as programs and questionnaires write them."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.util import find_spec
from itertools import chain, islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

import polars as pl

from probsense.core.errors import InputError, brief
from probsense.core.files.csv_rows import SEPARATORS, csv_rows, decoded, distinct_names, found_separator
from probsense.core.files.place import Place
from probsense.core.files.read import kind_of, open_bytes, read_bytes, read_json, read_jsonl
from probsense.core.files.table import NO_VALUE, Table
from probsense.core.registry import install

__all__ = ["KINDS", "NO_VALUE", "Table", "read_table"]

Rows: TypeAlias = Iterable[tuple[int | None, Sequence[str | None]]]
"""The cells of each row, with the line on which it begins; None where the file has no lines."""

_SURROGATE = re.compile("[\ud800-\udfff]")
_IMPORT_ID = re.compile(r'\{\s*"ImportId"\s*:.*\}')
"""What stands in every cell of the third row of an export of Qualtrics."""
_RESPONSE = ("Response", "Open-Ended Response")
"""What stands below a question in an export of SurveyMonkey that has one column."""
_UNNAMED = re.compile(r"^__UNNAMED__\d+$")
"""How polars calls a column of XLSX without a name."""
TWO_HEADERS = "with the two header rows of SurveyMonkey"


def read_table(path: Path) -> Table:
    """Read a table of any kind, without its empty rows.

    Parameters
    ----------
    path : Path
        By its ending CSV or TSV, Parquet, JSON lines or an array of JSON, XLSX (its first sheet) or SPSS; packed
        (``.gz``, ``.bz2``) or not. The cells of CSV are separated by commas, semicolons or tabs. With semicolons or
        tabs, a comma between digits is a decimal comma. The text is UTF-8, UTF-16 with its mark, or Latin-1. The two
        rows that Qualtrics writes below the names of columns, and the one that SurveyMonkey does, are none of the rows
        of the table.

    Returns
    -------
    Table
        All columns are strings, except those of Parquet; what is nested in a cell is JSON. The names of columns have no
        white space around them.

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
            expected="a table: .csv, .tsv, .txt, .xlsx, .sav, .parquet, .jsonl or .json, packed (.gz, .bz2) or not",
        )
    table = _below_headers(_READERS[kind](path))
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
        lines=table.lines[more:],
    )


def _further_headers(frame: pl.DataFrame) -> int:
    """Count the header rows of Qualtrics below the first; the last of three is often deleted by hand."""
    if frame.is_empty() or any(dtype != pl.String for dtype in frame.dtypes):
        return 0
    ids = [cell for cell in frame.row(1) if cell] if frame.height > 1 else []
    if ids and all(map(_IMPORT_ID.fullmatch, ids)):
        return 2
    return int("ResponseId" in frame.columns and frame["ResponseId"][0] == "Response ID")


def _of_rows(
    path: Path, names: Iterable[str], rows: Rows, *how: str, at: int | None = None, **known: Any
) -> Table:
    """Make a table of the rows that have cells, below a header at a line.

    What is known of it besides are attributes of :class:`Table`.
    """
    names = distinct_names(path, names, at)
    given = [(line, row) for line, row in rows if any(row)]
    frame = pl.DataFrame([row for _, row in given], dict.fromkeys(names, pl.String()), orient="row")
    lines = [line for line, _ in given if line is not None]
    return Table(path, frame.with_columns(pl.all().replace("", None)), how, lines=lines, **known)


def _of_sheet(path: Path, names: Sequence[str], rows: Iterator[Any], *how: str, **known: Any) -> Table:
    """Make a table of what has one header row, or the two of SurveyMonkey.

    There, a question stands above the first of its columns alone, and what is asked in each column below.
    """
    first = [*islice(rows, 1)]
    below: Sequence[str | None] = first[0][1] if first else ()
    if not {*_RESPONSE} & {*below} or below[0]:
        return _of_rows(path, names, chain(first, rows), *how, **known)
    found: list[str] = []
    question = ""
    for name, part in zip(names, below, strict=True):
        question = _UNNAMED.sub("", name).strip() or question
        found.append(f"{question} [{part.strip()}]" if part and part not in _RESPONSE else question)
    return _of_rows(path, found, rows, *how, TWO_HEADERS, **known)


def _parquet(path: Path) -> Table:
    data = read_bytes(path)
    try:
        frame = pl.read_parquet(data)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
        raise InputError("not a Parquet file, or a broken one", path=path) from None
    frame.columns = distinct_names(path, frame.columns)
    if frame.width:
        frame = frame.filter(~pl.all_horizontal(pl.all().is_null()))
    nested = [name for name, kind in frame.schema.items() if kind.is_nested()]
    texts = [
        pl.Series(name, [one and json.dumps(one, default=str) for one in frame[name].to_list()], pl.String)
        for name in nested
    ]
    return Table(path, frame.with_columns(texts), ("Parquet",))


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
    return _of_sheet(path, frame.columns, ((None, row) for row in frame.iter_rows()), f"XLSX{of}")


def _sav(path: Path) -> Table:
    """Read a file of SPSS: labels of values, and values that have none; null for what SPSS takes for missing."""
    if find_spec("pyreadstat") is None:
        raise InputError("SPSS needs another package", path=path, expected=f"{install('tables')}, or CSV")
    import pyreadstat

    data = read_bytes(path)
    with TemporaryDirectory() as folder:  # The package reads files by their paths alone.
        plain = Path(folder) / "table.sav"
        plain.write_bytes(data)
        try:
            columns, about = pyreadstat.read_sav(str(plain), output_format="dict", user_missing=True)
        except Exception:  # whatever a broken file raises in the package
            raise InputError("not an SPSS file, or a broken one", path=path) from None
    texts, listed = [], {}
    for name, column in columns.items():
        missing = about.missing_ranges.get(name, ())
        own = {
            value: label
            for value, label in sorted(about.variable_value_labels.get(name, {}).items())
            if not _is_missing(value, missing)
        }
        listed[name] = [*own.values()]
        texts.append([None if _is_missing(value, missing) else _text(value, own) for value in column])
    rows = ((None, row) for row in zip(*texts, strict=True))
    asked = {name: text.strip() for name, text in about.column_names_to_labels.items() if text}
    how = "SPSS, with values by their labels"
    return _of_rows(path, columns, rows, how, asked=asked, labels=listed)


def _is_missing(value: Any, ranges: Iterable[Any]) -> bool:
    """Tell whether SPSS takes a value for missing, as its system or the user says."""
    if value is None or value != value:
        return True
    return any(one["lo"] <= value <= one["hi"] for one in ranges if isinstance(value, type(one["lo"])))


def _text(value: Any, labels: Mapping[Any, str]) -> str | None:
    if value in labels:
        return labels[value]
    return str(int(value) if isinstance(value, float) and value.is_integer() else value) or None


def _csv(path: Path) -> Table:
    text, encoding = decoded(path, read_bytes(path))
    separator = found_separator(path, text)
    rows = csv_rows(path, text, separator)
    line, header = next(rows, (1, []))
    if not header:
        raise InputError("is empty", path=path, expected="a header and rows")
    how = [f"CSV separated by {SEPARATORS[separator]}", *([] if encoding == "UTF-8" else [f"in {encoding}"])]
    return _of_sheet(path, header, rows, *how, at=line, commas=separator != ",")


def _jsonl(path: Path) -> Table:
    return _of_records(path, read_jsonl(path), "JSON lines")


def _json(path: Path) -> Table:
    place = Place(path)
    records = place.entries(read_json(path), of="records")
    return _of_records(
        path, ((None, place.inside(at).mapping(one)) for at, one in enumerate(records)), "JSON"
    )


def _of_records(path: Path, records: Iterable[tuple[int | None, Mapping[str, Any]]], how: str) -> Table:
    """Make a table of objects of JSON, each with its line; a value that is no text is JSON."""
    names: dict[str, None] = {}
    rows = []
    for line, record in records:
        texts = {}
        for name, value in record.items():
            # Python writes NaN where there is nothing.
            absent = value is None or value != value
            text = value if isinstance(value, str) else None if absent else json.dumps(value)
            if _SURROGATE.search(name + (text or "")):
                raise InputError(
                    f"{brief(name)} is {brief(value)}", path=path, line=line, expected="Unicode characters"
                )
            texts[name] = text
        names |= dict.fromkeys(texts)
        rows.append((line, texts))
    return _of_rows(path, names, ((line, [texts.get(name) for name in names]) for line, texts in rows), how)


_READERS = {
    ".csv": _csv,
    ".tsv": _csv,
    ".txt": _csv,
    ".xlsx": _xlsx,
    ".sav": _sav,
    ".parquet": _parquet,
    ".jsonl": _jsonl,
    ".ndjson": _jsonl,
    ".json": _json,
}
KINDS = (*_READERS,)
"""Endings of files that hold tables."""
