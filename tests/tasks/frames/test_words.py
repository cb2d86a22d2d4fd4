"""The words of frames, and the first lines of a page about them."""

from __future__ import annotations

import math

import pytest

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


def test_every_measure_has_words_and_every_word_a_measure() -> None:
    questions = [Question(name, name, {f"{name} a": 2, f"{name} b": 2}) for name in "xy"]
    answers = {"x": {"x a": 2}, "y": {"y b": 2}}
    compared = evaluate(questions, answers, exact, ComparisonSettings(splits=1, draws=0))
    alone = [found.measure for found in own_estimates(answers, {})]
    measures = {*compared.overall, *protoqa.MEASURES, LISTED_MASS, *alone}
    assert WORDS.illustrative is not None
    assert measures == WORDS.measures.keys() == WORDS.illustrative.measures.keys()
    grouped = [name for group in WORDS.groups for name in group.measures]
    assert sorted(grouped) == sorted(measures)
    assert all(WORDS.measure(name).meaning for name in measures)


@pytest.mark.parametrize(
    ("estimates", "told"),
    [
        (
            [
                *(estimate("normalised", 0.9, "far"), estimate("normalised", 0.2), estimate("kl", 0.3)),
                *(estimate("split_half", 0.1), estimate("normalised", 0.0, frame="f0")),
            ],
            [
                (
                    *("m", PLACE, "KL divergence from people 0.300 (95 % interval 0.280–0.320);"),
                    " of people from people 0.100 (95 % interval 0.080–0.120).",
                ),
                ("far", None, ""),
            ],
        ),
        (
            [estimate("kl", 0.2, "exact"), estimate("kl", 0.1, "frames", frame="f0"), estimate("normalised", 0.2)],
            [("m", PLACE, ""), ("exact", MEAN, "")],
        ),
        ([estimate("js", 0.2)], []),
        (
            [estimate("normalised", value, f"m{i}") for i, value in enumerate([0.3, math.nan, 0.1])],
            [("m2", None, ""), ("m0", None, ""), ("m1", "cannot be set against people.", "")],
        ),
        (
            [estimate("normalised", 0.1 * i, f"m{i}") for i in range(SHOWN + 1)],
            [(f"m{i}", None, "") for i in range(SHOWN)],
        ),
    ],
)  # fmt: skip
def test_the_nearest_is_told_first(
    estimates: list[Estimate], told: list[tuple[str, str | None, str]]
) -> None:
    """A model without a place is told of by its mean, and nothing is said of what was not measured."""
    found = key_results(estimates, WORDS)
    assert found.headline == ""
    assert [one.model for one in found.models] == [model for model, *_ in told]
    for one, (_, said, *rest) in zip(found.models, told, strict=True):
        assert said in (None, one.said)
        assert one.rest == "".join(rest)
