"""Reads models as simulated populations: the probability of "yes" is the share of people who say it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from probsense.analysis.agreement.scores import (
    Scores,
    correlation_p_value,
    majority,
    match,
    mean_known,
    paired_correlations,
    ratio,
)


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
