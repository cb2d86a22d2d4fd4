"""Measures how well probabilities fit the right answers: proper scores and calibration."""

from __future__ import annotations

from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True, eq=False)
class Calibration:
    """Hold confidence and accuracy in bins of confidence (lower edge, upper edge].

    Attributes
    ----------
    edges : ndarray, shape (bins + 1,)
    count : ndarray of int, shape (bins,)
    confidence, accuracy : ndarray, shape (bins,)
        Means over the answers in each bin; NaN for an empty bin.
    """

    edges: NDArray[np.float64]
    count: NDArray[np.int64]
    confidence: NDArray[np.float64]
    accuracy: NDArray[np.float64]

    @property
    def error(self) -> float:
        """Return the expected calibration error: Σ_b n_b/n · |accuracy_b − confidence_b| (Naeini et al. 2015; Guo et
        al. 2017, arXiv 1706.04599).
        """
        return float(np.nansum(self.count * np.abs(self.accuracy - self.confidence)) / self.count.sum())


def bin_of(confidence: NDArray[np.float64], bins: int = BINS) -> NDArray[np.int64]:
    """Return the bin of each confidence; an edge belongs to the bin below it, and 0 to the first."""
    return np.clip(np.searchsorted(_edges(bins), confidence) - 1, 0, bins - 1)


def calibration(confidence: NDArray[np.float64], right: NDArray[np.bool_], bins: int = BINS) -> Calibration:
    """Sort answers into bins of confidence.

    Parameters
    ----------
    confidence : ndarray, shape (n,)
        Probability of the answer that was given, between 0 and 1.
    right : ndarray of bool, shape (n,)
        Whether it was the right one.
    bins : int
        Number of bins, all equally wide.
    """
    place = bin_of(confidence, bins)
    count = np.bincount(place, minlength=bins)
    with np.errstate(invalid="ignore"):
        return Calibration(
            _edges(bins),
            count,
            np.bincount(place, confidence, bins) / count,
            np.bincount(place, right, bins) / count,
        )


def _edges(bins: int) -> NDArray[np.float64]:
    return np.linspace(0.0, 1.0, bins + 1)
