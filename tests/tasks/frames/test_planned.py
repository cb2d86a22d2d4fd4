"""Plans of frames: pools of evaluated frames give what whole studies give."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from probsense.analysis.open_answers.evaluator import overall
from probsense.analysis.open_answers.settings import ComparisonSettings
from probsense.core.errors import InputError
from probsense.tasks.frames import planned
from probsense.tasks.frames.planned import FramesStudy, Imagined, plan


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw few frames, to keep to seconds."""
    for name, number in (("OF_CURVE", 12), ("OF_WIDTH", 20), ("OF_POWER", 60)):
        monkeypatch.setattr(planned, name, number)
    monkeypatch.setattr(planned, "FAST", ComparisonSettings(draws=20, splits=10, repeats=2))


def test_the_farther_apart_the_larger_the_distance() -> None:
    """Models that answer as people do are near 0, and others rise."""
    drawn = Imagined(8, 0.5, 0.3).evaluated(
        15,
        40,
        40,
        np.array([0.0, 0.5, 1.0]),
        ComparisonSettings(draws=0, splits=20),
        np.random.default_rng(1),
    )
    found = [overall(own, ComparisonSettings(draws=0))["normalised"].value for own in drawn]
    assert found[0] == pytest.approx(0, abs=0.06)
    assert found == sorted(found)
    assert found[2] > 0.2


def test_widths_fall_and_power_rises_with_frames() -> None:
    """As the square root of the number of frames."""
    study, rng = plan(people=[20], expected=0.15).settings[0].study, np.random.default_rng(0)
    few, many = (np.diff(study.intervals(n, 30, rng)).mean() for n in (20, 180))
    assert few == pytest.approx(3 * many, rel=0.3)
    weak, strong = ((study.p_values(n, 0.03, 2, 60, rng) < 0.05).mean() for n in (15, 150))
    assert weak < strong
    assert strong > 0.5


def test_no_difference_is_found_as_often_as_promised() -> None:
    """Five times in a hundred, though models differ on single frames."""
    study, rng = plan(people=[20], expected=0.15).settings[0].study, np.random.default_rng(0)
    assert (study.p_values(80, 1e-9, 2, 400, rng) < 0.05).mean() == pytest.approx(0.05, abs=0.035)


def test_settings_are_all_combinations() -> None:
    """Of people and samples; a single number of samples goes without saying."""
    found = plan(people=[20, 50], samples=[10, 100]).settings
    assert [setting.given for setting in found] == [
        {"people": n, "samples": m} for n in (20, 50) for m in (10, 100)
    ]
    assert plan(people=[20]).settings[0].given == {"people": 20}
    assert found[0].study.counts(30) == {"people's answers": 600}


def test_pilot_gives_distributions_and_size(tmp_path: Path) -> None:
    """People's shares are those of its clusters."""
    rows = [
        {
            "id": f"f{i}",
            "context": "Somebody is at a station.",
            "slot": "goal",
            "question": "Why?",
            "clusters": {"travel": {"to travel": 8}, "meet": {"to meet somebody": 2 + i}},
        }
        for i in range(3)
    ]
    path = tmp_path / "frames.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = plan(data=path)
    study = found.settings[0].study
    assert isinstance(study, FramesStudy)
    assert study.imagined.known[0] == (0.8, 0.2)
    assert study.people == 11
    assert "clusters" not in found.assumed
    assert "3 frames of the pilot" in found.notes[0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"people": [2]}, r"2 answers of people \(expected at least 4\)"),
        ({"samples": [1]}, r"1 samples \(expected at least 2\)"),
        ({"clusters": 1}, r"1 clusters \(expected 2 to 200\)"),
        ({"evenness": 0.0}, "an evenness of 0"),
        ({"shared": 2.0}, "models that share 2"),
    ],
)
def test_impossible_assumptions_are_refused(options: dict[str, object], message: str) -> None:
    """In one line."""
    with pytest.raises(InputError, match=message):
        plan(**options)  # type: ignore[arg-type]


def test_a_value_that_no_model_has_is_refused() -> None:
    """The message says which values there are."""
    study = plan(people=[20], expected=5.0).settings[0].study
    with pytest.raises(
        InputError, match=r"Normalised 5 \(expected between -?0\.\d+, where models answer as people"
    ):
        study.intervals(20, 2, np.random.default_rng(0))
