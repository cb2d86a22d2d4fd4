"""A small version of the study of people's choices: no bias, and intervals that hold the truth."""

from __future__ import annotations

import numpy as np
import pytest

import choices as study


def rows(designs: tuple[study.Design, ...], quick: str) -> list[object]:
    """Mark all designs but one as slow."""
    return [
        pytest.param(design, id=design.name, marks=[] if design.name == quick else [pytest.mark.slow])
        for design in designs
    ]


@pytest.mark.parametrize("design", rows(study.ALONE[:3], "8"))
def test_corrected_distances_and_floors_have_no_bias(design):
    found = study.biases(design, 60, np.random.default_rng(2))
    assert found["squared"][0] > 0.2
    for name, (bias, error) in found.items():
        if name != "squared":
            assert abs(bias) < 3 * error + (0.06 if "root_js" in name else 0.03), name


@pytest.mark.parametrize("design", rows((*study.ALONE[1:3], *study.SHARED[2:4]), "8 of 40"))
def test_intervals_hold_the_truth(design):
    rng = np.random.default_rng(3)
    known = study.truth(design, rng, 100_000)
    for name, (questions, people) in study.coverage(design, known, 150, rng).items():
        assert people >= 0.89, name
        assert people >= questions, name


@pytest.mark.slow
def test_people_who_answer_everything_need_intervals_over_people():
    design, rng = study.Design(8, 8, 1.5), np.random.default_rng(4)
    held = study.coverage(design, study.truth(design, rng, 100_000), 100, rng)
    assert held["entropy_difference"][0] < 0.88 < held["entropy_difference"][1]
