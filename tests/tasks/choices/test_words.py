"""The opening words of a page."""

from __future__ import annotations

from typing import Any

from probsense.analysis.inference.estimate import Estimate
from probsense.tasks.choices.words import WORDS, key_results


def estimate(measure: str, model: str, value: float, **by: Any) -> Estimate:
    said = {"model": model, "prompting": "labels", **by}
    return Estimate(measure, said, value, 0.01, value - 0.02, value + 0.02, 0.95, 40, 40, "plug-in")


def test_models_come_nearest_first_beside_people_and_equal_shares() -> None:
    found = key_results(
        [
            estimate("entropy", "people", 0.3),
            estimate("total_variation", "people", 0.05),
            estimate("total_variation", "uniform", 0.4),
            estimate("total_variation", "far", 0.5),
            estimate("total_variation", "near", 0.2),
            estimate("total_variation", "near", 0.1, majority="≥ 0.8"),
            estimate("squared_distance_corrected", "near", 0.06),
        ],
        WORDS,
    )
    assert [one.model for one in found.models] == ["near", "far"]
    near = found.models[0]
    assert near.said == (
        "would have to move 20 % of its answers to spread them as people do [18, 22];"
        " equal shares of all options, 40 %."
    )
    assert near.rest == "Another sample of as many people would have to move 5 %."


def test_few_people_let_the_corrected_distance_lead() -> None:
    """Their noise makes more than half of what equal shares are off by; the order of models is the leading one's."""
    found = key_results(
        [
            estimate("total_variation", "people", 0.29),
            estimate("total_variation", "uniform", 0.31),
            estimate("squared_distance_corrected", "people", 0.0),
            estimate("squared_distance_corrected", "uniform", 0.04),
            estimate("total_variation", "sure", 0.35),
            estimate("squared_distance_corrected", "sure", 0.02),
            estimate("total_variation", "even", 0.31),
            estimate("squared_distance_corrected", "even", 0.04),
        ],
        WORDS,
    )
    assert [one.model for one in found.models] == ["sure", "even"]
    first = found.models[0]
    assert first.said.startswith("has a corrected squared distance of 0.02 from people [0.00, 0.04]")
    assert first.rest == ""


def test_without_models_there_is_nothing_to_say() -> None:
    assert key_results([estimate("total_variation", "uniform", 0.4)], WORDS).models == []
