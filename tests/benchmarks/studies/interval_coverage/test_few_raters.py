"""The study of sparse ratings: majorities are everybody's, and intervals hold the truth as often as it prints."""

from __future__ import annotations

import pytest

import few_raters as study


def test_the_table_has_a_row_for_each_world_and_design(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(study, "DESIGNS", (study.Design(20, 45, 12),))
    monkeypatch.setattr("sys.argv", ["", "--studies", "3"])
    study.main()
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "| | corrected | two-way bootstrap |"
    assert [line.split(":")[0] for line in lines[2:]] == [f"| {name}" for name in study.WORLDS]
    assert all(0 <= float(cell) <= 100 for line in lines[2:] for cell in line.split("|")[2:4])
