"""The study of pooled intervals: truths are what they say, and a study that was drawn is not drawn again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import pooled as study
from probsense.analysis.agreement.pooled.crossed import share_of_everybody


def test_true_shares_are_those_of_everybody() -> None:
    location = np.array([[-1.0, 0.5, 2.0]])
    found = study.shares_of(study.WORLDS["as modelled"], location)
    np.testing.assert_allclose(found, share_of_everybody(location[0], 0.6), atol=0.02)
    two = study.WORLDS["two cultures (70 and 30 % of people), opposed on 30 % of statements"]
    opposed = study.shares_of(two, np.array([[1.0], [-1.0]]))
    share = share_of_everybody(np.array([1.0]), 0.6)
    np.testing.assert_allclose(opposed, 0.7 * share + 0.3 * (1 - share), atol=0.02)


DESIGN = study.Design(12, 20, 6)


@pytest.mark.slow
def test_a_study_holds_the_truth_in_each_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(study, "MANY", 400)
    found = study.outcome("as modelled", DESIGN, 0)
    assert {(what, way) for what, by_way in found.items() for way in by_way} == {*study.COLUMNS}
    for held, width in (pair for by_way in found.values() for pair in by_way.values()):
        assert 0 <= held <= 1
        assert 0 < width < 1 or np.isnan(width)  # so small a study has no corrected score


def test_a_study_goes_on_where_it_was_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(study, "DESIGNS", (DESIGN,))
    drawn = []
    found: dict[str, dict[str, list[float]]] = {}
    for what, way in study.COLUMNS:
        found.setdefault(what, {})[way] = [0.9, 0.1]
    monkeypatch.setattr(study, "outcome", lambda *which: drawn.append(which) or found)
    out = tmp_path / "found.jsonl"
    for studies in (1, 2):
        arguments = ["", "--studies", str(studies), "--world", "as modelled", "--out", str(out)]
        monkeypatch.setattr("sys.argv", arguments)
        study.main()
    assert [number for _, _, number in drawn] == [0, 1]
    assert len(out.read_text().splitlines()) == 2
    row = capsys.readouterr().out.splitlines()[-1]
    assert row.startswith("| as modelled: 12 × 20, 6 |")
    assert row.endswith("| 2 |")
