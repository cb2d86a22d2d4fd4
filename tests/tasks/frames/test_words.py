"""The words of frames, and the first lines of a page about them."""

from __future__ import annotations

import math

from probsense.analysis.inference.estimate import Estimate
from probsense.analysis.open_answers import protoqa
from probsense.analysis.open_answers.evaluator import evaluate
from probsense.analysis.open_answers.questions import ComparisonSettings, Question
from probsense.analysis.open_answers.similarity import exact
from probsense.show.tables import brief_tables
from probsense.tasks.frames.measures.comparison import own_estimates
from probsense.tasks.frames.measures.exact import LISTED_MASS
from probsense.tasks.frames.words import SHOWN, WORDS, key_results


def estimate(measure: str, value: float, **by: str) -> Estimate:
    return Estimate(measure, by, value, 0.01, value - 0.02, value + 0.02, 0.95, 9, 9, "rarefied")


def test_a_terminal_has_no_single_frames_and_the_lowest_first() -> None:
    estimates = [
        estimate("normalised", value, model=model, **where)
        for model, value in (("far", 0.9), ("near", 0.1))
        for where in ({}, {"frame": "f0"})
    ]
    (table,) = brief_tables(estimates, WORDS)
    assert [row[0] for row in table.rows] == ["near", "far"]
    assert "f0" not in str(table)


def test_every_measure_has_words_and_every_word_a_measure() -> None:
    questions = [Question(name, name, {f"{name} a": 2, f"{name} b": 2}) for name in "xy"]
    answers = {"x": {"x a": 2}, "y": {"y b": 2}}
    compared = evaluate(questions, answers, exact, ComparisonSettings(splits=1, draws=0))
    alone = [found.measure for found in own_estimates(answers, {})]
    assert {*compared.overall, *protoqa.MEASURES, LISTED_MASS, *alone} == WORDS.measures.keys()
    assert WORDS.illustrative is not None
    assert WORDS.illustrative.measures.keys() == WORDS.measures.keys()


def test_every_grouped_measure_has_words_and_is_in_one_group() -> None:
    names = [name for group in WORDS.groups for name in group.measures]
    assert len(set(names)) == len(names)
    assert set(names) == set(WORDS.measures)
    assert all(WORDS.measure(name).meaning for name in names)


def test_the_nearest_is_told_first() -> None:
    estimates = [
        estimate(measure, value + shift, model=model, **where)
        for model, shift in (("far", 0.5), ("near", 0.0))
        for where in ({}, {"frame": "f0"})
        for measure, value in (("normalised", 0.2), ("kl", 0.3), ("js", 0.1), ("split_half", 0.1))
    ]
    found = key_results(estimates, WORDS)
    assert [result.model for result in found.models] == ["near", "far"]
    assert found.headline == ""
    assert found.models[0].said == (
        "stands at 0.20 [0.18, 0.22] between people’s (0) and unrelated answers (1)."
    )
    assert found.models[0].rest == (
        "KL divergence from people 0.300 (95 % interval 0.280–0.320);"
        " of people from people 0.100 (95 % interval 0.080–0.120)."
    )


def test_nothing_is_said_of_what_was_not_measured() -> None:
    (alone,) = key_results([estimate("normalised", 0.2, model="m")], WORDS).models
    assert alone.rest == ""
    assert key_results([estimate("js", 0.2, model="m")], WORDS).models == []


def test_a_model_without_a_place_is_told_of_by_its_mean_and_not_by_single_frames() -> None:
    frames = [estimate("kl", 0.1 * i, model="exact", frame=f"f{i}") for i in range(4)]
    found = key_results(
        [*frames, estimate("kl", 0.2, model="exact"), estimate("normalised", 0.3, model="m")], WORDS
    )
    assert [one.model for one in found.models] == ["m", "exact"]
    assert found.models[1].said == (
        "has a KL divergence from people of 0.200 (95 % interval 0.180–0.220), the mean over frames."
    )
    assert key_results(frames, WORDS).models == []


def test_few_models_are_told_about_and_an_unknown_place_comes_last() -> None:
    values = [0.3, 0.1, math.nan, 0.2, 0.0]
    found = key_results([estimate("normalised", v, model=f"m{i}") for i, v in enumerate(values)], WORDS)
    assert [result.model for result in found.models] == ["m4", "m1", "m3", "m0", "m2"]
    many = [estimate("normalised", 0.1 * i, model=f"m{i}") for i in range(SHOWN + 1)]
    assert len(key_results(many, WORDS).models) == SHOWN
