"""Rows of CSV with the lines on which they begin, and text in the encodings that programs write tables in."""

import codecs
import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probsense.core.errors import InputError
from probsense.core.files import read_csv
from probsense.core.files.csv_rows import LATIN, decoded
from probsense.core.files.tables import read_table

CELLS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=6)


def test_rows_come_with_their_lines(tmp_path):
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress('\ufeffa," b "\r\n\r\n"1\n2",x\r\n3,\r\n'.encode()))
    columns, rows = read_csv(path)
    assert columns == ["a", "b"]
    assert list(rows) == [(3, {"a": "1\n2", "b": "x"}), (5, {"a": "3", "b": ""})]
    path.write_bytes(gzip.compress(b""))
    assert [*map(list, read_csv(path))] == [[], []]


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
def test_what_is_wrong_has_its_line(tmp_path, content, message):
    path = tmp_path / "a.csv"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        list(read_csv(path)[1])


PATH = Path("t.csv")
TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1)
LATIN_TEXTS = st.text(st.characters(codec=LATIN, exclude_categories=["Cs", "Cc"])).map(
    lambda text: f"{text}ü"
)


@given(TEXTS)
def test_unicode_is_read_with_a_mark_and_utf_8_without(text):
    mark = "\ufeff"
    assert decoded(PATH, f"{mark}{text}".encode()) == (text, "UTF-8")
    if not text.startswith(mark):
        assert decoded(PATH, text.encode()) == (text, "UTF-8")
    for codec in ("utf-16-le", "utf-16-be"):
        assert decoded(PATH, f"{mark}{text}".encode(codec)) == (text, "UTF-16")


@given(LATIN_TEXTS)
def test_other_text_is_latin_1(text):
    data = text.encode(LATIN)
    try:
        data.decode()
    except UnicodeDecodeError:
        assert decoded(PATH, data) == (text, "Latin-1")


def test_the_line_with_the_first_accent_is_named_once(tmp_path, capsys):
    path = tmp_path / "t.csv"
    path.write_bytes("id,text\n0,Brot\n1,Käse\n".encode(LATIN))
    for _ in range(2):
        table = read_table(path)
    assert table.frame["text"].to_list() == ["Brot", "Käse"]
    assert table.how == ("CSV separated by commas", "in Latin-1")
    assert (
        capsys.readouterr().err
        == f"{path}, line 3: not UTF-8 text (expected text); the file is read as Latin-1\n"
    )


@pytest.mark.parametrize("data", [b"a,b\n\xff\0,1\n", b"\x89PNG\r\n\x1a\n", b"a\n\x81\n"])
def test_what_is_no_text_is_refused(data):
    with pytest.raises(InputError, match=r"t\.csv, line \d: not UTF-8 text"):
        decoded(PATH, data)
    with pytest.raises(InputError, match=r"holds NUL characters \(expected UTF-8, or UTF-16 with its mark\)"):
        decoded(PATH, "person".encode("utf-16-le"))
    with pytest.raises(InputError, match="not UTF-16 text, though its mark says so"):
        decoded(PATH, codecs.BOM_UTF16_LE + b"\x00\xd8")
