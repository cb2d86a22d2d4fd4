"""Defines the agreement of answers, majorities, and the scores consensus and awareness."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from probsense.analysis.arrays import Floats


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """Hold consensus and awareness, with common sense as their geometric mean (Whiting & Watts 2024, PNAS 121(4)).

    Attributes
    ----------
    consensus, awareness : ndarray, of one shape
        Shares between 0 and 1; NaN where there is no data. For an individual, consensus is how often the own answer is
        the majority's, and awareness is how often the answer expected of most people is. For a statement, consensus is
        how far from even the answers are, and awareness is how often people guess the majority right.
    """

    consensus: Floats
    awareness: Floats

    @property
    def commonsensicality(self) -> Floats:
        """Return √(consensus · awareness)."""
        return np.sqrt(self.consensus * self.awareness)


def match(x: Floats, y: Floats) -> Floats:
    """Compute how far two answers agree: x·y + (1 − x)·(1 − y).

    Parameters
    ----------
    x, y : ndarray, of shapes that broadcast
        Answers: 1 yes, 0 no, 0.5 a tie, NaN none. A tie agrees half with every answer. For shares of "yes" the
        result is the probability that two answers drawn at random are the same.
    """
    return 1 - x - y + 2 * x * y


def majority(share: Floats) -> Floats:
    """Return the answer of most: 1 above one half, 0 below, 0.5 at a tie; NaN stays NaN."""
    return (np.sign(share - 0.5) + 1) / 2
