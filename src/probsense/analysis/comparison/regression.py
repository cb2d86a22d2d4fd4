"""Fits lines of people's values of statements on models', and measures how well they predict what was left out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from probsense.analysis.agreement.scores import filled, ratio

FOLDS = 50
SEED = 100
"""Number of folds and seed of their shuffling, as published."""
ROUNDING = 1e-12
"""Share of a sum of squares that may be rounding."""


def folds(n: int, *, count: int = FOLDS, seed: int = SEED) -> NDArray[np.int64]:
    """Assign each of n elements to a fold, as ``sklearn.model_selection.KFold(count, shuffle=True,
    random_state=seed)`` does.

    Parameters
    ----------
    n : int
        At least ``count``.
    count, seed : int

    Returns
    -------
    ndarray of int, shape (n,)
    """
    shuffled = np.arange(n)
    np.random.RandomState(seed).shuffle(shuffled)
    place = np.empty(n, np.int64)
    for fold, members in enumerate(np.array_split(shuffled, count)):
        place[members] = fold
    return place


def out_of_sample_r2(
    people: NDArray[np.float64], models: NDArray[np.float64], fold: NDArray[np.int64]
) -> NDArray[np.float64]:
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

    Notes
    -----
    Sums over folds give all lines. Values are centred first, to avoid cancellation.
    """
    inside = (fold[:, None] == np.arange(fold.max() + 1)).astype(np.float64)
    x, y = models - models.mean(axis=1, keepdims=True), people - people.mean()
    n, sy, syy = inside.sum(axis=0), y @ inside, (y * y) @ inside
    sx, sxx, sxy = x @ inside, (x * x) @ inside, (x * y) @ inside

    def rest(of_folds: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sum over all other folds."""
        return np.asarray(of_folds.sum(axis=-1, keepdims=True) - of_folds)

    spread = _about_the_mean(rest(sxx), rest(sx), rest(n))
    # A model that does not vary predicts the mean.
    slope = filled(ratio(rest(sxy) - rest(sx) * rest(sy) / rest(n), spread))
    start = (rest(sy) - slope * rest(sx)) / rest(n)
    wrong = syy + n * start**2 + slope**2 * sxx + 2 * start * slope * sx - 2 * start * sy - 2 * slope * sxy
    return filled(1 - ratio(wrong, _about_the_mean(syy, sy, n)))


def _about_the_mean(
    squares: NDArray[np.float64], sums: NDArray[np.float64], n: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Sum squares of distances from the mean; 0 where only rounding is left."""
    found = squares - sums**2 / n
    return np.where(found > ROUNDING * squares, found, 0.0)


def regression(
    people: NDArray[np.float64], models: NDArray[np.float64], fold: NDArray[np.int64]
) -> tuple[float, NDArray[np.float64]]:
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


def _unseen_r2(design: NDArray[np.float64], y: NDArray[np.float64], unseen: NDArray[np.bool_]) -> float:
    coefficients = np.linalg.lstsq(design[~unseen], y[~unseen])[0]
    wrong = ((y[unseen] - design[unseen] @ coefficients) ** 2).sum()
    varies = np.ptp(y[unseen]) > 0
    return _r2(wrong, ((y[unseen] - y[unseen].mean()) ** 2).sum()) if varies else 0.0


def _r2(unexplained: float, total: float) -> float:
    return float(1 - ratio(np.asarray(unexplained), np.asarray(total)))
