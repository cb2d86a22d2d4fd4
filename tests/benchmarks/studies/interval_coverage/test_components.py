"""The study of components of variance: truths are those of what is drawn, and intervals hold them."""

from __future__ import annotations

import numpy as np
import pytest

import components as study
from probsense.analysis.inference.variance_components import variance_components


@pytest.mark.parametrize("prompts", [40, 80])
def test_a_large_study_has_the_true_components(prompts: int) -> None:
    design = study.Design(6000, prompts, "normal")
    values = study.study(design, np.random.default_rng(1))
    truth, found = study.truth(design), study.estimated(design, values)
    assert found["variance"].value == pytest.approx(truth["variance"], rel=0.06, abs=0.0005)
    assert found["coefficient"].value == pytest.approx(truth["coefficient"], abs=0.02)
    assert variance_components(values, design.facets).main[0] == pytest.approx(
        [*study.MAIN.values(), study.TOGETHER], abs=0.02
    )


def test_a_row_of_the_table_is_that_of_its_design() -> None:
    design = study.Design(30, 40, "normal")
    found = study.outcome(design, 60)
    for _, held in found.values():
        assert (held > 0.85).all()
    cells = study.row(design, 3).split(" | ")
    assert cells[0] == "| normal, 30 × 40"
    assert len(cells) == 9
