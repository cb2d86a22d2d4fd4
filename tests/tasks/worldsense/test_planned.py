"""Plans of WorldSense studies are laid out and measured as runs are."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from probsense.analysis.comparison.scores import ItemScores
from probsense.core.errors import InputError
from probsense.studies.planning.plan import make_plan
from probsense.tasks.shared.pilots import pilot_answering
from probsense.tasks.shared.planning import Answering, draw_hits
from probsense.tasks.worldsense.generate.design import Design, count_trials
from probsense.tasks.worldsense.generate.skins import load_skins
from probsense.tasks.worldsense.planned import plan


def test_a_whole_set_has_the_trials_of_the_generator() -> None:
    """Problems and sizes have equally many tuples, and a tuple as many trials as answers."""
    design = Design(sizes=(3, 4), problems=("Infer.normal", "Compl.normal"), skins=load_skins("test")[:1])
    study = plan(sizes=(3, 4), problems=("Infer.normal", "Compl.normal")).settings[0].study
    # 4 cells of two wordings, with three complexities in one of the two problems
    assert study.counts(4)["questions"] == 2 * (2 + 3)
    assert count_trials(design) == 2 * 2 * (3 * 2 + 3)
    assert study.least == 8


def test_intervals_hold_the_truth() -> None:
    """Over questions in skins and of forms that are even, and over skins and forms that are not."""
    rng = np.random.default_rng(1)
    some = {"accuracy": 0.7, "problems": ["Infer.normal", "Consist.normal"], "sizes": (4,), "alike": 0.0}
    even, uneven, forms = (
        plan(**some, **options).settings[0].study.intervals(150, 300, rng)  # type: ignore[arg-type]
        for options in (
            {"uneven": 0.0, "uneven_forms": 0.0},
            {"uneven": 0.1, "uneven_forms": 0.0, "over": "skins"},
            {"uneven": 0.05, "uneven_forms": 0.15, "over": "forms"},
        )
    )
    for ends in (even, uneven, forms):
        assert 0.92 < ((ends[:, 0] <= 0.7) & (ends[:, 1] >= 0.7)).mean() <= 0.99
    assert np.diff(uneven).mean() > 1.2 * np.diff(even).mean()


def test_a_plan_counts_forms_and_says_how_many_there_are() -> None:
    found = plan(problems=["Infer.normal", "Infer.trivial"], sizes=(4, 5))
    assert found.notes == ["there are so many forms and no more: Infer.normal 134 (size 4), 4,018 (size 5)"]
    study = found.settings[0].study
    counts = [study.counts(size)["forms"] for size in (40, 400, 4000)]
    assert 20 < counts[0] < counts[1] < counts[2] < 134 + 4018 + 40
    assert len(set(study.layout(400)["form"])) == counts[1]  # type: ignore[attr-defined]


def test_uneven_forms_take_larger_studies() -> None:
    rng = np.random.default_rng(2)
    some = {"problems": ["Infer.normal"], "sizes": (4,), "uneven": 0.0}
    even, uneven = (
        plan(**some, uneven_forms=sd).settings[0].study.p_values(300, 0.1, 2, 60, rng).mean()  # type: ignore[arg-type]
        for sd in (0.0, 0.4)
    )
    assert uneven > even


def test_a_pilot_tells_how_uneven_forms_are() -> None:
    study = plan(problems=["Infer.normal"], sizes=(4,)).settings[0].study
    items, rng = study.layout(3000), np.random.default_rng(3)  # type: ignore[attr-defined]
    for sd in (0.0, 0.2):
        answering = Answering(0.6, -0.2, 0.0, 0.0, sd)
        hits = draw_hits(answering, np.array([0.6]), items, 1, rng)[0, 0]
        scores = pl.DataFrame({"accuracy": hits.astype(float)})
        told, _ = pilot_answering([ItemScores(items, scores)])
        assert told["uneven_forms"] == pytest.approx(sd, abs=0.04)


@pytest.mark.parametrize(
    ("difference", "studies"), [(0.3, 60), pytest.param(0.15, 200, marks=pytest.mark.slow)]
)
def test_plan_keeps_its_promise(difference: float, studies: int) -> None:
    """Other studies of the size have the width, and show the difference, as promised."""
    found = plan(problems=["Infer.normal"])
    (wide,) = make_plan("worldsense", found, width=0.16, studies=200).found
    (clear,) = make_plan("worldsense", found, difference=difference, studies=studies).found
    study, rng = found.settings[0].study, np.random.default_rng(99)
    assert wide.for_width is not None
    assert clear.for_difference is not None
    assert np.diff(study.intervals(wide.for_width, 200, rng)).mean() == pytest.approx(0.16, rel=0.02)
    shown = study.p_values(clear.for_difference, difference, 2, 500, rng) < 0.05
    assert shown.mean() == pytest.approx(0.8, abs=0.06)


def test_siblings_that_exclude_each_other_need_fewer_tuples() -> None:
    """A model that leans towards an answer is right in one of two siblings, so tuples are alike."""
    rng = np.random.default_rng(0)
    widths = [
        np.diff(plan(alike=alike, uneven=0.0).settings[0].study.intervals(100, 50, rng)).mean()
        for alike in (-0.4, 0.0, 0.4)
    ]
    assert widths == sorted(widths)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alike": -0.6}, r"answers alike by -0.6 at an accuracy of 0.7 \(expected at least -0.428\)"),
        ({"accuracy": 1.5}, "accuracy"),
        ({"accuracy": 0.0}, "an accuracy 0 "),
        ({"problems": ["Infer.sideways"]}, "no problem 'Infer.sideways'"),
        ({"sizes": [40]}, "no worlds of size 40"),
        ({"uneven_forms": 0.5}, "forms uneven by 0.5"),
        (
            {"problems": ["Infer.parallel"], "skins": "parallel", "over": "skins"},
            r"\d skins \(expected at least 10 to speak for others",
        ),
    ],
)
def test_impossible_assumptions_are_refused(options: dict[str, object], message: str) -> None:
    """In one line."""
    with pytest.raises(InputError, match=message):
        plan(**options)  # type: ignore[arg-type]


def test_too_large_a_difference_is_refused() -> None:
    """Accuracies end at 1."""
    with pytest.raises(
        InputError, match=r"a difference of 0.7 around an accuracy of 0.7 \(expected below 0.6\)"
    ):
        make_plan("worldsense", plan(), difference=0.7)
