"""Measures how far one distribution lies from another, in nats where logarithms enter.

Each function takes people's distribution p first and the model's q second, along the last axis; any leading axes
broadcast.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from probsense.analysis.distributions.label_mass import refused


def kl(p: ArrayLike, q: ArrayLike) -> NDArray[np.float64]:
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


def js(p: ArrayLike, q: ArrayLike) -> NDArray[np.float64]:
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
    p, q = _floats(p), _floats(q)
    middle = (p + q) / 2
    return (kl(p, middle) + kl(q, middle)) / 2


def total_variation(p: ArrayLike, q: ArrayLike) -> NDArray[np.float64]:
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


def hellinger(p: ArrayLike, q: ArrayLike) -> NDArray[np.float64]:
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
    return np.asarray(np.sqrt((np.subtract(np.sqrt(p), np.sqrt(q)) ** 2).sum(axis=-1) / 2))


def laplace(counts: ArrayLike, smoothing: ArrayLike = 1.0) -> NDArray[np.float64]:
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


def _floats(values: ArrayLike) -> NDArray[np.float64]:
    return np.asarray(values, dtype=np.float64)


MOST: Final = 0.9
"""The largest share of statements on which other first words may be more probable than yes and than no, if results are
to rest on the answers."""
LEAST: Final = 0.1
"""The smallest mean probability of yes and no together with which results rest on answers."""


class Clarity(NamedTuple):
    """How far the answers of a model to one question are yes or no.

    Attributes
    ----------
    known : int
        Statements with an answer.
    other_first : int
        Those on which other first words together are more probable than yes and than no.
    mass : float
        Mean probability of yes and no together; NaN without an answer.
    """

    known: int
    other_first: int
    mass: float

    def too_little(self, policy: str) -> bool:
        """Whether results would rest on answers that are not there, if this becomes of other answers.

        Halves of other answers are no answers, and neither are shares of next to nothing. Where other answers count as
        wrong or for themselves, nothing rests on what is not there.
        """
        if not self.known:
            return False
        return (policy in ("split", "drop") and self.mass < LEAST) or (
            policy == "split" and self.other_first > MOST * self.known
        )


def clarity(mass: NDArray[np.float64]) -> Clarity:
    """Sum up the answers to one question.

    Parameters
    ----------
    mass : ndarray, shape (statements, 3)
        Mass of yes, no and other; NaN without data.
    """
    known = mass[~np.isnan(mass[:, 0])]
    on_labels = float(known[:, :2].sum(axis=1).mean()) if len(known) else float("nan")
    return Clarity(len(known), int(refused(known).sum()), on_labels)
