"""What an estimate says of a model: where its interval lies decides how the sentence ends."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from probsense.analysis.inference.estimate import Estimate
from probsense.show.measure import (
    ACCURACY,
    ACCURACY_SENTENCE,
    PERCENT,
    PLAIN,
    Measure,
    Sentence,
    sentence,
    verdict,
)

RATE = Measure("Rate", "a share")


def estimate(value: float, low: float, high: float, chance: float = 0.5) -> Estimate:
    return Estimate("accuracy", {"model": "m"}, value, 0.01, low, high, 0.95, 100, 50, "clustered", chance)


def test_without_an_interval_nothing_can_be_told_and_without_chance_nothing_is_said():
    unknown = replace(estimate(0.8, math.nan, math.nan), clusters=1)
    assert sentence(unknown, ACCURACY, ACCURACY_SENTENCE, {}) == (
        "answers 80 % of the questions right (one cluster), too rough to tell from guessing (50 %)"
    )
    free = estimate(0.8, 0.7, 0.9, chance=math.nan)
    assert sentence(free, RATE, PLAIN, {}) == "has “Rate” of 0.80 [0.70, 0.90]"


def test_the_first_rater_that_is_known_is_whom_a_model_is_set_against():
    words = Sentence(
        "agrees with $value $interval", {"people": "people", "rule": "a rule", "1": "all"}, unit=PERCENT
    )
    own = estimate(0.6, 0.5, 0.7)
    assert sentence(own, RATE, words, {"rule": estimate(0.8, 0, 1)}) == (
        "agrees with 60 % [50, 70], below a rule (80 %)"
    )
    raters = {"rule": estimate(0.8, 0, 1), "people": estimate(0.4, 0, 1)}
    assert sentence(own, RATE, words, raters).endswith("above people (40 %)")
    assert sentence(own, RATE, words, {}).endswith("below all (100 %)")
    assert sentence(own, RATE, replace(words, against={"nobody": "nobody"}), {}).endswith("[50, 70]")


@pytest.mark.parametrize(
    ("low", "high", "near", "kind"),
    [
        (0.51, 0.6, 0.05, "above"),
        (0.4, 0.49, 0.05, "below"),
        (0.46, 0.54, 0.05, "same"),
        (0.44, 0.54, 0.05, "unsure"),
        (0.44, 0.54, 0.1, "same"),
        (0.5, 0.6, 0.05, "unsure"),
        (math.nan, math.nan, 0.05, "unsure"),
    ],
)
def test_an_interval_lies_above_below_around_or_too_wide(low, high, near, kind):
    assert verdict(estimate(0.5, low, high), 0.5, near) == kind
