"""Tells whether chains of a sampler have mixed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def r_hat(draws: NDArray[np.float64]) -> NDArray[np.float64]:
    """Compute the rank-normalised split R-hat of each quantity, for its middle and its tails, whichever is larger.

    It compares the variance of all draws with that within halves of chains; 1 is best (Vehtari, Gelman, Simpson,
    Carpenter & Bürkner 2021, Bayesian Analysis 16(2), 667–718, section 4).

    Parameters
    ----------
    draws : ndarray, shape (chains, draws, quantities)
        At least 4 draws a chain, in their order.

    Returns
    -------
    ndarray, shape (quantities,)
        Infinite where each half of a chain stays at one value, but not all at the same; NaN where nothing moves.
    """
    half = draws.shape[1] // 2
    halves = np.concatenate([draws[:, :half], draws[:, draws.shape[1] - half :]])
    middle = np.median(halves, axis=(0, 1))
    return np.maximum(_of_ranks(halves), _of_ranks(np.abs(halves - middle)))


def largest_r_hat(draws: NDArray[np.float64]) -> float:
    """Return the largest :func:`r_hat` of all quantities; one that never moves counts as 1."""
    return float(np.nan_to_num(r_hat(draws), nan=1.0, posinf=np.inf).max())


def _of_ranks(halves: NDArray[np.float64]) -> NDArray[np.float64]:
    from scipy.special import ndtri
    from scipy.stats import rankdata

    total = halves.shape[0] * halves.shape[1]
    ranks = rankdata(halves.reshape(total, -1), axis=0).reshape(halves.shape)
    normal = ndtri((ranks - 3 / 8) / (total + 1 / 4))
    n = halves.shape[1]
    within = normal.var(axis=1, ddof=1).mean(axis=0)
    between = normal.mean(axis=1).var(axis=0, ddof=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.sqrt((n - 1) / n + between / within))
