"""The study of personas' intervals draws what it says, and counts how often they hold the truth."""

from __future__ import annotations

import numpy as np
import pytest

import personas as study


def test_each_study_has_every_measure() -> None:
    found = study.study(study.Design(30, 60, 80, 40), np.random.default_rng(1))
    assert {*study.MEASURES} <= {*found}
    assert found["contrast_slope"].low < 0.55 < found["contrast_slope"].high


def test_the_table_has_a_row_for_each_measure(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(study, "DESIGNS", (study.Design(12, 20, 30, 30),))
    monkeypatch.setattr(study, "LARGE", study.Design(40, 40, 40, 40))
    monkeypatch.setattr("sys.argv", ["", "--studies", "3"])
    study.main()
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "| | 12 × 20 × 30, 30 |"
    assert [line.split("`")[1] for line in lines[2:]] == [name.split()[0] for name in study.MEASURES]
    assert lines[2].endswith("% |")
