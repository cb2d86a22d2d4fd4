"""Checks whether people are of one culture: whether their departures from the model have a pattern in common."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from probsense.analysis.agreement.people import People
from probsense.analysis.agreement.pooled.model import CELLS, EDGES, Answers, Shares, first_answers

DRAWS = 200
"""Studies of one culture to compare with."""
_SWEEPS = 20
_NOTHING = 1e-9
"""Departures below this are rounding."""
_FEW = 8
"""With fewer people, all eigenvalues are computed."""


class OneCulture(NamedTuple):
    """Hold how far people's departures from the model have a pattern in common.

    Attributes
    ----------
    ratio : float
        The largest eigenvalue of the agreement of departures, divided by its mean in studies of one culture.
    p : float
        The share of such studies in which it is at least as large, the observed one among them. NaN, as the ratio is,
        where nobody's answers can depart, as where each person rated one statement.
    draws : int
    """

    ratio: float
    p: float
    draws: int


def one_culture(
    people: People, shares: Shares, rng: np.random.Generator, *, draws: int = DRAWS
) -> OneCulture:
    """Compare people's departures from what statements and leanings explain with those in studies of one culture.

    If all people share one culture, they agree because of the statements, and what is left of their answers is
    independent. A second culture leaves a pattern in which its people depart together, as a second factor does in the
    agreement of people (Romney, Weller & Batchelder 1986, American Anthropologist 88, 313–338). Departures are answers
    less the levels of their statement and their person. The products of two people's departures, summed and divided by
    the root of the product of the numbers of their answers, make a matrix. The largest eigenvalue of this matrix
    without its diagonal is compared with that in studies with the same raters, whose shares come from the posterior (a
    posterior predictive check: Gelman, Meng & Stern 1996, Statistica Sinica 6, 733–807).

    Parameters
    ----------
    people : People
    shares : Shares
        Of everybody, from these people.
    rng : numpy.random.Generator
    draws : int

    Returns
    -------
    OneCulture
    """
    from scipy.special import expit, logit

    answers = first_answers(people)
    below = shares.mass.cumsum(axis=1)
    observed = _pattern(answers, answers.yes)
    drawn = []
    for _ in range(draws):
        place = rng.random((answers.statements, 1))
        cell = np.minimum((below < place).sum(axis=1), CELLS - 1)
        share = EDGES[cell] + rng.random(answers.statements) / CELLS
        leaning = shares.people.value * rng.normal(size=answers.people)
        chance = expit(logit(share)[answers.statement] + leaning[answers.person])
        yes = (rng.random(len(chance)) < chance).astype(np.float64)
        drawn.append(_pattern(answers, yes))
    mean = float(np.mean(drawn))
    if not any((observed, *drawn)):
        return OneCulture(math.nan, math.nan, draws)
    return OneCulture(
        observed / mean if mean > 0 else 1.0,
        (1 + sum(one >= observed for one in drawn)) / (1 + draws),
        draws,
    )


def _pattern(answers: Answers, yes: NDArray[np.float64]) -> float:
    """Compute the largest eigenvalue of the agreement of departures between people."""
    from scipy.sparse import csr_array
    from scipy.sparse.linalg import LinearOperator, eigsh

    people, statements = (
        (place, np.maximum(np.bincount(place, minlength=size), 1))
        for place, size in ((answers.person, answers.people), (answers.statement, answers.statements))
    )
    left = yes - yes.mean()
    for _ in range(_SWEEPS):
        for place, count in (statements, people):
            left = left - (np.bincount(place, left, len(count)) / count)[place]
    if np.abs(left).max() < _NOTHING:
        return 0.0
    shape = (answers.people, answers.statements)
    table = csr_array((left, (answers.person, answers.statement)), shape=shape)
    scaled = table.multiply(1 / np.sqrt(people[1])[:, None]).tocsr()
    own = np.asarray((scaled.multiply(scaled)).sum(axis=1)).ravel()
    if answers.people < _FEW:
        return float(np.linalg.eigvalsh((scaled @ scaled.T).toarray() - np.diag(own))[-1])
    operator = LinearOperator(
        (answers.people,) * 2, matvec=lambda x: scaled @ (scaled.T @ x) - own * x, dtype=np.float64
    )
    start = np.ones(answers.people) + np.arange(answers.people) / answers.people
    return float(eigsh(operator, k=1, which="LA", v0=start, tol=1e-6, return_eigenvectors=False)[0])
