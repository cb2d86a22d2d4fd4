"""Rows of CSV with the lines on which they begin."""

from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probsense.core.errors import InputError
from probsense.core.files import read_csv, read_csv_rows

CELLS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=6)


def test_rows_come_with_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress('\ufeffa," b "\r\n\r\n"1\n2",x\r\n3,\r\n'.encode()))
    columns, rows = read_csv(path)
    assert columns == ["a", "b"]
    assert list(rows) == [(3, {"a": "1\n2", "b": "x"}), (5, {"a": "3", "b": ""})]
    assert [line for line, _ in read_csv_rows(path)] == [1, 3, 5]


def test_an_empty_file_has_no_columns(tmp_path: Path) -> None:
    (tmp_path / "a.csv").touch()
    columns, rows = read_csv(tmp_path / "a.csv")
    assert (columns, list(rows)) == ([], [])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"a,a\n", r"a\.csv, line 1: the column 'a' stands twice"),
        (b"\na, a\n", r"a\.csv, line 2: the column 'a' stands twice"),
        (b"a,b\n\n1\n", r"a\.csv, line 3: 1 cells \(expected 2, as many as columns\)"),
        (b'a,b\n1,"2\n', r"a\.csv, line 2: not valid CSV"),
        (b'a,b\n1,"2"3\n', r"a\.csv, line 2: not valid CSV"),
        (b"a,b\n1,2\n\xff,\0\n", r"a\.csv, line 3: not UTF-8 text \(expected text\)"),
    ],
)
def test_what_is_wrong_has_its_line(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        list(read_csv(path)[1])


@given(st.lists(st.lists(CELLS, min_size=2, max_size=2), min_size=1, max_size=5))
def test_what_a_spreadsheet_writes_is_read_back(rows: list[list[str]]) -> None:
    stream = io.StringIO(newline="")
    csv.writer(stream, quoting=csv.QUOTE_ALL).writerows(rows)
    assert [row for _, row in read_csv_rows(Path("a.csv"), stream.getvalue().encode())] == rows


@given(st.binary() | st.text().map(str.encode))
def test_any_bytes_are_rows_or_one_line(fault_of: Callable[[Callable[[], object]], str], data: bytes) -> None:
    fault_of(lambda: list(read_csv_rows(Path("a.csv"), data)))
