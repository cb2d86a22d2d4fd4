"""A small version of the coverage study: intervals cover the truth, and tests keep their level."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

import intervals as study
import judgments
import skins
import twins
from counting import coverage, coverage_over_skins

SHORT = {name for name in study.INTERVALS if "few" in name}
"""Rows that docs/statistics.md names as falling short."""
WIDE = {"share .9, 3 items", "share .95, 12 items", "bounded mean of 12 differences, nine in ten of them 0"}
"""Too few observations for an interval to hold the truth no oftener than it says."""


def rows(names: Iterable[str], *quick: str) -> list[Any]:
    """Make a case of each row of the table; all are slow but those that are named here by a part of them."""
    return [
        pytest.param(name, marks=() if any(part in name for part in quick) else pytest.mark.slow, id=name)
        for name in names
    ]


@pytest.mark.parametrize(
    "name", rows(study.INTERVALS, "mean", "bootstrap", "proportion", "share", "correlation")
)
def test_intervals_cover_the_truth(name):
    found = coverage(study.INTERVALS[name], 300, seed=3)
    assert (0.85 if name in SHORT else 0.91) <= found <= (1 if name in WIDE else 0.985)


@pytest.mark.parametrize(
    "n", [pytest.param(n, marks=pytest.mark.slow if n > 12 else ()) for n in study.SIZES]
)
@pytest.mark.parametrize("name", study.BETAS)
def test_bounded_means_cover_the_truth_and_are_no_wider_in_the_middle(name, n):
    cut, own, width = study.of_betas(*study.BETAS[name], n, 300, seed=3)
    assert own >= max(0.91, cut - 0.01)
    if "crowd" not in name and n > 5:
        assert 0.95 <= width <= 1.05


@pytest.mark.parametrize(
    "name",
    rows(
        [
            "percentile, 35 people × 12 statements",
            "corrected consensus, 6 raters of 60 statements",
            "agreement with 5 of 40 people, 40 statements",
            "difference of 5 people from 35, 40 statements",
        ],
        "difference",
    ),
)
def test_intervals_of_judgments_cover_the_truth(name, monkeypatch):
    monkeypatch.setattr(judgments, "WORLDS", 400)
    assert coverage(judgments.INTERVALS[name], 100, seed=3) >= 0.91


@pytest.mark.parametrize("name", rows(skins.DESIGNS, "10 skins, 20 tuples"))
def test_intervals_over_skins_cover_the_truth(name):
    design = skins.DESIGNS[name]
    found = coverage_over_skins(design, 300, seed=3)
    assert 0.91 <= found.skins <= 0.99
    if design.spread:
        assert found.questions < 0.9
    else:
        assert 0.925 <= found.questions <= 0.99


@pytest.mark.parametrize("name", rows(twins.MODELS, "6 tuples a cell"))
def test_differences_between_set_and_twins_cover_the_truth(name):
    model = twins.MODELS[name]
    found = coverage_over_skins(model, 100, seed=3)
    assert found.skins >= 0.88
    if not (model.spread and model.known):
        assert found.questions >= 0.88


@pytest.mark.parametrize("name", study.TESTS)
def test_tests_keep_their_level(name):
    assert 0.02 <= study.level(study.TESTS[name], 300, seed=3) <= 0.085
