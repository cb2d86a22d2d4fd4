"""Draws parts of answers that have the same number, from single answers or, where these are many, from their counts.

A part of the answers, drawn with equal probabilities, has the same expectation as if only that many answers had been
collected. The mean of a statistic over many parts is therefore an unbiased estimate for that number of answers
(rarefaction: Sanders 1968, Hurlbert 1971).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from probsense.analysis.inference.resampling import redrawn_counts, times_drawn
from probsense.analysis.open_answers.questions import Floats

Places = NDArray[np.int64]

SINGLE: Final = 5_000
"""Up to so many answers, each is drawn by itself; of more, how many of each string. Both have the same distribution."""


class RarefiedSample(NamedTuple):
    """Hold the same number n of answers in each of several draws.

    Attributes
    ----------
    strings : ndarray of int, shape (draws, places)
        Index of the string of each answer, or of several answers alike.
    weights : ndarray, shape (draws, places)
        Weights; rows sum to n.
    """

    strings: Places
    weights: Floats

    @property
    def answers(self) -> int:
        """The number n of answers in a draw."""
        return round(float(self.weights[0].sum()))

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
        draws, places = self.strings.shape
        steps = (np.arange(answers) + rng.random((draws, 1))) * (self.answers / answers)
        place = (steps[:, :, None] >= np.cumsum(self.weights, axis=1)[:, None, :]).sum(axis=2)
        return np.take_along_axis(self.strings, np.minimum(place, places - 1), axis=1)


def instances(counts: NDArray[np.int64]) -> Places:
    """Return each answer that was given, as the index of its string, shape (sum of counts,)."""
    return np.repeat(np.arange(len(counts)), counts)


def draw_times(given: Places, draws: int, rng: np.random.Generator) -> Floats:
    """Draw as many answers as there are, with replacement, and count how often each comes.

    Parameters
    ----------
    given : ndarray of int, shape (answers,)
        Index of the string of each answer.
    draws : int
    rng : numpy.random.Generator

    Returns
    -------
    ndarray, shape (draws, answers), or (draws, strings) of more than :data:`SINGLE` answers
    """
    if len(given) <= SINGLE:
        return times_drawn(rng, len(given), draws)
    return redrawn_counts(rng, np.bincount(given), draws).astype(np.float64)


def draw_parts(
    given: Places,
    sizes: Sequence[int],
    draws: int,
    times: Floats | None,
    rng: np.random.Generator,
) -> list[RarefiedSample]:
    """Draw parts of the answers, without replacement and apart from one another.

    Parameters
    ----------
    given : ndarray of int, shape (answers,)
        Index of the string of each answer.
    sizes : sequence of int
        The number of answers in each part.
    draws : int
    times : ndarray, as :func:`draw_times` returns it, or None
        The weights of the answers; 1 if None. Where all answers of a part have the weight 0, each counts once.
    rng : numpy.random.Generator
    """
    if len(given) > SINGLE:
        return [*_parts_of_counts(np.bincount(given), sizes, draws, times, rng)]
    order = shuffled(len(given), draws, rng)
    weights = np.ones((draws, len(given))) if times is None else times
    starts = np.cumsum([0, *sizes])
    return [
        weighted_sample(given, order[:, start : start + size], weights)
        for start, size in zip(starts, sizes, strict=False)
    ]


def _parts_of_counts(
    counts: NDArray[np.int64],
    sizes: Sequence[int],
    draws: int,
    times: Floats | None,
    rng: np.random.Generator,
) -> Iterator[RarefiedSample]:
    """Draw the counts of strings in each part: hypergeometric; and the times of its answers: binomial, given those of
    all answers of the string.
    """
    strings = np.tile(np.arange(len(counts)), (draws, 1))
    left = np.tile(counts, (draws, 1))
    times_left = None if times is None else times.astype(np.int64)
    for size in sizes:
        part = np.stack([rng.multivariate_hypergeometric(row, size) for row in left])
        weights = part
        if times_left is not None:
            weights = rng.binomial(times_left, part / np.maximum(left, 1))
            times_left -= weights
        left -= part
        yield _weighing(strings, weights, part, size)


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
    return _weighing(given[picks], weights, np.ones(picks.shape), picks.shape[1])


def _weighing(strings: Places, weights: NDArray[Any], once: NDArray[Any], answers: int) -> RarefiedSample:
    """Scale weights to a number of answers; where all are 0, each answer counts ``once``."""
    weights = np.where(weights.any(axis=1, keepdims=True), weights, once)
    return RarefiedSample(strings, weights * (answers / weights.sum(axis=1, keepdims=True)))
