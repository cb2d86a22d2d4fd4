"""What is said where the published interval of an accuracy has no width."""

from __future__ import annotations

import math

from probsense.analysis.inference.estimate import Estimate
from probsense.tasks.worldsense.measures.notes import no_width_notes


def accuracy(value: float, half: float, method: str = "published", **by: str) -> Estimate:
    ends = (value - half, value + half)
    return Estimate(
        "accuracy", {"model": "m", "prompting": "basic", **by}, value, 0.0, *ends, 0.95, 9, 9, method
    )


def test_it_is_said_once_for_a_model_and_names_the_problems_that_it_is_about() -> None:
    parts = [accuracy(0.5, 0, problem="Infer.normal"), accuracy(0.5, 0, problem="Compl.normal")]
    varied = [accuracy(0.5, 0.1), accuracy(0.5, 0.1, problem="Consist.normal"), accuracy(0.5, math.nan)]
    (note,) = no_width_notes([*varied, *parts])
    assert note.startswith(
        "basic, m: all tuples of Infer.normal, Compl.normal have an accuracy of 50 %, as with a"
    )
    (note,) = no_width_notes([accuracy(0.5, 0), *parts])
    assert note.startswith("basic, m: all tuples have an accuracy of 50 %, as with a constant answer, so")
    other, same = no_width_notes([accuracy(1, 0, model="n"), *parts])
    assert other.startswith("basic, n: all tuples have an accuracy of 100 %, so the published")
    assert same == no_width_notes(parts)[0]


def test_nothing_is_said_of_other_intervals() -> None:
    assert no_width_notes([accuracy(0.5, 0, "stratified"), accuracy(0.5, 0, problem="p", size="3")]) == []
    assert no_width_notes([accuracy(0.5, 0.01), accuracy(0.5, math.nan)]) == []
