"""Fits lines: of scores on the size of models over families, and of people's values on models'."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from probsense.analysis.arrays import Bools, Floats, Ints, ratio
from probsense.analysis.inference.estimate import t_quantile
from probsense.core.errors import InputError

LARGEST = 1e4
"""Upper limit of the search for the ratio of the variance between families to the variance within."""


class SizeEffect(NamedTuple):
    """Hold a linear mixed model, score ~ 1 + log₁₀(parameters) + (1 | family), fitted by REML.

    Attributes
    ----------
    slope, stderr, low, high : float
        Difference in score between a model and one with ten times its parameters.
    families : int
    """

    slope: float
    stderr: float
    low: float
    high: float
    families: int


class _Fit(NamedTuple):
    """Hold the fit at one ratio of variances."""

    criterion: float
    coefficients: Floats
    covariance: Floats


def size_effect(scores: Floats, parameters: Floats, family: Sequence[str]) -> SizeEffect:
    """Estimate the effect of size on scores, with a level of its own for each family (Laird & Ware 1982).

    Parameters
    ----------
    scores : ndarray, shape (models,)
        Finite; published in per cent.
    parameters : ndarray, shape (models,)
        Number of parameters, above zero; published in 10⁹.
    family : sequence of str
        One for each model.

    Returns
    -------
    SizeEffect

    Raises
    ------
    InputError
        If a score or size is not a number, or there are too few families, sizes or models.

    Notes
    -----
    Given the ratio of the two variances, everything else has a closed form, and a search along a line finds the ratio.
    This is the profile of Bates et al. (2015, J. Stat. Software 67(1)) and the method of R's lmer, which computed the
    published estimates. Error and interval take the ratio as known, as lmer does. Student's t has
    models − families − 1 degrees of freedom, those of a slope within groups (Pinheiro & Bates 2000, section 2.4.2).
    """
    from scipy.optimize import minimize_scalar

    x = np.asarray(parameters, dtype=np.float64)
    if not (np.isfinite(x) & (x > 0) & np.isfinite(scores)).all():
        raise InputError("a model without score or size", expected="numbers; parameters above zero")
    names, place = np.unique(np.asarray(family), return_inverse=True)
    freedom = len(x) - len(names) - 1
    if len(names) < 2 or freedom < 1 or np.ptp(x) == 0:
        raise InputError(
            f"{len(x)} models of {len(names)} families",
            expected="models of several sizes, two families or more, and at least two models more than families",
        )
    design = np.column_stack([np.ones(len(x)), np.log10(x)])
    same = (place[:, None] == place).astype(np.float64)

    def fit(ratio: float) -> _Fit:
        return _fit(scores, design, np.eye(len(x)) + ratio * same)

    # The scale is logarithmic, so the ratio 0 (no variance between families) is compared separately.
    found = minimize_scalar(
        lambda log: fit(float(np.exp(log))).criterion,
        bounds=(-np.log(LARGEST), np.log(LARGEST)),
        method="bounded",
        options={"xatol": 1e-9},
    )
    best = min(fit(0.0), fit(float(np.exp(found.x))), key=lambda one: one.criterion)
    slope = float(best.coefficients[1])
    stderr = float(np.sqrt(best.covariance[1, 1]))
    half = t_quantile(freedom) * stderr
    return SizeEffect(slope, stderr, slope - half, slope + half, len(names))


def _fit(y: Floats, design: Floats, shape: Floats) -> _Fit:
    """Fit generalised least squares with errors of covariance σ² · shape; the criterion is minus twice the REML
    log-likelihood.
    """
    inverse = np.linalg.inv(shape)
    information = design.T @ inverse @ design
    coefficients = np.linalg.solve(information, design.T @ inverse @ y).astype(np.float64)
    residual = y - design @ coefficients
    freedom = len(y) - design.shape[1]
    variance = float(residual @ inverse @ residual) / freedom
    logs = np.linalg.slogdet(shape)[1] + np.linalg.slogdet(information)[1]
    # If all scores lie exactly on lines, the variance is 0 and has no logarithm.
    criterion = float(logs + freedom * np.log(max(variance, np.finfo(np.float64).tiny)))
    return _Fit(criterion, coefficients, np.linalg.inv(information).astype(np.float64) * variance)


FOLDS = 50
SEED = 100
"""Number of folds and seed of their shuffling, as published."""


def folds(n: int, *, count: int = FOLDS) -> Ints:
    """Assign each of n elements to a fold, as ``sklearn.model_selection.KFold(count, shuffle=True,
    random_state=SEED)`` does.

    Parameters
    ----------
    n : int
        At least ``count``.
    count : int

    Returns
    -------
    ndarray of int, shape (n,)
    """
    shuffled = np.arange(n)
    np.random.RandomState(SEED).shuffle(shuffled)
    place = np.empty(n, np.int64)
    for fold, members in enumerate(np.array_split(shuffled, count)):
        place[members] = fold
    return place


def out_of_sample_r2(people: Floats, models: Floats, fold: Ints) -> Floats:
    """Compute, as published, R² on each fold of a line people ~ model that was fitted to all other folds.

    Parameters
    ----------
    people : ndarray, shape (statements,)
        Finite.
    models : ndarray, shape (models, statements)
        Finite.
    fold : ndarray of int, shape (statements,)
        Folds from :func:`folds`.

    Returns
    -------
    ndarray, shape (models, folds)
        1 − Σ(y − ŷ)² / Σ(y − ȳ)² over the statements of a fold; 0 where people's values do not vary there, as in
        scikit-learn. The publication reports the mean over folds and the standard deviation with denominator n.
    """
    return np.array([regression(people, model[None], fold)[1] for model in models])


def regression(people: Floats, models: Floats, fold: Ints) -> tuple[float, Floats]:
    """Regress people's values of statements on all models' at once, with a constant, as published.

    Parameters
    ----------
    people : ndarray, shape (statements,)
        Finite.
    models : ndarray, shape (models, statements)
        Finite; fewer models than statements.
    fold : ndarray of int, shape (statements,)
        Folds from :func:`folds`.

    Returns
    -------
    r2 : float
        NaN where people's values do not vary; those of single folds are 0 there.
    fold_r2 : ndarray, shape (folds,)
        R² on each fold of the same regression fitted to all others.
    """
    design = np.column_stack([np.ones(len(people)), models.T])
    coefficients = np.linalg.lstsq(design, people)[0].astype(np.float64)
    unexplained = float(((people - design @ coefficients) ** 2).sum())
    total = float(((people - people.mean()) ** 2).sum())
    unseen = [_unseen_r2(design, people, fold == f) for f in range(fold.max() + 1)]
    return _r2(unexplained, total), np.array(unseen)


def _unseen_r2(design: Floats, y: Floats, unseen: Bools) -> float:
    coefficients = np.linalg.lstsq(design[~unseen], y[~unseen])[0]
    wrong = ((y[unseen] - design[unseen] @ coefficients) ** 2).sum()
    varies = np.ptp(y[unseen]) > 0
    return _r2(wrong, ((y[unseen] - y[unseen].mean()) ** 2).sum()) if varies else 0.0


def _r2(unexplained: float, total: float) -> float:
    return float(1 - ratio(np.asarray(unexplained), np.asarray(total)))
