"""Reproduces models' answers as published, with the two faults that changed published estimates."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from probsense.analysis.distributions.labels import binary, split_other


def published_answers(mass: NDArray[np.float64], *, compat: bool = False) -> NDArray[np.float64]:
    """Return models' answers as individuals: "yes" where it is at least as probable as "no", with other answers
    split.

    Parameters
    ----------
    mass : ndarray, shape (..., 3)
        Mass of yes, no and other.
    compat : bool
        Whether to reproduce the published answers of GPT-4o to the second question, for which other answers were not
        split: "yes" only where it has at least half of all mass. These answers give an awareness of .7758 instead of
        .7790, and the published win rate.

    Returns
    -------
    ndarray, shape (...)
        1 or 0; NaN without data.
    """
    if compat:
        yes, total = mass[..., 0], mass.sum(-1)
        return np.where(np.isnan(total), np.nan, yes >= total / 2)
    return binary(mass)


def published_shares(mass: NDArray[np.float64], *, compat: bool = False) -> NDArray[np.float64]:
    """Return models' probabilities of "yes" as populations, with other answers split evenly.

    Parameters
    ----------
    mass : ndarray, shape (..., 3)
        Mass of yes, no and other.
    compat : bool
        Whether to reproduce the published comparison of system prompts, in which other answers were split
        twice: (yes + other) / (yes + no + 2 · other).

    Returns
    -------
    ndarray, shape (...)
        NaN without data.
    """
    return split_other(mass * (1, 1, 2) if compat else mass)[..., 0]
