"""Models' answers as published, and the two faults that changed published figures."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from probsense.prob.labels import binary, split_other


def published_answers(mass: NDArray[np.float64], *, compat: bool = False) -> NDArray[np.float64]:
    """Answers of models as individuals: "yes" where it is at least as probable as "no", other answers split.

    Parameters
    ----------
    mass : ndarray, shape (..., 3)
        Of yes, no and other.
    compat : bool
        As the published answers of GPT-4o to the second question, for which other answers were not split: "yes"
        only where it has at least half of all mass. They give it an awareness of .7758 in place of .7790, and its
        published win rate.

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
    """Probabilities of "yes" of models as populations: other answers are split evenly.

    Parameters
    ----------
    mass : ndarray, shape (..., 3)
        Of yes, no and other.
    compat : bool
        As in the published comparison of system prompts, where other answers had been split once before and were
        split again: (yes + other) / (yes + no + 2 · other).

    Returns
    -------
    ndarray, shape (...)
        NaN without data.
    """
    return split_other(mass * (1, 1, 2) if compat else mass)[..., 0]
