"""Draws a fixed number of answers out of more, so that the number of answers cannot pass for their quality.

A part of the answers, drawn with equal probabilities, has the same expectation as if only that many answers had been
collected. The mean of a statistic over many parts is therefore an unbiased estimate for that number of answers
(rarefaction: Sanders 1968, Hurlbert 1971).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from probsense.analysis.open_answers.questions import Floats

Places = NDArray[np.int64]


class RarefiedSample(NamedTuple):
    """Hold the same number n of answers in each of several draws.

    Attributes
    ----------
    strings : ndarray of int, shape (draws, n)
        Index of the string of each answer.
    weights : ndarray, shape (draws, n)
        Weight of each answer; rows sum to n.
    """

    strings: Places
    weights: Floats

    def counts(self, strings: int) -> Floats:
        """Count how often each string is among the answers, shape (draws, strings)."""
        draws = len(self.strings)
        place = self.strings + strings * np.arange(draws)[:, None]
        sums = np.bincount(place.ravel(), self.weights.ravel(), draws * strings)
        return sums.astype(np.float64).reshape(draws, strings)

    def single(self, answers: int, rng: np.random.Generator) -> Places:
        """Draw whole answers, each about as often as its weight says; shape (draws, answers).

        The draw is a systematic sample (Madow & Madow 1944): even steps along the summed weights, from a random start.
        It returns the answers themselves if all weights are equal and the numbers agree.
        """
        draws, n = self.strings.shape
        steps = (np.arange(answers) + rng.random((draws, 1))) * (n / answers)
        place = (steps[:, :, None] >= np.cumsum(self.weights, axis=1)[:, None, :]).sum(axis=2)
        return np.take_along_axis(self.strings, np.minimum(place, n - 1), axis=1)


def instances(counts: NDArray[np.int64]) -> Places:
    """Return each answer that was given, as the index of its string, shape (sum of counts,)."""
    return np.repeat(np.arange(len(counts)), counts)


def shuffled(answers: int, draws: int, rng: np.random.Generator) -> Places:
    """Draw permutations of the answers, shape (draws, answers)."""
    return np.argsort(rng.random((draws, answers)), axis=1)


def weighted_sample(given: Places, picks: Places, times: Floats) -> RarefiedSample:
    """Return the picked answers with their weights.

    Parameters
    ----------
    given : ndarray of int, shape (N,)
        Index of the string of each answer.
    picks : ndarray of int, shape (draws, n)
        Indices of the picked answers.
    times : ndarray, shape (draws, N)
        Weight of each answer. If all picked answers of a draw have the weight 0, each counts once.
    """
    weights = np.take_along_axis(times, picks, axis=1)
    weights = np.where(weights.any(axis=1, keepdims=True), weights, 1.0)
    return RarefiedSample(given[picks], weights * (picks.shape[1] / weights.sum(axis=1, keepdims=True)))
