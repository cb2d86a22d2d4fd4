"""Plans of studies with schemas, against formulas."""

from __future__ import annotations

import pytest

from probsense.studies.planning.plan import make_plan
from probsense.tasks.suite.task import plan as plan_suite
from probsense.tasks.winogrande.task import plan


def test_width_is_that_of_a_proportion() -> None:
    """Independent contexts take n = p(1 − p)(1.96/half)²; twins (1 + ρ) times as many, but never fewer.

    Wilson's interval takes no more observations for independent than there are.
    """
    alone = make_plan("suite", plan_suite(accuracy=0.7), width=0.1).found[0].for_width
    assert alone == pytest.approx(0.21 * (1.96 / 0.05) ** 2, rel=0.02)
    for alike in (-0.3, 0.5):
        twins = make_plan("winogrande", plan(accuracy=0.7, alike=alike), width=0.1).found[0].for_width
        assert twins == pytest.approx(0.21 * max(1 + alike, 1) * (1.98 / 0.05) ** 2, rel=0.03)


def test_difference_is_that_of_paired_answers() -> None:
    """n = var(a − b)·((1.96 + .84)/δ)², where answers that two models share cancel out."""
    found = make_plan("suite", plan_suite(accuracy=0.7, shared=0.4), difference=0.08).found[0].for_difference
    better, worse = 0.74, 0.66
    apart = better * (1 - better) + worse * (1 - worse) - 2 * 0.4 * (worse - better * worse)
    assert found == pytest.approx(apart * ((1.96 + 0.8416) / 0.08) ** 2, rel=0.1)


def test_single_schemas_have_no_twins() -> None:
    """The correlation of twins is then no assumption."""
    assert "alike" not in plan(twins=False).assumed
    assert plan(twins=False).settings[0].study.counts(100) == {}
