"""The study of components of variance: truths are those of what is drawn, and intervals hold them."""

from __future__ import annotations

import numpy as np
import pytest

import components as study
from probsense.analysis.inference.variance_components import variance_components, variance_shares


@pytest.mark.parametrize("prompts", [40, 80])
def test_a_large_study_has_the_true_components(prompts: int) -> None:
    design = study.Design(6000, prompts, "normal")
    found = variance_components(study.study(design, np.random.default_rng(1)), design.facets)
    assert variance_shares(found).value == pytest.approx(study.TRUTH, rel=0.06, abs=0.0005)
    assert found.main[0] == pytest.approx([*study.MAIN.values(), study.TOGETHER], abs=0.02)


def test_a_row_of_the_table_is_that_of_its_design() -> None:
    design = study.Design(30, 40, "normal")
    assert (study.outcome(design, 60)[1] > 0.85).all()
    cells = study.row(design, 3).split(" | ")
    assert cells[0] == "| normal, 30 × 40"
    assert len(cells) == 5
