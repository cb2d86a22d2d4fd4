"""Scores people and models by cultural consensus: their competence, and their agreement with most of everybody."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from probsense.analysis.agreement.people import People
from probsense.analysis.agreement.pooled.condorcet import (
    ABILITY_SD,
    GUESSING_SD,
    SPREAD,
    Draws,
    chance_of_yes,
    normal_mass,
)
from probsense.analysis.agreement.pooled.given import second_answers
from probsense.analysis.agreement.pooled.rates import drawn_rates
from probsense.analysis.agreement.pooled.shares import Shares

_MODEL_ABILITY, _MODEL_GUESSING = (np.hypot(sd, SPREAD) for sd in (ABILITY_SD, GUESSING_SD))
"""Standard deviations of the priors of a model, which need not be like people."""
_STEP = 1e-2


class Persons(NamedTuple):
    """Hold draws of what people would score on all statements that count; shapes (draws, people).

    Attributes
    ----------
    competence : ndarray
        How often the person knows the answer of the culture.
    guessing : ndarray
        How often the person says yes when guessing.
    consensus, awareness : ndarray
        How often the person gives the answer of most of everybody, and how often the person expects most people to.
    """

    competence: NDArray[np.float64]
    guessing: NDArray[np.float64]
    consensus: NDArray[np.float64]
    awareness: NDArray[np.float64]

    @property
    def commonsensicality(self) -> NDArray[np.float64]:
        """Return √(consensus · awareness)."""
        return np.sqrt(self.consensus * self.awareness)


class Respondent(NamedTuple):
    """Hold draws of a model's competence and of how often it says yes when guessing, shape (draws,)."""

    competence: NDArray[np.float64]
    guessing: NDArray[np.float64]


def persons(
    people: People, shares: Shares, draws: Draws, counted: NDArray[np.bool_], rng: np.random.Generator
) -> Persons:
    """Draw people's scores.

    In each draw the answer of most of everybody is known for each statement, from its key, its difficulty, and the
    distribution of people. A person's consensus is the mean, over statements, of the probability of giving this answer;
    it takes the person's ability and guessing. A person's own answers, which were a part of what told the majority, are
    thereby no advantage. Awareness comes from the second answers and everybody's shares
    (:func:`~probsense.analysis.agreement.pooled.rates.drawn_rates`).

    Parameters
    ----------
    people : People
    shares : Shares
    draws : Draws
        Both from their first answers.
    counted : ndarray of bool, shape (statements,)
        Which statements count.
    rng : numpy.random.Generator

    Returns
    -------
    Persons
    """
    from scipy.special import expit

    key, difficulty = draws.states
    shape = draws.ability.shape
    competence, consensus = np.empty(shape), np.empty(shape)
    for t, (ability, guessing, state) in enumerate(
        zip(draws.ability, draws.guessing, draws.state, strict=True)
    ):
        weight = np.bincount(state[counted], minlength=len(key)) / counted.sum()
        most = shares_of_states(draws, t) > 0.5
        knows = expit(ability[:, None] - draws.difficulty)
        competence[t] = knows @ weight.reshape(2, -1).sum(axis=0)
        chance = chance_of_yes(key, difficulty, ability[:, None], guessing[:, None])
        consensus[t] = np.where(most, chance, 1 - chance) @ weight
    second = second_answers(people)
    awareness = np.full(shape, np.nan)
    if len(second.yes):
        awareness = drawn_rates(second, shares, counted, len(draws.state), rng)
    return Persons(competence, expit(draws.guessing), consensus, awareness)


def shares_of_states(draws: Draws, t: int) -> NDArray[np.float64]:
    """Compute everybody's share of yes for a statement of each state, in a draw; shape (states,).

    Parameters
    ----------
    draws : Draws
    t : int
        Which draw.
    """
    from scipy.special import expit

    at = np.linspace(-5, 5, 41)
    ability, ability_sd, guessing, guessing_sd = draws.people[t]
    weight = normal_mass(at, 0.0, 1.0)
    knows = expit(ability + ability_sd * at - draws.difficulty[:, None]) @ weight
    guess = expit(guessing + guessing_sd * at) @ weight
    return np.concatenate([(1 - knows) * guess, knows + (1 - knows) * guess])


def respondent(
    answers: NDArray[np.float64], draws: Draws, counted: NDArray[np.bool_], rng: np.random.Generator
) -> Respondent | None:
    """Draw the competence of a model, by a key to which its own answers add nothing.

    Given the key and the difficulties that people's answers tell, the model's ability and guessing have a posterior
    that is taken to be normal in log odds (Laplace). Its priors are those of means of people, spread as much again, so
    that a model is not drawn towards people.

    Parameters
    ----------
    answers : ndarray, shape (statements,)
        1 yes, 0 no, 0.5 a tie, NaN none.
    draws : Draws
        From people's answers.
    counted : ndarray of bool, shape (statements,)
        Which statements count.
    rng : numpy.random.Generator

    Returns
    -------
    Respondent or None
        None without a yes or no to a statement that counts.
    """
    from scipy.optimize import minimize
    from scipy.special import expit

    decided = counted & ((answers == 0) | (answers == 1))
    if not decided.any():
        return None
    mass, said = draws.mass[decided], answers[decided] == 1
    key, difficulty = draws.states

    def loss(x: NDArray[np.float64]) -> float:
        yes = mass @ chance_of_yes(key, difficulty, x[0], x[1])
        prior = (x[0] / _MODEL_ABILITY) ** 2 + (x[1] / _MODEL_GUESSING) ** 2
        return float(prior / 2 - np.log(np.where(said, yes, 1 - yes)).sum())

    best = minimize(loss, np.zeros(2), method="BFGS").x
    moves = _STEP * np.array([[1, 1], [1, -1], [-1, 1], [-1, -1]])
    both = np.array([loss(best + move) for move in moves])
    single = [loss(best + side * _STEP * one) for one in np.eye(2) for side in (1, -1)]
    across = both @ [1, -1, -1, 1] / 4
    curvature = np.array([[sum(single[:2]), 0], [0, sum(single[2:])]]) - 2 * loss(best) * np.eye(2)
    curvature = (curvature + across * (1 - np.eye(2))) / _STEP**2
    x = rng.multivariate_normal(best, np.linalg.inv(curvature), size=len(draws.state))
    weight = draws.mass[counted].mean(axis=0).reshape(2, -1).sum(axis=0)
    return Respondent(expit(x[:, :1] - draws.difficulty) @ weight, expit(x[:, 1]))


def everybody(rated: NDArray[np.bool_], draws: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Draw what share of everybody each person stands for (the Bayesian bootstrap: Rubin 1981, Annals of Statistics 9,
    130–134).

    Parameters
    ----------
    rated : ndarray of bool, shape (people,)
        Who stands for somebody.
    draws : int
    rng : numpy.random.Generator

    Returns
    -------
    ndarray, shape (draws, people)
        Rows sum to 1.
    """
    weight = rng.exponential(size=(draws, len(rated))) * rated
    return np.asarray(weight / weight.sum(axis=1, keepdims=True))
