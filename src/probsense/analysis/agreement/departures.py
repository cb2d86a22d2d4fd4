"""Tests, statement by statement, whether people's answers could come from a model's probability of yes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def departure_p_values(
    yes: NDArray[np.float64], asked: NDArray[np.float64], p: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Compute two-sided p-values of exact binomial tests, twice the smaller tail (Clopper & Pearson 1934).

    The test takes a statement's raters for a random sample of people who say yes with the model's probability, and the
    model's probability for known.

    Parameters
    ----------
    yes, asked : ndarray, shape (statements,)
        Numbers of people who say yes, and of people who answer.
    p : ndarray, shape (..., statements)
        Probabilities of yes; NaN where there is none.

    Returns
    -------
    ndarray, shape (..., statements)
        At most 1; NaN where nobody answers, or there is no probability.
    """
    from scipy.special import bdtr, bdtrc

    p, n = np.clip(p, 0, 1), asked.astype(np.int64)
    up_to = bdtr(yes, n, p)
    from_there = np.where(yes > 0, bdtrc(np.maximum(yes - 1, 0), n, p), 1.0)
    found = np.minimum(2 * np.minimum(up_to, from_there), 1)
    return np.where((asked > 0) & ~np.isnan(p), found, np.nan)
