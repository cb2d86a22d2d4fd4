"""Reading files that are packed, and packed files that are broken."""

from __future__ import annotations

import bz2
import gzip
from pathlib import Path

import pytest

from probsense.errors import InputError
from probsense.files import read_bytes, read_jsonl

LINES = b'{"a": 1}\n\n{"a": 2}\n' * 50


@pytest.mark.parametrize(
    ("name", "pack"), [("x.jsonl", bytes), ("x.jsonl.gz", gzip.compress), ("x.jsonl.bz2", bz2.compress)]
)
def test_packed_files_read_as_plain_ones(tmp_path: Path, name: str, pack: object) -> None:
    (tmp_path / name).write_bytes(pack(LINES))  # type: ignore[operator]
    assert read_bytes(tmp_path / name) == LINES
    assert [record["a"] for _, record in read_jsonl(tmp_path / name)] == [1, 2] * 50


@pytest.mark.parametrize("suffix", [".gz", ".bz2"])
@pytest.mark.parametrize("harm", ["cut", "torn"])
def test_a_broken_packed_file_is_one_error(tmp_path: Path, suffix: str, harm: str) -> None:
    whole = (gzip.compress if suffix == ".gz" else bz2.compress)(LINES)
    broken = whole[:-8] if harm == "cut" else whole[:12] + bytes(255 - b for b in whole[12:24]) + whole[24:]
    path = tmp_path / f"x.jsonl{suffix}"
    path.write_bytes(broken)
    with pytest.raises(InputError, match="cannot be read"):
        read_bytes(path)
    with pytest.raises(InputError):
        list(read_jsonl(path))
