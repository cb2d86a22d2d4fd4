"""Rows of CSV and TSV, each with the line on which it begins, with quotes as spreadsheets write them, in
UTF-8, in UTF-16 or in Latin-1."""

from __future__ import annotations

import codecs
import csv
import io
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from probsense.core.errors import InputError, brief
from probsense.core.files.read import decode, kind_of, read_bytes

if TYPE_CHECKING:
    from _csv import Reader


LATIN = "windows-1252"
"""Latin-1 with the quotation marks and dashes that Windows adds where Latin-1 has control characters."""
_NO_TEXT = re.compile("[\x00-\x08\x0e-\x1f\x7f\ufffd]")
"""Control characters, and the mark of a byte that stands for nothing."""


def decoded(path: Path, data: bytes) -> tuple[str, str]:
    """Decode the text of a table: UTF-8 with or without a byte-order mark, UTF-16 with one, else Latin-1.

    A line on stderr says when a file is taken for Latin-1, since nothing in the file itself says so.

    Parameters
    ----------
    path : Path
        Names the file in errors.
    data : bytes

    Returns
    -------
    (str, str)
        The text without a mark, and the name of its encoding.

    Raises
    ------
    InputError
        For bytes that are text in none of the three.
    """
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        try:
            return data.decode("utf-16"), "UTF-16"
        except UnicodeDecodeError:
            raise InputError("not UTF-16 text, though its mark says so", path=path, expected="text") from None
    try:
        text = decode(path, data, "text")
    except InputError as error:
        latin = data.decode(LATIN, "replace")
        if _NO_TEXT.search(latin):
            raise
        _say(f"{error}; the file is read as Latin-1", path.absolute())
        return latin, "Latin-1"
    if "\0" in text:
        raise InputError("holds NUL characters", path=path, expected="UTF-8, or UTF-16 with its mark")
    return text, "UTF-8"


@cache
def _say(line: str, file: Path) -> None:
    """Print a line about a file once, however often it is read."""
    print(line, file=sys.stderr)


SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs"}


def found_separator(path: Path, text: str) -> str:
    """Find what separates the cells of a table: what makes several cells of its header, and as many of each row.

    Parameters
    ----------
    path : Path
        Its name decides where nothing else does.
    text : str

    Returns
    -------
    str
        One of :data:`SEPARATORS`.

    Raises
    ------
    InputError
        For a text that can be read with commas and with semicolons.
    """
    own = "\t" if kind_of(path) == ".tsv" else ","
    stream = io.StringIO(text, newline="")
    fitting = [separator for separator in SEPARATORS if len(_header(stream, separator)) > 1]
    if len(fitting) < 2:
        return fitting[0] if fitting else own
    whole = [separator for separator in fitting if _is_whole(stream, separator)]
    if own == "\t" and own in whole:
        return own
    if len(whole) > 1:
        ways = " or by ".join(SEPARATORS[separator] for separator in whole)
        expected = "quotes around cells with such characters, or tabs in a file whose name ends in .tsv"
        raise InputError(f"cells can be separated by {ways}", path=path, line=1, expected=expected)
    return whole[0] if whole else own if own in fitting else fitting[0]


def _header(stream: io.StringIO, separator: str) -> list[str]:
    with suppress(csv.Error):
        return next(filter(None, _rows(stream, separator)), [])
    return []


def _is_whole(stream: io.StringIO, separator: str) -> bool:
    """Tell whether all rows have as many cells as the first."""
    with suppress(csv.Error):
        return len({len(row) for row in _rows(stream, separator) if row}) == 1
    return False


def _rows(stream: io.StringIO, separator: str) -> Reader:
    stream.seek(0)
    return csv.reader(stream, delimiter=separator, strict=True)


def csv_rows(path: Path, text: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    """Split a text into the rows that have cells; the first of them is the header.

    Parameters
    ----------
    path : Path
        Names the file in errors.
    text, separator : str

    Yields
    ------
    (int, list of str)
        The line from 1 on which the row begins, and its cells.

    Raises
    ------
    InputError
        For a text that is no valid CSV, and a row with more or fewer cells than the first.
    """
    rows = _rows(io.StringIO(text, newline=""), separator)
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
        Its columns, without the white space around their names; none where the file is empty.
    iterator of (int, dict)
        The line from 1 on which a row begins, and its cells by column.

    Raises
    ------
    InputError
        For a file that cannot be read, a column that stands twice, and as
        :func:`~probsense.core.files.csv_rows.decoded`, :func:`found_separator` and :func:`csv_rows`, also while the
        rows are read.
    """
    text, _ = decoded(path, read_bytes(path))
    rows = csv_rows(path, text, found_separator(path, text))
    line, header = next(rows, (1, []))
    columns = distinct_names(path, header, line)
    return columns, ((number, dict(zip(columns, row, strict=True))) for number, row in rows)


def distinct_names(path: Path, columns: Iterable[str], line: int | None = None) -> list[str]:
    """Return the names of columns without the white space around them; refuse one that stands twice."""
    names = [name.strip() for name in columns]
    for name, times in Counter(names).most_common(1):
        if times > 1:
            raise InputError(f"the column {brief(name)} stands twice", path=path, line=line)
    return names
