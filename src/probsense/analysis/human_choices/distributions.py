"""Holds people's and a model's distributions over the options of questions, and says how uncertain they are."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from probsense.analysis.arrays import Bools, Floats, Ints
from probsense.analysis.distributions.divergence import laplace
from probsense.core.errors import InputError

PSEUDOCOUNT = 1.0
"""What is added to each count of a model's answers before logarithms, as in frames."""


class Distributions(NamedTuple):
    """Hold the distributions of people and of a model over the options of each question.

    Questions have different numbers of options. Options that a question does not have have shares of 0.

    Attributes
    ----------
    p, q : ndarray, shape (questions, K)
        Shares of people and of the model; NaN in all options of a question where they are unknown.
    exists : ndarray of bool, shape (questions, K)
        Whether the question has this option, for K options at most.
    people, answers : ndarray, shape (questions,)
        How many people and how many answers of the model the shares rest on. NaN stands for an unknown number of
        people, infinity for exact probabilities.
    variance : ndarray, shape (questions,), optional
        The variance of the model's shares, summed over the options, where its answers are no simple sample, because so
        many come from each order of the options.
    """

    p: Floats
    q: Floats
    exists: Bools
    people: Floats
    answers: Floats
    variance: Floats | None = None

    def where(self, chosen: Bools | Ints) -> Distributions:
        """Return the distributions of some of the questions, by a mask or by indices."""
        variance = None if self.variance is None else self.variance[chosen]
        parts = self.p[chosen], self.q[chosen], self.exists[chosen], self.people[chosen], self.answers[chosen]
        return Distributions(*parts, variance)


def distributions(
    counts: Floats, shares: Floats, *, people: ArrayLike | None = None, answers: ArrayLike = np.inf
) -> Distributions:
    """Set a model's shares beside people's counts.

    Parameters
    ----------
    counts : ndarray, shape (questions, options)
        How many people chose each option; NaN where a question has no such option. With ``people``, these are shares,
        and are taken as they are.
    shares : ndarray, shape (questions, options)
        Shares of the model, which sum to 1 within a question; NaN in all options of a question that the model has not
        answered.
    people : array_like, shape (questions,), optional
        How many people answered each question, NaN if unknown; by default the sum of the counts.
    answers : array_like, shape (questions,)
        How many answers the model's shares rest on; infinite for exact probabilities.

    Returns
    -------
    Distributions

    Raises
    ------
    InputError
        If the shapes differ.
    """
    if counts.ndim != 2 or counts.shape != shares.shape:
        raise InputError(
            f"counts of shape {counts.shape} and shares of shape {shares.shape}",
            expected="questions by options, both alike",
        )
    exists = ~np.isnan(counts)
    given = np.where(exists, counts, 0.0)
    total = given.sum(axis=1)
    p = given if people is not None else given / np.where(total > 0, total, np.nan)[:, None]
    q = np.where(exists, shares, 0.0)
    q = np.where(np.isnan(q).any(axis=1, keepdims=True), np.nan, q)
    questions = (len(counts),)
    return Distributions(
        p,
        q,
        exists,
        np.broadcast_to(np.asarray(total if people is None else people, dtype=np.float64), questions),
        np.broadcast_to(np.asarray(answers, dtype=np.float64), questions),
    )


def uniform(exists: Bools) -> Floats:
    """Return equal shares of all options that a question has, and 0 for the others."""
    return np.asarray(exists / exists.sum(axis=-1, keepdims=True))


def smoothed(q: Floats, answers: Floats, exists: Bools) -> Floats:
    """Keep every share above 0, so that its logarithm is finite.

    Shares that rest on m answers become (m·q + 1)/(m + K) over the K options of the question, the additive smoothing
    of frames (Laplace 1814). Exact probabilities stay as they are, but for the smallest number that is not 0.

    Parameters
    ----------
    q : ndarray, shape (questions, options)
    answers : ndarray, shape (questions,)
    exists : ndarray of bool, shape (questions, options)

    Returns
    -------
    ndarray, shape (questions, options)
        0 for options that the question does not have.
    """
    sampled = np.isfinite(answers)[:, None]
    added = laplace(np.where(sampled, answers[:, None], 1.0) * q, PSEUDOCOUNT * exists)
    return np.where(exists, np.where(sampled, added, np.maximum(q, np.finfo(np.float64).tiny)), 0.0)
