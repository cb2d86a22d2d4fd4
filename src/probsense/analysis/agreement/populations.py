"""Reads models as simulated populations: the probability of "yes" is the share of people who say it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from probsense.analysis.agreement.scores import (
    Scores,
    correlation_p_value,
    filled,
    majority,
    match,
    mean_known,
    paired_correlations,
    ratio,
)
from probsense.analysis.inference.influence import Cells


def published_population_scores(p1: NDArray[np.float64], p2: NDArray[np.float64]) -> Scores:
    """Score statements within a model as published, where a tie of the model's own first answer is a "yes".

    Consensus is 2·|p₁ − ½|; awareness is p₂ where p₁ ≥ ½, else 1 − p₂: the majority is the model's *own*
    (Nguyen, Watts & Whiting 2026).

    Parameters
    ----------
    p1, p2 : ndarray, shape (models, statements)
        Probability of "yes" to both questions, without the mass of other answers; NaN where there is none.

    Returns
    -------
    Scores
        Scores of shape (models, statements).
    """
    return Scores(2 * np.abs(p1 - 0.5), np.where(p1 >= 0.5, p2, 1 - p2))


def population_scores(p1: NDArray[np.float64], p2: NDArray[np.float64]) -> Scores:
    """Score statements within a model; at a tie of its own first answer, every second answer is half right.

    Parameters
    ----------
    p1, p2 : ndarray, shape (models, statements)
        Probability of "yes" to both questions; NaN where there is none.

    Returns
    -------
    Scores
        Scores of shape (models, statements).
    """
    return Scores(np.abs(2 * p1 - 1), match(p2, majority(p1)))


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """Hold how near models' values of statements come to people's; all arrays have the shape (models,).

    Attributes
    ----------
    r, p : ndarray
        Pearson's correlation and its two-sided p-value.
    r2 : ndarray
        1 − Σ(h − m)² / Σ(h − h̄)². The model's value itself is the prediction, so that R² may be negative.
    rmse, mae : ndarray
        Root mean square and mean absolute difference, in the unit of the values.
    n : ndarray of int
        Number of statements.
    """

    r: NDArray[np.float64]
    p: NDArray[np.float64]
    r2: NDArray[np.float64]
    rmse: NDArray[np.float64]
    mae: NDArray[np.float64]
    n: NDArray[np.int64]


def fit(people: NDArray[np.float64], models: NDArray[np.float64]) -> Fit:
    """Compare models' values of statements with people's, as published.

    Parameters
    ----------
    people : ndarray, shape (statements,)
        For example the commonsensicality of statements; NaN where it is unknown.
    models : ndarray, shape (models, statements)

    Returns
    -------
    Fit
        Fit of each model on the statements for which both values are known.
    """
    known = ~np.isnan(models) & ~np.isnan(people)
    n = known.sum(axis=1)
    human = np.where(known, people, np.nan)
    apart = human - models
    squares = mean_known(apart**2)
    (r,) = paired_correlations(human, models, np.ones((1, len(people))))
    return Fit(
        r,
        correlation_p_value(r, n),
        1 - ratio(squares, mean_known((human - mean_known(human)[:, None]) ** 2)),
        np.sqrt(squares),
        mean_known(np.abs(apart)),
        n,
    )


Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Simulated:
    """Hold what each persona answers.

    Attributes
    ----------
    yes : ndarray, shape (personas, statements)
        Probability of yes; NaN where there is no answer.
    noise : ndarray, shape (personas, statements)
        Variance of that probability around the true one: 0 if it is exact.
    weight : ndarray, shape (personas,)
        How many people each persona stands for, in any unit.
    """

    yes: Floats
    noise: Floats
    weight: Floats

    def of(self, personas: NDArray[np.bool_]) -> Simulated:
        """Select personas."""
        return Simulated(self.yes[personas], self.noise[personas], self.weight[personas])


class Valued(NamedTuple):
    """Hold a value of each statement, NaN where it is unknown, with what every answer adds to it."""

    value: Floats
    cells: Cells


class Answering(NamedTuple):
    """Hold how the respondents of a population answer: each attribute has a value for each statement.

    Attributes
    ----------
    share : Valued
        The share of yes.
    noise : ndarray, shape (statements,)
        Variance of that share around the share of all who might have been asked; a single persona stands for itself.
    """

    share: Valued
    noise: Floats


def personas_answering(found: Simulated) -> Answering:
    """Measure the answers of simulated people.

    With weights w that sum to 1 over the personas that answer, the variance of their mean p̄ is
    Σ w² · Σ w(p − p̄)² / (1 − Σ w²), as if they were drawn from more personas.

    Parameters
    ----------
    found : Simulated

    Returns
    -------
    Answering
        NaN for statements that no persona answers.
    """
    known = ~np.isnan(found.yes)
    count = known.sum(axis=0)
    weight = np.where(known, found.weight[:, None], 0.0)
    w = filled(ratio(weight, weight.sum(axis=0)))
    p, noise = filled(found.yes), filled(found.noise)
    share = np.where(count > 0, (w * p).sum(axis=0), np.nan)
    off = np.where(w > 0, p - share, 0.0)
    room = np.where(count > 1, 1 - (w**2).sum(axis=0), np.nan)
    squares = (w * off**2).sum(axis=0)
    rater, item = np.nonzero(known)
    return Answering(
        Valued(share, Cells(item, rater, (w * off)[rater, item])),
        np.where(count > 1, squares / room, (w * noise).sum(axis=0)) * (w**2).sum(axis=0),
    )


def people_answering(
    yes: Floats, statement: NDArray[np.int64], person: NDArray[np.int64], statements: int
) -> Answering:
    """Measure the answers of people, who each answer once.

    Of n people of whom a share s says yes, the variance of the share is s(1 − s)/(n − 1), which is unbiased.

    Parameters
    ----------
    yes : ndarray, shape (k,)
        1 or 0.
    statement, person : ndarray of int, shape (k,)
    statements : int

    Returns
    -------
    Answering
        NaN for statements that fewer than two people answer.
    """
    n = np.bincount(statement, minlength=statements).astype(np.float64)
    n = np.where(n > 1, n, np.nan)
    share = np.bincount(statement, yes, statements) / n
    off = Cells(statement, person, filled((yes - share[statement]) / n[statement]))
    return Answering(Valued(share, off), share * (1 - share) / (n - 1))
