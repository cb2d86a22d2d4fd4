"""Measures how well probabilities fit the right answers: proper scores, and the bins of calibration."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

BINS = 10
"""Number of bins of the calibration error, all equally wide."""


def brier_score(probabilities: NDArray[np.float64], gold: int) -> float:
    """Compute the Brier score of one distribution: Σⱼ (pⱼ − [j = gold])², summed over all options (Brier 1950).

    Parameters
    ----------
    probabilities : ndarray, shape (options,)
    gold : int
        Index of the right option.

    Returns
    -------
    float
        Score between 0 (certain and right) and 2 (certain and wrong). For two options it is twice the score of one
        option alone.
    """
    return float(((probabilities - np.eye(len(probabilities))[gold]) ** 2).sum())


def log_score(log_probabilities: NDArray[np.float64], gold: int) -> float:
    """Compute the logarithmic score of one distribution: −log p of the right option, in nats (Good 1952).

    Parameters
    ----------
    log_probabilities : ndarray, shape (options,)
        Logarithms, because small probabilities would underflow.
    gold : int
        Index of the right option.
    """
    return -float(log_probabilities[gold])


def bin_of(confidence: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the bin of each confidence; an edge belongs to the bin below it, and 0 to the first."""
    edges = np.linspace(0.0, 1.0, BINS + 1)
    return np.clip(np.searchsorted(edges, confidence) - 1, 0, BINS - 1)
