"""People's scores and models' competence: near the truth, with intervals that hold it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import expit

from probsense.analysis.agreement.people import People
from probsense.analysis.agreement.pooled.competence import (
    drawn_rates,
    everybody,
    persons,
    respondent,
    shares_of_states,
)
from probsense.analysis.agreement.pooled.condorcet import Draws, chance_of_yes, condorcet_draws
from probsense.analysis.agreement.pooled.crossed import pooled_shares
from probsense.analysis.agreement.pooled.model import CELLS, Answers, Shares, Spread
from support.studies.culture import study


@pytest.fixture(scope="module")
def drawn() -> tuple:
    rng = np.random.default_rng(1)
    found = study(rng, 60, 100, 15)
    answers = found.answers
    aware = expit(1.2 + 0.7 * rng.normal(size=60))
    right = rng.random(len(answers.yes)) < aware[answers.person]
    # Everybody's share of these keys is on the key's side but for the hardest statements.
    chance = chance_of_yes(
        found.key,
        found.difficulty,
        0.8 + 0.8 * rng.normal(size=(4000, 1)),
        0.3 + 0.6 * rng.normal(size=(4000, 1)),
    )
    most = chance.mean(axis=0) > 0.5
    second = np.where(right, most[answers.statement], ~most[answers.statement]).astype(np.float64)
    people = People(answers.statement, answers.person, answers.yes, second, 100, 60)
    draws = condorcet_draws(answers, rng, draws=300)
    counted = np.ones(100, bool)
    theirs = persons(people, pooled_shares(people), draws, counted, rng)
    return found, most, aware, draws, theirs


def test_people_are_scored_by_what_they_would_say_of_all_statements(drawn: tuple) -> None:
    found, most, aware, _, theirs = drawn
    chance = chance_of_yes(found.key, found.difficulty, found.ability[:, None], found.guessing[:, None])
    truth = {
        "competence": expit(found.ability[:, None] - found.difficulty).mean(axis=1),
        "guessing": expit(found.guessing),
        "consensus": np.where(most, chance, 1 - chance).mean(axis=1),
        "awareness": aware,
    }
    truth["commonsensicality"] = np.sqrt(truth["consensus"] * truth["awareness"])
    for name, true in truth.items():
        scores = getattr(theirs, name)
        low, high = np.quantile(scores, [0.025, 0.975], axis=0)
        assert ((low <= true) & (true <= high)).mean() > 0.85, name
        assert scores.mean() == pytest.approx(true.mean(), abs=0.06), name
        # So few answers tell little of how people guess.
        told = 0.15 if name == "guessing" else 0.35
        assert np.corrcoef(scores.mean(axis=0), true)[0, 1] > told, name
        assert scores.mean(axis=0).std() < scores.std(), name  # drawn towards the mean


def test_everybodys_share_of_a_state_is_the_mean_over_people(drawn: tuple) -> None:
    draws: Draws = drawn[3]
    rng = np.random.default_rng(2)
    ability, spread, guessing, guessing_spread = draws.people[0]
    key, difficulty = draws.states
    many = rng.normal(size=(2, 20_000, 1))
    chance = chance_of_yes(
        key[::7], difficulty[::7], ability + spread * many[0], guessing + guessing_spread * many[1]
    )
    np.testing.assert_allclose(shares_of_states(draws, 0)[::7], chance.mean(axis=0), atol=0.01)


@pytest.mark.parametrize(("ability", "guessing"), [(2.5, 0.0), (0.0, 0.0), (-3.0, 2.0)])
def test_a_models_competence_is_its_own(drawn: tuple, ability: float, guessing: float) -> None:
    found, _, _, draws, _ = drawn
    rng = np.random.default_rng(3)
    chance = chance_of_yes(found.key, found.difficulty, np.array(ability), np.array(guessing))
    answers = (rng.random(100) < chance).astype(np.float64)
    own = respondent(answers, draws, np.ones(100, bool), rng)
    assert own is not None
    low, high = np.quantile(own.competence, [0.005, 0.995])
    assert low < expit(ability - found.difficulty).mean() < high
    # Ties and statements that do not count say nothing.
    more = np.where(np.arange(100) < 50, answers, 0.5)
    counted = np.arange(100) < 60
    tied, none = (
        respondent(x, draws, counted, np.random.default_rng(4))
        for x in (more, np.where(np.arange(100) < 60, more, 1 - answers))
    )
    assert tied is not None
    assert none is not None
    np.testing.assert_array_equal(tied.competence, none.competence)


def test_a_model_without_an_answer_has_no_competence(drawn: tuple) -> None:
    rng = np.random.default_rng(5)
    assert respondent(np.full(100, 0.5), drawn[3], np.ones(100, bool), rng) is None


def test_everybody_is_stood_for_by_those_who_rated() -> None:
    rated = np.array([True, False, True, True])
    share = everybody(rated, 4000, np.random.default_rng(6))
    np.testing.assert_allclose(share.sum(axis=1), 1)
    assert (share[:, 1] == 0).all()
    np.testing.assert_allclose(share[:, rated].mean(axis=0), 1 / 3, atol=0.01)
    # The mean of three values varies as it does when they are drawn anew.
    assert share[:, 0].std() == pytest.approx(np.sqrt(2 / 9 / 4), rel=0.05)


def asked(rng: np.random.Generator, statements: int, raters: int) -> tuple[np.ndarray, Shares]:
    """Draw shares, ask about each, and return the exact posterior."""
    truth = rng.beta(1.2, 0.8, statements)
    yes = rng.binomial(raters, truth)
    at = (np.arange(CELLS) + 0.5) / CELLS
    mass = at ** (yes[:, None] + 0.2) * (1 - at) ** (raters - yes[:, None] - 0.2)
    return truth, Shares(mass / mass.sum(axis=1, keepdims=True), Spread(1, 1, 1), Spread(1, 1, 1))


def test_rates_are_those_against_the_majority_of_everybody() -> None:
    rng = np.random.default_rng(1)
    held, errors = [], []
    for _ in range(16):
        truth, shares = asked(rng, 120, 8)
        most = truth > 0.5
        better = 0.7 * rng.normal(size=50)
        margin = np.arctanh(np.clip(np.abs(2 * truth - 1), 0, 0.995))
        chance = expit(0.6 + 0.6 * margin + better[:, None])
        person, statement = np.nonzero(rng.random((50, 120)) < 0.15)
        right = rng.random(len(person)) < chance[person, statement]
        yes = np.where(right, most[statement], ~most[statement]).astype(np.float64)
        found = drawn_rates(Answers(statement, person, yes, 120, 50), shares, np.ones(120, bool), 300, rng)
        low, high = np.quantile(found, [0.025, 0.975], axis=0)
        own = chance.mean(axis=1)
        held.append(((low <= own) & (own <= high)).mean())
        errors.append(found.mean() - own.mean())
    assert np.mean(held) > 0.9
    assert abs(np.mean(errors)) < 0.02


def test_more_answers_say_more() -> None:
    rng = np.random.default_rng(2)
    truth, shares = asked(rng, 100, 30)
    person = np.repeat([0, 1, 2], [100, 10, 100])
    statement = np.concatenate([np.arange(100), np.arange(10), np.arange(100)])
    most = truth > 0.5
    yes = np.where(person < 2, most[statement], rng.random(210) < 0.5).astype(np.float64)
    found = drawn_rates(Answers(statement, person, yes, 100, 4), shares, np.ones(100, bool), 400, rng)
    mean, spread = found.mean(axis=0), found.std(axis=0)
    assert mean[0] > mean[1] > mean[2]
    assert spread[0] < spread[1] < spread[3]  # the last one has said nothing
