"""The study of sparse ratings: majorities are everybody's, and intervals hold the truth as often as it prints."""

from __future__ import annotations

import numpy as np
import pytest

import few_raters as study

OPPOSED = study.World(lambda rng, n: np.array([np.full(n, -0.5), np.full(n, 1.0)]), (0.7, 0.3))


def test_the_majority_is_that_of_everybody() -> None:
    location = np.array([[-1.0, 0.5, 2.0]])
    assert study.majority_of(study.WORLDS["as described"], location).tolist() == [0, 1, 1]
    assert study.majority_of(OPPOSED, OPPOSED.statements(np.random.default_rng(1), 2)).tolist() == [0, 0]


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
