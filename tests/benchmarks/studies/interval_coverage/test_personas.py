"""The study of personas' intervals draws what it says, and counts how often they hold the truth."""

from __future__ import annotations

import pytest

import personas as study


def test_the_table_has_a_row_for_personas_and_one_for_people(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(study, "DESIGNS", (study.Design(24, 20, 30, 30),))
    monkeypatch.setattr(study, "LARGE", study.Design(40, 40, 40, 40))
    monkeypatch.setattr("sys.argv", ["", "--studies", "3"])
    study.main()
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "| | 24 × 20 × 30, 30 |"
    assert [line.split(" | ")[0] for line in lines[2:]] == ["| model", "| people"]
