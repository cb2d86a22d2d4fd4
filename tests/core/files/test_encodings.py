"""Text in the encodings that programs write tables in."""

from __future__ import annotations

import codecs
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probsense.core.errors import InputError
from probsense.core.files.encodings import LATIN, decoded
from probsense.core.files.tables import read_table

PATH = Path("t.csv")
TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1)
LATIN_TEXTS = st.text(st.characters(codec=LATIN, exclude_categories=["Cs", "Cc"])).map(
    lambda text: f"{text}ü"
)


@given(TEXTS)
def test_unicode_is_read_with_a_mark_and_utf_8_without(text: str) -> None:
    mark = "\ufeff"
    assert decoded(PATH, f"{mark}{text}".encode()) == (text, "UTF-8")
    if not text.startswith(mark):
        assert decoded(PATH, text.encode()) == (text, "UTF-8")
    for codec in ("utf-16-le", "utf-16-be"):
        assert decoded(PATH, f"{mark}{text}".encode(codec)) == (text, "UTF-16")


@given(LATIN_TEXTS)
def test_other_text_is_latin_1(text: str) -> None:
    data = text.encode(LATIN)
    try:
        data.decode()
    except UnicodeDecodeError:
        assert decoded(PATH, data) == (text, "Latin-1")


def test_the_line_with_the_first_accent_is_named_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes("id,text\n0,Brot\n1,Käse\n".encode(LATIN))
    for _ in range(2):
        table = read_table(path)
    assert table.frame["text"].to_list() == ["Brot", "Käse"]
    assert table.how == ("CSV separated by commas", "in Latin-1")
    assert capsys.readouterr().err == f"{path}, line 3: not UTF-8 text; the file is read as Latin-1\n"


@pytest.mark.parametrize("data", [b"a,b\n\xff\0,1\n", b"\x89PNG\r\n\x1a\n", b"a\n\x81\n"])
def test_what_is_no_text_is_refused(data: bytes) -> None:
    with pytest.raises(InputError, match=r"t\.csv, line \d: not UTF-8 text"):
        decoded(PATH, data)
    with pytest.raises(InputError, match="not UTF-16 text, though its mark says so"):
        decoded(PATH, codecs.BOM_UTF16_LE + b"\x00\xd8")
