"""Factors people's agreement: whether one culture explains it, by the ratio of the first two eigenvalues."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from probsense.analysis.agreement.pooled.condorcet import Draws, chance_of_yes
from probsense.analysis.agreement.pooled.given import Answers

STUDIES, FEWEST = 99, 19
"""Studies of one culture to compare with, and how many there are at least where there are many answers."""
_WORK = 2e6
"""With more answers times studies than this, there are fewer studies."""
_ROUNDS, _FIRST_ROUNDS, _ENOUGH, _STARTS = 100, 5, 1e-3, 3
"""Rounds, those after which the best of the starts is chosen, and the change after which they end."""
_NOTHING = 1e-9
_LARGEST = 0.5
"""No loading is larger: an answer has no larger standard deviation."""

Floats = NDArray[np.float64]


class Factors(NamedTuple):
    """Hold the ratio of the first eigenvalue to the second, and the share of people whose first loading is negative."""

    ratio: float
    negative: float


class Eigenvalues(NamedTuple):
    """Hold people's factors beside those of studies of one culture.

    Attributes
    ----------
    observed : Factors
    low, high : float
        Between which 95 % of the ratios of such studies lie.
    negative : float
        The mean share of negative loadings in them.
    p : float
        The share of such studies in which the ratio is at most as large, the observed one among them.
    """

    observed: Factors
    low: float
    high: float
    negative: float
    p: float


def eigenvalues(answers: Answers, draws: Draws, rng: np.random.Generator) -> Eigenvalues:
    """Compare people's factors with those of studies that are drawn from one culture.

    If people share one key, one factor explains their agreement, and the first eigenvalue is at least three times the
    second one (Romney, Weller & Batchelder 1986, American Anthropologist 88, 313–338). With few answers to the same
    statements, chance alone makes a second factor. So the ratio is compared with that in studies with the same raters,
    drawn from the model of one culture (a posterior predictive check: Gelman, Meng & Stern 1996, Statistica Sinica 6,
    733–807).

    Parameters
    ----------
    answers : Answers
    draws : Draws
        From these answers.
    rng : numpy.random.Generator

    Returns
    -------
    Eigenvalues
    """
    key, difficulty = draws.states
    observed = factors(answers)
    studies = int(np.clip(_WORK / max(len(answers.yes), 1), FEWEST, STUDIES))
    drawn = []
    for t in np.linspace(0, len(draws.state) - 1, studies).astype(np.int64):
        state = draws.state[t, answers.statement]
        chance = chance_of_yes(
            key[state],
            difficulty[state],
            draws.ability[t, answers.person],
            draws.guessing[t, answers.person],
        )
        yes = (rng.random(len(chance)) < chance).astype(np.float64)
        drawn.append(factors(answers._replace(yes=yes)))
    ratios = np.array([one.ratio for one in drawn])
    low, high = np.quantile(ratios, [0.025, 0.975])
    below = int((ratios <= observed.ratio).sum())
    negative = float(np.mean([one.negative for one in drawn]))
    return Eigenvalues(observed, float(low), float(high), negative, (1 + below) / (1 + studies))


def factors(answers: Answers) -> Factors:
    """Factor the covariances of people's answers by least residuals (minres: Harman & Jones 1966, Psychometrika 31).

    Answers are taken less their person's mean, so that a leaning towards yes is no agreement. For the people j and k,
    who both rated n_jk statements, the covariance C_jk is the mean of their products over these. The loadings f of the
    first factor minimise Σ_{j<k} n_jk·(C_jk − f_j·f_k)²; those of the second one do so for what is left. The diagonal
    and pairs without a statement in common do not count. A factor's eigenvalue is the sum of its squared loadings.

    Parameters
    ----------
    answers : Answers

    Returns
    -------
    Factors
        The ratio is infinite where no second factor is left, and 1 where there is no first.
    """
    from scipy.sparse import csr_array

    shape = (answers.people, answers.statements)
    count = np.bincount(answers.person, minlength=answers.people).astype(np.float64)
    mean = np.bincount(answers.person, answers.yes, answers.people) / np.maximum(count, 1)
    left = answers.yes - mean[answers.person]
    place = answers.person, answers.statement
    table, asked = (csr_array((x, place), shape=shape) for x in (left, np.ones_like(left)))
    own = np.bincount(answers.person, left**2, answers.people).astype(np.float64, copy=False)

    def products(f: Floats) -> Floats:
        return _times(table, own, f)

    def together(f: Floats) -> Floats:
        return _times(asked, count, f)

    pairs = together(np.ones(answers.people))
    paired = (pairs > 0).astype(np.float64)
    level = float(products(paired).sum()) / max(float(pairs.sum()), 1.0)
    first = _loadings(products, together, paired * np.sqrt(max(level, 1e-4)))
    # A factor has two signs; that with which most people are positive is the culture's.
    first = first if first.sum() >= 0 else -first

    def rest(g: Floats) -> Floats:
        return products(g) - first * together(first * g)

    def explained(g: Floats) -> float:
        return float(2 * g @ rest(g) - g**2 @ together(g**2))

    starts = [paired * np.cos(i * np.arange(float(answers.people))) for i in range(1, _STARTS + 1)]
    begun = (_loadings(rest, together, _LARGEST * start, rounds=_FIRST_ROUNDS) for start in starts)
    second = _loadings(rest, together, max(begun, key=explained))
    one, two = float(first @ first), float(second @ second)
    known = count > 0
    return Factors(one / two if two > 0 else np.inf if one > 0 else 1.0, float(np.mean(first[known] < 0)))


def _times(table: Any, own: Floats, f: Floats) -> Floats:
    """Multiply the sums of products of people, without their diagonal, by a vector."""
    return np.asarray(table @ (table.T @ f) - own * f)


def _loadings(
    products: Callable[[Floats], Floats],
    together: Callable[[Floats], Floats],
    start: Floats,
    *,
    rounds: int = _ROUNDS,
) -> Floats:
    """Find the loadings of a factor by alternating least squares, all people at once and by half a step."""
    f = start
    for _ in range(rounds):
        squares = together(f**2)
        with np.errstate(invalid="ignore", divide="ignore"):
            best = np.where(squares > _NOTHING, products(f) / squares, 0.0)
        moved = (np.clip(best, -_LARGEST, _LARGEST) - f) / 2
        f = f + moved
        if np.abs(moved).max() < _ENOUGH:
            break
    return f
