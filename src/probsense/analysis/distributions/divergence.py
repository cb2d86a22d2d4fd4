"""Measures how far one distribution lies from another, and how well one fits the right answer; logarithms are natural.

Functions of two distributions take people's p first and the model's q second, along the last axis; any leading axes
broadcast.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from probsense.analysis.arrays import Floats, Ints


def kl(p: ArrayLike, q: ArrayLike) -> Floats:
    """Compute the Kullback–Leibler divergence KL(p ‖ q) = Σ p log(p/q), with 0 log 0 = 0 (Kullback & Leibler 1951).

    Parameters
    ----------
    p, q : array_like, shape (..., K)
        Distributions.

    Returns
    -------
    ndarray, shape (...)
        Divergences in nats, from 0; infinite where q is 0 and p is not.
    """
    from scipy.special import rel_entr

    return np.asarray(rel_entr(p, q).sum(axis=-1))


def js(p: ArrayLike, q: ArrayLike) -> Floats:
    """Compute the Jensen–Shannon divergence (KL(p ‖ m) + KL(q ‖ m))/2 with m = (p + q)/2 (Lin 1991).

    Parameters
    ----------
    p, q : array_like, shape (..., K)
        Distributions.

    Returns
    -------
    ndarray, shape (...)
        Divergences in nats, from 0 to log 2.
    """
    middle = np.add(p, q, dtype=np.float64) / 2
    return (kl(p, middle) + kl(q, middle)) / 2


def total_variation(p: ArrayLike, q: ArrayLike) -> Floats:
    """Compute the total variation distance Σ|p − q|/2, the mass that lies elsewhere.

    Parameters
    ----------
    p, q : array_like, shape (..., K)
        Distributions.

    Returns
    -------
    ndarray, shape (...)
        Distances from 0 to 1.
    """
    return np.asarray(np.abs(np.subtract(p, q)).sum(axis=-1) / 2)


def hellinger(p: ArrayLike, q: ArrayLike) -> Floats:
    """Compute the Hellinger distance √(Σ(√p − √q)²/2).

    Parameters
    ----------
    p, q : array_like, shape (..., K)
        Distributions.

    Returns
    -------
    ndarray, shape (...)
        Distances from 0 to 1.
    """
    return np.asarray(np.sqrt(((np.sqrt(p) - np.sqrt(q)) ** 2).sum(axis=-1) / 2))


def laplace(counts: ArrayLike, smoothing: ArrayLike = 1.0) -> Floats:
    """Compute a distribution from counts by additive smoothing, (count + a)/(n + aK) over K categories (Laplace
    1814).

    Parameters
    ----------
    counts : array_like, shape (..., K)
        Counts from 0, possibly fractions.
    smoothing : array_like, of a shape that broadcasts
        Number that is added to each count, from 0. The result depends on the number of answers: fewer lie nearer to
        uniform.

    Returns
    -------
    ndarray, shape (..., K)
    """
    smoothed = np.add(counts, smoothing, dtype=np.float64)
    return np.asarray(smoothed / smoothed.sum(axis=-1, keepdims=True))


BINS = 10
"""Number of bins of the calibration error, all equally wide."""


def brier_score(probabilities: Floats, gold: int) -> float:
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


def log_score(log_probabilities: Floats, gold: int) -> float:
    """Compute the logarithmic score of one distribution: −log p of the right option, in nats (Good 1952).

    Parameters
    ----------
    log_probabilities : ndarray, shape (options,)
        Logarithms, because small probabilities would underflow.
    gold : int
        Index of the right option.
    """
    return -float(log_probabilities[gold])


def bin_of(confidence: Floats) -> Ints:
    """Return the bin of each confidence; an edge belongs to the bin below it, and 0 to the first."""
    edges = np.linspace(0.0, 1.0, BINS + 1)
    return np.clip(np.searchsorted(edges, confidence) - 1, 0, BINS - 1)
