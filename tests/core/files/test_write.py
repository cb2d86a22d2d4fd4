"""Names of files made of any text, and files that appear whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from probsense.core.errors import InputError
from probsense.core.files import writing


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
