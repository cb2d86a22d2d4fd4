"""The opening words of a page."""

from __future__ import annotations

from probsense.analysis.inference.estimate import Estimate
from probsense.tasks.choices.words import WORDS, key_results

TV, SQUARED = "total_variation", "squared_distance_corrected"


def estimate(model: str, measure: str, value: float) -> Estimate:
    by = {"model": model, "prompting": "labels"}
    return Estimate(measure, by, value, 0.01, value - 0.02, value + 0.02, 0.95, 40, 40, "plug-in")


def test_the_nearest_model_stands_beside_other_people():
    models = (("people", 0.05), ("uniform", 0.4), ("far", 0.5), ("near", 0.2))
    near, _ = key_results([estimate(model, TV, value) for model, value in models], WORDS).models
    assert (near.model, near.rest[-23:]) == ("near", "would have to move 5 %.")


def test_few_people_let_the_corrected_distance_lead():
    """Their noise makes more than half of what equal shares are off by; the order of models is the leading one's."""
    models = (("people", 0.29, 0.0), ("uniform", 0.31, 0.04), ("sure", 0.35, 0.02), ("even", 0.31, 0.04))
    both = [(estimate(model, TV, tv), estimate(model, SQUARED, squared)) for model, tv, squared in models]
    first, second = key_results([one for pair in both for one in pair], WORDS).models
    assert (first.model, second.model) == ("sure", "even")
    assert first.said.startswith("has a corrected squared distance of 0.02 from people [0.00, 0.04]")
    assert first.rest == ""
