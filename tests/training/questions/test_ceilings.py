"""The ceilings that come with the package are those that are measured."""

from __future__ import annotations

import pytest

from probsense.tasks.worldsense.generate.design import Design
from probsense.tasks.worldsense.measures.ceilings import design_ceilings
from questions.ceilings import ceiling


@pytest.mark.parametrize(
    ("regime", "problem", "size"), [("matched", "Compl.normal", 4), ("published", "Infer.extrema", 3)]
)
def test_a_ceiling_is_as_measured(regime: str, problem: str, size: int) -> None:
    assert ceiling(regime, problem, size) == design_ceilings(Design(regime=regime))[problem, size]
