"""How often people are right where the right answer is known in part: not too low, and drawn to the mean."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from probsense.analysis.agreement.pooled.given import Answers
from probsense.analysis.agreement.pooled.rates import drawn_rates
from probsense.analysis.agreement.pooled.shares import CELLS, Shares, Spread


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
