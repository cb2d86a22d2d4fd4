"""Draws parts of answers that have the same number, from single answers or, where these are many, from their counts.

A part of the answers, drawn with equal probabilities, has the same expectation as if only that many answers had been
collected. The mean of a statistic over many parts is therefore an unbiased estimate for that number of answers
(rarefaction: Sanders 1968, Hurlbert 1971).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from probsense.analysis.inference.resampling import redrawn_counts, times_drawn
from probsense.analysis.open_answers.questions import Floats

Places = NDArray[np.int64]

SINGLE: Final = 5_000
"""Up to so many answers, each is drawn by itself; of more, how many of each string. Both have the same distribution."""


def counted(given: Places, weights: Floats, strings: int) -> Floats:
    """Count how often each string is among some answers.

    Parameters
    ----------
    given : ndarray of int, shape (draws, answers)
        Index of the string of each answer.
    weights : ndarray, shape (draws, answers)
        How often each answer counts.
    strings : int
        Number of strings.

    Returns
    -------
    ndarray, shape (draws, strings)
    """
    draws = len(given)
    place = given + strings * np.arange(draws)[:, None]
    sums = np.bincount(place.ravel(), weights.ravel(), draws * strings)
    return sums.astype(np.float64).reshape(draws, strings)


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
    strings: int,
    rng: np.random.Generator,
) -> list[Floats]:
    """Draw parts of the answers, without replacement and apart from one another, and count their strings.

    Parameters
    ----------
    given : ndarray of int, shape (answers,)
        Index of the string of each answer.
    sizes : sequence of int
        The number of answers in each part.
    draws : int
    times : ndarray, as :func:`draw_times` returns it, or None
        The weights of the answers; 1 if None. Where all answers of a part have the weight 0, each counts once.
    strings : int
        Number of strings.
    rng : numpy.random.Generator

    Returns
    -------
    list of ndarray, shape (draws, strings)
        For each part how often it has each string; rows sum to its size.
    """
    if len(given) > SINGLE:
        return [*_parts_of_counts(np.bincount(given), sizes, draws, times, strings, rng)]
    order = np.argsort(rng.random((draws, len(given))), axis=1)
    weights = np.ones((draws, len(given))) if times is None else times
    starts = np.cumsum([0, *sizes])
    picks = [order[:, start : start + size] for start, size in zip(starts, sizes, strict=False)]
    return [
        counted(given[own], _scaled(np.take_along_axis(weights, own, axis=1), np.ones(own.shape)), strings)
        for own in picks
    ]


def _parts_of_counts(
    counts: NDArray[np.int64],
    sizes: Sequence[int],
    draws: int,
    times: Floats | None,
    strings: int,
    rng: np.random.Generator,
) -> Iterator[Floats]:
    """Draw the counts of strings in each part: hypergeometric; and the times of its answers: binomial, given those of
    all answers of the string.
    """
    left = np.tile(counts, (draws, 1))
    times_left = None if times is None else times.astype(np.int64)
    for size in sizes:
        part = np.stack([rng.multivariate_hypergeometric(row, size) for row in left])
        weights = part
        if times_left is not None:
            weights = rng.binomial(times_left, part / np.maximum(left, 1))
            times_left -= weights
        left -= part
        yield np.pad(_scaled(weights, part), ((0, 0), (0, strings - len(counts))))


def _scaled(weights: NDArray[Any], once: NDArray[Any]) -> Floats:
    """Scale the weights of each row to the sum of ``once``, which takes their place where all are 0."""
    some = np.where(weights.any(axis=1, keepdims=True), weights, once)
    return np.asarray(some * (once.sum(axis=1, keepdims=True) / some.sum(axis=1, keepdims=True)))
