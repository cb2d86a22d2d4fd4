"""Cultural consensus: the posterior is that of a slow sum over everything, and holds the truth."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit

from probsense.analysis.agreement.pooled import condorcet
from probsense.analysis.agreement.pooled.condorcet import chance_of_yes, condorcet_draws
from probsense.analysis.agreement.pooled.model import Answers
from support.studies.culture import study

odds = st.floats(-6, 6)


@given(st.booleans(), odds, odds, odds)
def test_a_person_knows_or_guesses(key: bool, difficulty: float, ability: float, guessing: float) -> None:
    knows, guess = 1 / (1 + np.exp(difficulty - ability)), 1 / (1 + np.exp(-guessing))
    yes = knows * key + (1 - knows) * guess
    args = np.array(key), np.array(difficulty), np.array(ability), np.array(guessing)
    assert chance_of_yes(*args) == pytest.approx(yes, abs=1e-12)
    # No is yes with the other key and turned guesses.
    turned = chance_of_yes(np.array(not key), args[1], args[2], -args[3])
    assert turned == pytest.approx(1 - yes, abs=1e-12)


def test_the_posterior_is_that_of_weighted_draws_from_the_prior() -> None:
    rng = np.random.default_rng(1)
    answers = Answers(
        np.array([0, 1, 2, 3, 0, 1, 2, 0, 1, 3]),
        np.array([0, 0, 0, 0, 1, 1, 1, 2, 2, 2]),
        np.array([1, 0, 1, 0, 1, 0, 1, 1, 0, 1.0]),
        5,
        4,
    )
    many = 200_000
    spreads = np.abs(condorcet.SPREAD * rng.normal(size=(3, many, 1)))
    means = [
        sd * rng.normal(size=(many, 1))
        for sd in (condorcet.ABILITY_SD, condorcet.GUESSING_SD, condorcet.KEY_SD)
    ]
    ability, guessing = (
        mean + spread * rng.normal(size=(many, 4))
        for mean, spread in zip(means[:2], spreads[:2], strict=True)
    )
    difficulty = spreads[2] * rng.normal(size=(many, 5))
    key = rng.random((many, 5)) < expit(means[2])
    at = answers.statement
    chance = chance_of_yes(
        key[:, at], difficulty[:, at], ability[:, answers.person], guessing[:, answers.person]
    )
    weight = np.where(answers.yes == 1, chance, 1 - chance).prod(axis=1)
    weight *= (spreads[..., 0] >= condorcet.LEAST_SPREAD).all(axis=0)
    weight /= weight.sum()
    found = condorcet_draws(answers, rng, draws=2000)
    np.testing.assert_allclose(found.yes, weight @ key, atol=0.02)
    drawn = (found.state >= len(found.difficulty)).mean(axis=0)
    np.testing.assert_allclose(drawn, found.yes, atol=0.03)
    np.testing.assert_allclose(found.ability.mean(axis=0), weight @ ability, atol=0.15)
    np.testing.assert_allclose(expit(found.guessing).mean(axis=0), weight @ expit(guessing), atol=0.02)
    np.testing.assert_allclose(found.people[:, 0].mean(), (weight @ means[0])[0], atol=0.15)


def test_competent_people_count_more_in_the_key() -> None:
    rng = np.random.default_rng(4)
    drawn = study(rng, 30, 60, 30)
    # Ten people know nothing, and five of them always say yes.
    answers = drawn.answers
    yes = np.where(answers.person < 5, 1.0, answers.yes)
    yes = np.where((answers.person >= 5) & (answers.person < 10), rng.integers(0, 2, len(yes)), yes)
    found = condorcet_draws(answers._replace(yes=yes.astype(np.float64)), rng, draws=200)
    majority = np.bincount(answers.statement, yes) / 30 > 0.5
    assert ((found.yes > 0.5) == drawn.key).mean() >= (majority == drawn.key).mean()
    assert expit(found.ability)[:, :10].mean() < expit(found.ability)[:, 10:].mean() - 0.2
    assert expit(found.guessing)[:, :5].mean() > expit(found.guessing)[:, 5:10].mean() + 0.2


def test_who_and_what_has_no_answer_is_like_all_others() -> None:
    rng = np.random.default_rng(5)
    answers = study(rng, 20, 20, 20).answers
    more = answers._replace(statements=21, people=21)
    found = condorcet_draws(more, rng, draws=400)
    assert found.yes[20] == pytest.approx(expit(found.statements[:, 0]).mean(), abs=0.02)
    assert found.ability[:, 20].mean() == pytest.approx(found.people[:, 0].mean(), abs=0.2)


def test_turned_answers_turn_the_key() -> None:
    answers = study(np.random.default_rng(6), 20, 30, 12).answers
    one = condorcet_draws(answers, np.random.default_rng(7), draws=400)
    other = condorcet_draws(answers._replace(yes=1 - answers.yes), np.random.default_rng(8), draws=400)
    np.testing.assert_allclose(one.yes, 1 - other.yes, atol=0.03)
    np.testing.assert_allclose(one.ability.mean(axis=0), other.ability.mean(axis=0), atol=0.2)


def test_many_answers_mean_fewer_draws_and_finer_grids(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(9)
    few, many = (study(rng, people, 20, people).answers for people in (6, 100))
    monkeypatch.setattr(condorcet, "_WORK", 20_000)
    found = [condorcet_draws(answers, rng, draws=20) for answers in (few, many)]
    assert [len(one.state) for one in found] == [20, 8]
    assert len(found[0].difficulty) < len(found[1].difficulty)
