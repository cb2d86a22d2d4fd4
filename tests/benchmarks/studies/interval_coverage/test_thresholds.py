"""The study of adaptive thresholds asks models that it makes up, and finds where they fall."""

from __future__ import annotations

import numpy as np
import pytest

import thresholds as study


@pytest.mark.parametrize("evenly", [False, True])
def test_the_interval_of_many_tuples_is_short_and_holds_the_truth(evenly: bool) -> None:
    rng = np.random.default_rng(1)
    value, low, high = study.search(study.MODELS[0], 8.0, 120, rng, evenly=evenly)
    assert low < value < high
    assert low <= 8 <= high < low + 4


def test_siblings_are_known_or_guessed_together() -> None:
    alike, rng = (
        next(model for model in study.MODELS if model.alike and model.width < 1),
        np.random.default_rng(1),
    )
    right = [study.right_answers(alike, 8.0, 8, rng, 0.0) for _ in range(2000)]
    assert np.mean(right) / 2 == pytest.approx(study.TARGET, abs=0.03)
    assert right.count(1) == pytest.approx(2000 * (1 - study.TARGET), abs=100)


def test_a_row_for_each_model_and_number_of_tuples(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(study, "MODELS", study.MODELS[:1])
    monkeypatch.setattr("sys.argv", ["", "--models", "2"])
    study.main()
    rows = capsys.readouterr().out.splitlines()[2:]
    assert [row.split(" | ")[1] for row in rows] == ["30", "60", "120"]
