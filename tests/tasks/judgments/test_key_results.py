"""The opening words of a page about judgments."""

from __future__ import annotations

from probsense.show import key_results as shown
from probsense.stats.estimate import Estimate
from probsense.tasks.judgments.key_results import SHOWN, key_results
from probsense.tasks.judgments.words import WORDS


def estimate(measure: str, value: float, **by: str) -> Estimate:
    return Estimate(measure, by, value, 0.01, value - 0.02, value + 0.02, 0.95, 9, 9, "two-way bootstrap")


def test_the_page_says_how_many_models_beat_people() -> None:
    found = [estimate("commonsensicality", 0.5 + i / 20, model=f"m{i}") for i in range(7)]
    found += [estimate("win_rate", 0.35 + i / 20, model=f"m{i}") for i in range(7)]
    found += [estimate("win_rate", 1.0, model="baseline: majority")]
    said = key_results(found, WORDS)
    assert said.headline.startswith("Of 7 models, 3 beat more than half of the people")
    assert [result.model for result in said.models] == ["m6", "m5", "m4", "m3", "m2"][:SHOWN]
    assert shown.key_results(found, WORDS) == said
    assert key_results(found[:1], WORDS).headline == ""
    (alone,) = key_results(found[:1], WORDS).models
    assert (alone.model, alone.rest) == ("m0", "")
    assert alone.said.startswith("scores 50.0 %")
    assert key_results(found[7:10], WORDS).headline.startswith("None of 3 models")


def test_a_model_is_told_of_by_score_wins_and_correlation() -> None:
    found = [
        estimate("commonsensicality", 0.7, model="m"),
        estimate("commonsensicality", 0.9, model="m", feature="fact"),
        estimate("win_rate", 0.4, model="m"),
        estimate("group_r", 0.25, model="m"),
    ]
    (result,) = key_results(found, WORDS).models
    assert result.said == "scores 70.0 % (95 % interval 68.0–72.0) as an individual."
    assert result.rest == (
        "It beats 40.0 % (95 % interval 38.0–42.0) of the people."
        " As a population it correlates with people by 0.250 (95 % interval 0.230 to 0.270)."
    )
