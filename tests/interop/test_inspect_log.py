"""Tests of reading logs of inspect where inspect is not installed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from probsense.errors import InputError
from probsense.interop.inspect_log import LogReader, read_log


def test_a_log_needs_inspect(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "inspect_ai.log", None)
    path = tmp_path / "a.eval"
    path.write_bytes(b"PK")
    with pytest.raises(
        InputError,
        match=r"a\.eval: a log of inspect, which is not installed \(expected pip install 'probsense\[inspect\]'\)",
    ):
        read_log(path)


def test_logs_are_recognised_by_their_names(tmp_path: Path) -> None:
    reader = LogReader()
    assert not reader.recognises(tmp_path)
    (tmp_path / "a.eval").touch()
    assert reader.recognises(tmp_path)
    assert reader.recognises(tmp_path / "a.eval")
    assert not reader.recognises(tmp_path / "a.jsonl")
