"""Normalised distances: of the total variation, and of the squared distance where people are few."""

from __future__ import annotations

import numpy as np
import pytest

from probsense.analysis.human_choices.measures import Distributions
from probsense.analysis.inference.estimate import Estimate
from probsense.tasks.choices.measures.baselines import score_estimates
from probsense.tasks.choices.measures.estimates import Study, answers_of
from probsense.tasks.choices.questions.question import Question, item_of

OPTIONS = ("a", "b", "c", "d")


def _asked(people: int, questions: int) -> tuple[Study, np.ndarray]:
    """Draw questions on which people agree little, and the shares of everybody."""
    rng = np.random.default_rng(7)
    everybody = rng.dirichlet(np.full(4, 2.5), questions)
    counts = rng.multinomial(people, everybody)
    items = [
        item_of(Question(f"q{i}", "?", OPTIONS, tuple(map(float, own)), float(people), cluster=f"q{i}"))
        for i, own in enumerate(counts.tolist())
    ]
    return Study.of(items), everybody


def _scores(study: Study, pair: Distributions) -> dict[str, Estimate]:
    return {one.measure: one for one in score_estimates(study, pair, {}, np.random.default_rng(0))}


def test_the_squared_distance_is_set_between_everybody_and_equal_shares_where_people_are_few():
    """Everybody's shares stand at 0 and equal shares at 1; a mixture has the square of its part."""
    study, everybody = _asked(8, 3000)
    for part in (0.0, 0.5, 1.0):
        found = _scores(study, study.beside((1 - part) * everybody + part / 4))
        one = found["normalised_squared"]
        assert one.value == pytest.approx(part**2, abs=3 * one.stderr + 1e-9)
        assert one.stderr < 0.03
        assert ("normalised" in found, one.method) == (False, "corrected")
    many, shares = _asked(200, 400)
    assert {"normalised", "normalised_squared"} & _scores(many, many.beside(shares)).keys() == {"normalised"}
    p, u = study.people.p, 0.25
    noise = (p * (1 - p)).sum(axis=1) / 7
    q = np.roll(everybody, 1, axis=0)
    expected = (((p - q) ** 2).sum(axis=1) - noise).sum() / (((p - u) ** 2).sum(axis=1) - noise).sum()
    assert _scores(study, study.beside(q))["normalised_squared"].value == pytest.approx(expected)


def test_people_choose_places_of_a_scale():
    raters = (("ann", 0), ("bob", 1), ("cy", 1))
    one = Question("q", "?", ("high", "low"), (1, 2), 3, order=(9, 4), raters=raters)
    found = answers_of([item_of(one)])
    assert found.option.tolist() == [1, 0, 0]
