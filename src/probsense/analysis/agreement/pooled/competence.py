"""Scores people and models by cultural consensus: their competence, and their agreement with most of everybody."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.polynomial.hermite_e import hermegauss
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
from probsense.analysis.agreement.pooled.model import Answers, Shares, second_answers

_BETTER = np.linspace(-3, 3, 41)
"""How much better than usual a person may be, in log odds."""
_SPREADS = np.geomspace(0.1, 2, 15)
_SPREAD, _PASSES = 0.6, 2
"""The spread of people that the line is fitted with at first, and how often both are fitted."""
_SLOPE_SD = 1.0
"""The standard deviation of the normal prior of the line's slope."""
_NODES, _WEIGHTS = hermegauss(9)
_LINE_STEP, _NOTHING = 1e-3, 1e-300

Floats = NDArray[np.float64]
_MODEL_ABILITY, _MODEL_GUESSING = (np.hypot(sd, SPREAD) for sd in (ABILITY_SD, GUESSING_SD))
"""Standard deviations of the priors of a model, which need not be like people."""
_STEP = 1e-2


def drawn_rates(
    answers: Answers, shares: Shares, counted: NDArray[np.bool_], draws: int, rng: np.random.Generator
) -> Floats:
    """Draw people's rates of answers that are those of most of everybody, on all statements that count.

    The log odds of being right are a + b·artanh|2p − 1| + uⱼ for a statement whose share among everybody is p (obvious
    statements are known better) and a person j, with u ~ N(0, τ²). Each statement has a distribution of shares, over
    which the probability of an answer is summed; so unknown majorities do not lower the rates. The line has the
    greatest likelihood, as if answers were independent, with the error of that estimate if statements are (Huber
    1967). The spread τ, with a half-normal prior, is drawn from its posterior on a grid, with people summed out.

    Parameters
    ----------
    answers : Answers
        They have no part in the shares.
    shares : Shares
    counted : ndarray of bool, shape (statements,)
        Which statements count.
    draws : int
    rng : numpy.random.Generator

    Returns
    -------
    ndarray, shape (draws, people)
        Somebody without an answer has the distribution of people.
    """
    from scipy.optimize import minimize
    from scipy.special import expit

    yes, no = shares.sides
    sides = np.stack([no, yes]), np.stack([yes, no])  # by answer: that with which it agrees, and the other
    margin = np.arctanh((np.arange(yes.shape[1]) + 0.5) / yes.shape[1])[:, None] - 1
    said = answers.yes.astype(np.int64)
    count = np.zeros(sides[0].shape[:2])
    np.add.at(count, (said, answers.statement), 1)

    def right(line: Floats, better: Floats) -> Floats:
        return np.asarray(expit(line[0] + line[1] * margin + better))

    def logs(chance: Floats) -> Floats:
        return np.log(np.maximum(sides[0] @ chance + sides[1] @ (1 - chance), _NOTHING))

    def by_statement(line: Floats, spread: float) -> Floats:
        usual = right(line, spread * _NODES) @ (_WEIGHTS / _WEIGHTS.sum())
        return np.asarray((count * logs(usual)).sum(axis=0))

    def loss(line: Floats, spread: float) -> float:
        return float((line[1] / _SLOPE_SD) ** 2 / 2 - by_statement(line, spread).sum())

    line, spread = np.array([1.0, 0.0]), _SPREAD
    mass = np.stack([normal_mass(_BETTER, 0.0, one) for one in _SPREADS], axis=1)
    for _ in range(_PASSES):
        line = minimize(loss, line, args=(spread,), method="BFGS").x
        of_people = np.zeros((answers.people, len(_BETTER)))
        np.add.at(of_people, answers.person, logs(right(line, _BETTER))[said, answers.statement])
        likelihood = np.exp(of_people - of_people.max(axis=1, keepdims=True))
        evidence = np.log(np.maximum(likelihood @ mass, _NOTHING)).sum(axis=0)
        # The density of log τ is that of τ, times τ.
        weight = np.exp(evidence - evidence.max() - (_SPREADS / SPREAD) ** 2 / 2) * _SPREADS
        spread = float(weight @ _SPREADS / weight.sum())

    moves = _LINE_STEP * np.eye(2)
    slopes = np.stack(
        [by_statement(line + move, spread) - by_statement(line - move, spread) for move in moves], axis=1
    ) / (2 * _LINE_STEP)
    around = [[loss(line + x + y, spread) for y in (*moves, *-moves)] for x in (*moves, *-moves)]
    curvature = np.array([[1, 0, -1, 0], [0, 1, 0, -1]]) @ around @ np.array([[1, 0, -1, 0], [0, 1, 0, -1]]).T
    inverse = np.linalg.inv(curvature / (4 * _LINE_STEP**2))
    lines = rng.multivariate_normal(line, inverse @ slopes.T @ slopes @ inverse, size=draws)

    chosen = rng.choice(len(weight), size=draws, p=weight / weight.sum())
    better = np.empty((draws, answers.people))
    for at in np.unique(chosen):
        times = chosen == at
        below = (likelihood * mass[:, at]).cumsum(axis=1)
        place = rng.random((int(times.sum()), answers.people)) * below[:, -1]
        cell = np.minimum((below <= place[..., None]).sum(axis=2), len(_BETTER) - 1)
        better[times] = _BETTER[cell] + (rng.random(cell.shape) - 0.5) * (_BETTER[1] - _BETTER[0])
    margins = (yes + no)[counted].mean(axis=0)
    rates = [
        np.interp(us, _BETTER, margins @ right(one, _BETTER)) for us, one in zip(better, lines, strict=True)
    ]
    return np.minimum(rates, 1.0)  # Rounded sums of margins may pass 1.


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
    (:func:`~probsense.analysis.agreement.pooled.competence.drawn_rates`).

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
