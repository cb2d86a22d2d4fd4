"""Fixed numbers of answers out of more, so that how many there are cannot pass for how good they are.

An evenly drawn part of what was collected has the same expectation as that many answers collected in the first place;
a figure's mean over many parts is so an unbiased estimate of what it would be (rarefaction: Sanders 1968, Hurlbert
1971).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from probsense.answers.questions import Floats

Places = NDArray[np.int64]


class RarefiedSample(NamedTuple):
    """The same number n of answers in each of some draws.

    Attributes
    ----------
    strings : ndarray of int, shape (draws, n)
        Which string each answer is.
    weights : ndarray, shape (draws, n)
        How much each counts; rows sum to n.
    """

    strings: Places
    weights: Floats

    def counts(self, strings: int) -> Floats:
        """How often each of so many strings is among the answers, shape (draws, strings)."""
        draws = len(self.strings)
        place = self.strings + strings * np.arange(draws)[:, None]
        sums = np.bincount(place.ravel(), self.weights.ravel(), draws * strings)
        return sums.astype(np.float64).reshape(draws, strings)

    def single(self, answers: int, rng: np.random.Generator) -> Places:
        """Whole answers, each as often as its weight says or nearly so; shape (draws, answers).

        Systematic sampling (Madow & Madow 1944): even steps along the summed weights, from a random start. The answers
        themselves where all weigh the same and as many are wanted.
        """
        draws, n = self.strings.shape
        steps = (np.arange(answers) + rng.random((draws, 1))) * (n / answers)
        place = (steps[:, :, None] >= np.cumsum(self.weights, axis=1)[:, None, :]).sum(axis=2)
        return np.take_along_axis(self.strings, np.minimum(place, n - 1), axis=1)


def instances(counts: NDArray[np.int64]) -> Places:
    """Each answer that was given, as the index of its string, shape (sum of counts,)."""
    return np.repeat(np.arange(len(counts)), counts)


def shuffled(answers: int, draws: int, rng: np.random.Generator) -> Places:
    """Permutations of the answers, shape (draws, answers)."""
    return np.argsort(rng.random((draws, answers)), axis=1)


def weighted_sample(given: Places, picks: Places, times: Floats) -> RarefiedSample:
    """The picked answers, weighted.

    Parameters
    ----------
    given : ndarray of int, shape (N,)
        The string of each answer.
    picks : ndarray of int, shape (draws, n)
        Which answers are picked.
    times : ndarray, shape (draws, N)
        How often each counts. Where all that are picked count 0 times, each counts once.
    """
    weights = np.take_along_axis(times, picks, axis=1)
    weights = np.where(weights.any(axis=1, keepdims=True), weights, 1.0)
    return RarefiedSample(given[picks], weights * (picks.shape[1] / weights.sum(axis=1, keepdims=True)))
