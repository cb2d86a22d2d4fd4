"""One culture or more: a pattern in people's departures shows where people rated enough in common."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import expit

from probsense.analysis.agreement.people import People
from probsense.analysis.agreement.pooled.crossed import pooled_shares
from probsense.analysis.agreement.pooled.culture import one_culture


def study(rng: np.random.Generator, opposed: float, people: int = 40, statements: int = 40) -> People:
    """Draw a study in which two fifths of the people see some of the statements the other way round."""
    location = 0.5 + 1.5 * rng.normal(size=statements)
    turned = np.where(rng.random(statements) < opposed, -location, location)
    other = (np.arange(people) < 0.4 * people)[:, None]
    logits = np.where(other, turned, location) + 0.6 * rng.normal(size=(people, 1))
    yes: NDArray[np.float64] = (rng.random(logits.shape) < expit(logits)).astype(np.float64)
    person, statement = np.nonzero(rng.random(logits.shape) < 0.7)
    answers = yes[person, statement]
    return People(statement, person, answers, np.full(len(answers), np.nan), statements, people)


def p_values(opposed: float, studies: int, seed: int = 1) -> NDArray[np.float64]:
    """Draw studies, and return the p-value of one culture in each."""
    rng = np.random.default_rng(seed)
    asked = [study(rng, opposed) for _ in range(studies)]
    return np.array([one_culture(people, pooled_shares(people), rng, draws=40).p for people in asked])


def test_a_second_culture_shows() -> None:
    assert p_values(0.6, 1)[0] < 0.05 < p_values(0.0, 1)[0]


@pytest.mark.slow
def test_a_second_culture_shows_often_and_one_culture_gives_even_p_values() -> None:
    one, two = p_values(0.0, 12), p_values(0.6, 12)
    assert (two < 0.05).mean() > 0.8
    assert 0.3 < one.mean() < 0.7
    assert (one < 0.05).mean() < 0.3


def test_nothing_in_common_is_no_pattern() -> None:
    people = People(np.arange(4), np.arange(4), np.ones(4), np.full(4, np.nan), 5, 4)
    found = one_culture(people, pooled_shares(people), np.random.default_rng(2), draws=9)
    assert np.isnan([found.p, found.ratio]).all()


@pytest.mark.parametrize("people", [5, 9])
@pytest.mark.parametrize("each", [1, 4])
def test_where_nobody_can_depart_nothing_is_told(people: int, each: int) -> None:
    """Everybody rated one statement, or says yes to all."""
    rng = np.random.default_rng(3)
    person = np.repeat(np.arange(people), each)
    statement = np.arange(people * each) % (3 * each)
    q1 = (rng.random(len(person)) < 0.5).astype(float) if each == 1 else np.ones(len(person))
    asked = People(statement, person, q1, np.full(len(q1), np.nan), 3 * each, people)
    found = one_culture(asked, pooled_shares(asked), rng, draws=9)
    assert np.isnan(found.p) == (each == 1)
    if each == 4:
        assert found.p == 1.0
