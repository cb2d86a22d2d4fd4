"""Names of files made of any text, and files that appear whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probsense.core.errors import InputError
from probsense.core.files import file_name, writing


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("hf:org/model-1.5", "hf-org-model-1.5"),
        ("../../etc/passwd", "etc-passwd"),
        ("a b\n(c)", "a-b-c"),
        ("gpt_4=x@y+z", "gpt_4=x@y+z"),
        ("模型", "模型"),
        ("...", ""),
    ],
)
def test_a_name_for_a_file(text: str, name: str) -> None:
    assert file_name(text) == name


@given(st.text())
def test_a_name_is_safe_and_stays_as_it_is(text: str) -> None:
    name = file_name(text)
    assert not set(name) & set('/\\:*?"<>| \n\0')
    assert not name.startswith((".", "-"))
    assert file_name(name) == name


def test_a_file_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "new" / "file"
    with writing(path) as stream:
        stream.write(b"whole")
        assert not path.exists()
    assert path.read_bytes() == b"whole"
    with pytest.raises(TypeError), writing(path) as stream:
        stream.write("no bytes")
    assert path.read_bytes() == b"whole"
    assert [entry.name for entry in path.parent.iterdir()] == ["file"]


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="cannot be written"), writing(tmp_path / "file" / "below") as stream:
        stream.write(b"")


@given(st.text(), st.text())
def test_the_beginning_of_a_name_is_told_by_the_beginning_of_its_text(start: str, rest: str) -> None:
    assert file_name(f"{start}_{rest}").startswith(file_name(f"{start}_"))
