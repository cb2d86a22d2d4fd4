"""Plans of choices: studies are measured as runs are, and everybody's shares and models are as assumed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import probsense as ps
from probsense.analysis.human_choices.measures import model_variance, total_variation
from probsense.core.errors import InputError
from probsense.tasks.choices import planned
from probsense.tasks.choices.asking.answers import Given
from probsense.tasks.choices.data import Question
from probsense.tasks.choices.items import item_of
from probsense.tasks.choices.measures.results import measured
from probsense.tasks.choices.planned import ChoicesStudy, plan

MEASURES = ("squared_distance_corrected", "total_variation", "normalised")


def _study(**options: Any) -> ChoicesStudy:
    study = plan(**options).settings[0].study
    assert isinstance(study, ChoicesStudy)
    return study


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("samples", [[], [7]])
def test_a_study_is_measured_as_a_run(
    measure: str, samples: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same answers, made into the items of a run, have the same estimate and the same interval."""
    monkeypatch.setattr(planned, "POOL", 60)
    study = _study(measure=measure, people=[12], samples=samples, options=3)
    (pair,) = study.drawn(study.measure, [study.value], 12, np.random.default_rng(2))
    items = [
        item_of(Question(f"q{i}", "?", ("a", "b", "c"), tuple(12 * p), 12.0, cluster=f"q{i}"))
        for i, p in enumerate(pair.p)
    ]
    variance = model_variance(pair)
    given = [
        Given(q, 1.0, pair.answers[0], np.empty((0, 3)), variance=own)
        for q, own in zip(pair.q, variance, strict=True)
    ]
    results = measured(items, given, {"model": "m"}, orders=[()] * len(items))
    (expected,) = [
        e for e in results.estimates if e.measure == measure and e.by == {"model": "m"} and e.n == len(items)
    ]
    found = study._estimated(study._measured(pair))
    assert found.value == pytest.approx(expected.value, abs=1e-12)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_the_interval_covers_the_distance_from_everybody() -> None:
    """The corrected squared distance has no bias, however few people answer."""
    study, rng = _study(people=[5], expected=0.15), np.random.default_rng(0)
    ends = study.intervals(100, 400, rng)
    assert ends.mean() == pytest.approx(0.15, abs=0.01)
    assert ((ends[:, 0] <= 0.15) & (ends[:, 1] >= 0.15)).mean() == pytest.approx(0.95, abs=0.03)


@pytest.mark.parametrize("measure", MEASURES)
def test_widths_fall_and_power_rises(measure: str) -> None:
    """As the square root of the number of questions; and no difference is found five times in a hundred."""
    study, rng = _study(measure=measure, people=[20]), np.random.default_rng(0)
    few, many = (np.diff(study.intervals(n, 40, rng)).mean() for n in (40, 360))
    assert few == pytest.approx(3 * many, rel=0.2)
    weak, strong, null = (
        (study.p_values(n, apart, 2, 300, rng) < 0.05).mean()
        for n, apart in ((20, 0.04), (250, 0.04), (80, 1e-9))
    )
    assert weak < 0.4 < strong
    assert null == pytest.approx(0.05, abs=0.03)


def test_models_that_err_alike_are_easier_to_tell_apart() -> None:
    """And more people help, up to what questions differ."""
    rng = np.random.default_rng(0)
    alike, unlike = (
        (_study(people=[20], shared=shared).p_values(80, 0.03, 2, 300, rng) < 0.05).mean()
        for shared in (0.9, 0.0)
    )
    assert alike > unlike + 0.2
    few, many = (np.diff(_study(questions=100).intervals(n, 40, rng)).mean() for n in (4, 400))
    assert few > 1.5 * many


def test_a_file_tells_how_people_agree(tmp_path: Path) -> None:
    """How many options, how many people, and how even answers are, though few people agree by chance."""
    rng = np.random.default_rng(5)
    rows = ["question,text,option,count"]
    for question, shares in enumerate(rng.dirichlet([2.0] * 3, size=1500)):
        counts = rng.multinomial(6, shares)
        rows += [
            f"q{question},Which?,{name},{count}" for name, count in zip("abc", counts.tolist(), strict=True)
        ]
    path = tmp_path / "people.csv"
    path.write_text("\n".join(rows) + "\n")
    found = plan(data=path)
    assert found.assumed["evenness"] == pytest.approx(2.0, rel=0.15)
    assert found.assumed["options"] == [3]
    assert [setting.given for setting in found.settings] == [{"people": 6}]
    assert "1,500 questions of the pilot" in found.notes[0]


def test_a_run_tells_its_distance() -> None:
    """By the corrected squared distance, from which those in other measures follow; and its people."""
    run = ps.evaluate("choices", "random:1", quiet=True, store=None)
    (value,) = [
        e.value
        for e in run.summary()
        if (e.measure, dict(e.by)["model"]) == ("squared_distance_corrected", run.model)
        and not {"majority", "entropy", "group", "data"} & {*e.by}
    ]
    found = plan(pilot=[run.answered])
    assert found.value == pytest.approx(value)
    assert [setting.given for setting in found.settings] == [{"people": 50}]
    other = _study(pilot=[run.answered], measure="total_variation")
    (pair,) = other.drawn("squared_distance_corrected", [value], 2000, np.random.default_rng(0))
    assert total_variation(pair).mean() == pytest.approx(other.value, abs=0.02)


def test_a_run_of_a_model_that_is_far_off_leaves_room_for_differences(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Models are imagined up to one whose answers are all one option, drawn by chance."""
    run = ps.evaluate("choices", "random:1", method="options", quiet=True, store=None)
    monkeypatch.setattr(planned, "FAR", 0.1)
    near = plan(pilot=[run.answered])
    monkeypatch.undo()
    found = plan(pilot=[run.answered])
    assert 0 < near.value < found.value
    assert "further than models are imagined" in near.notes[1]
    assert (found.settings[0].study.p_values(40, 0.02, 2, 50, np.random.default_rng(0)) <= 1).all()


def test_few_people_move_what_a_run_shows() -> None:
    """A note says how far, but for the distance that has no bias."""
    few, many = plan(measure="total_variation", people=[5, 1500]), plan(people=[5])
    assert [note for note in few.notes if "with 5 people, a run shows a total variation near 0.3" in note]
    assert not [note for note in few.notes if "1,500 people" in note]
    assert not many.notes


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"people": [2]}, r"2 people for each question \(expected at least 3 and at most 2,000\)"),
        ({"options": 1}, r"1 options \(expected at least 2"),
        ({"samples": [1]}, r"1 samples \(expected at least 2"),
        ({"questions": 5}, r"5 questions \(expected at least 10"),
        ({"questions": 50, "people": [20]}, "both questions and people"),
        ({"evenness": 0.0}, "an evenness of 0"),
        ({"shared": 1.0}, "models that share 1"),
        ({"measure": "normalised", "people": [5]}, "5 people for each question are too few"),
        ({"expected": 3.0}, r"a model at a distance of 3 \(expected between 0, where"),
    ],
)
def test_impossible_assumptions_are_refused(options: dict[str, Any], message: str) -> None:
    """In one line."""
    with pytest.raises(InputError, match=message):
        plan(**options)
