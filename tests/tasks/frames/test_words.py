"""The words of frames, and the first lines of a page about them."""

from __future__ import annotations

import math

from probsense.analysis.inference.estimate import Estimate
from probsense.analysis.open_answers import protoqa
from probsense.analysis.open_answers.evaluator import evaluate
from probsense.analysis.open_answers.questions import ComparisonSettings, Question
from probsense.analysis.open_answers.similarity import exact
from probsense.tasks.frames.measures.comparison import own_estimates
from probsense.tasks.frames.measures.exact import LISTED_MASS
from probsense.tasks.frames.words import SHOWN, WORDS, key_results

PLACE = "stands at 0.20 [0.18, 0.22] between people’s (0) and unrelated answers (1)."
MEAN = "has a KL divergence from people of 0.200 (95 % interval 0.180–0.220), the mean over frames."


def estimate(measure: str, value: float, model: str = "m", **by: str) -> Estimate:
    by = {"model": model, **by}
    return Estimate(measure, by, value, 0.01, value - 0.02, value + 0.02, 0.95, 9, 9, "rarefied")


def test_every_measure_has_words_and_every_word_a_measure():
    questions = [Question(name, name, {f"{name} a": 2, f"{name} b": 2}) for name in "xy"]
    answers = {"x": {"x a": 2}, "y": {"y b": 2}}
    compared = evaluate(questions, answers, exact, ComparisonSettings(splits=1, draws=2))
    alone = [found.measure for found in own_estimates(answers, {})]
    measures = {*compared.overall, *protoqa.MEASURES, LISTED_MASS, *alone}
    assert measures == WORDS.measures.keys() == WORDS.illustrative.measures.keys()
    grouped = [name for group in WORDS.groups for name in group.measures]
    assert sorted(grouped) == sorted(measures)
    assert all(WORDS.measure(name).meaning for name in measures)


def test_the_nearest_is_told_first():
    given = [("normalised", 0.9, "far"), ("normalised", 0.2, "m"), ("kl", 0.3, "m"), ("split_half", 0.1, "m")]
    estimates = [estimate(*one) for one in given]
    near, far = key_results([*estimates, estimate("normalised", 0.0, frame="f0")], WORDS).models
    assert (near.model, near.said, far.model) == ("m", PLACE, "far")
    assert key_results([estimate("js", 0.2)], WORDS).models == []


def test_few_models_are_told_and_one_without_a_place_comes_last():
    values = [0.3, math.nan, 0.1]
    found = key_results([estimate("normalised", value, f"m{i}") for i, value in enumerate(values)], WORDS)
    assert [one.model for one in found.models] == ["m2", "m0", "m1"]
    assert found.models[-1].said == "cannot be set against people."
    many = [estimate("normalised", 0.1 * i, f"m{i}") for i in range(SHOWN + 1)]
    assert len(key_results(many, WORDS).models) == SHOWN
    means = [estimate("kl", 0.2, "exact"), estimate("kl", 0.1, "single", frame="f0")]
    placed, mean = key_results([*means, estimate("normalised", 0.2)], WORDS).models
    assert (placed.model, mean.model, mean.said) == ("m", "exact", MEAN)
