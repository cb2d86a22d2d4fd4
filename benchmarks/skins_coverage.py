"""Measures how often intervals of WorldSense cover the truth, over questions and over questions and skins.

A simulated model is right with a probability of its own in each skin, which is normal around its accuracy (cut off at
0 and 1). The truth is the mean over all skins that there could be.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from probsense.stats.bounded import bounded
from probsense.stats.estimate import Estimate
from probsense.stats.means import stratified_mean
from probsense.stats.settings import over_settings, settings_error

PROBLEMS = (2, 2, 2, 2, 3, 3)
"""Trials of a tuple of each standard problem."""
SIZES = 3
DRAWN = 400_000
"""Skins whose mean is the truth."""
Rng = np.random.Generator


@dataclass(frozen=True)
class Design:
    """A set and a model.

    Attributes
    ----------
    skins, tuples : int
        Number of skins, and of tuples of each problem and size, which take turns through the skins in drawn order.
    accuracy, spread : float
        Mean and standard deviation of the probability of a right answer over skins.
    alike : float
        How often the answers to a tuple are all right or all wrong.
    """

    skins: int
    tuples: int
    accuracy: float
    spread: float = 0.0
    alike: float = 0.0

    def truth(self) -> float:
        """Compute the mean accuracy over all skins."""
        return float(self._skins(np.random.default_rng(9), DRAWN).mean())

    def _skins(self, rng: Rng, count: int) -> NDArray[np.float64]:
        return np.clip(self.accuracy + self.spread * rng.normal(size=count), 0, 1)

    def draw(self, rng: Rng) -> Both:
        """Ask the model once."""
        cells = len(PROBLEMS) * SIZES
        stratum = np.repeat(np.arange(cells), self.tuples)
        skin = np.concatenate([np.resize(rng.permutation(self.skins), self.tuples) for _ in range(cells)])
        right = self._skins(rng, self.skins)[skin] > rng.random((3, len(skin)))
        right = np.where(rng.random(len(skin)) < self.alike, right[:1], right)
        two = np.array(PROBLEMS)[stratum // SIZES] == 2
        values = np.where(two, right[:2].mean(axis=0), np.array([0.25, 0.25, 0.5]) @ right)
        names = stratum.astype(str)
        questions = stratified_mean("", {}, values, range(len(skin)), names)
        shares = dict.fromkeys(names, 1.0)
        error = settings_error(values, np.ones(len(skin)), names, skin, shares)
        return Both(*(bounded(found, (0, 1)) for found in (questions, over_settings(questions, error))))


class Both(NamedTuple):
    """Estimates over questions, and over questions and skins."""

    questions: Estimate
    skins: Estimate


class Covered(NamedTuple):
    """The shares of sets whose intervals hold the truth."""

    questions: float
    skins: float


DESIGNS: Mapping[str, Design] = {
    "15 skins, 30 tuples a cell, .6 right in every skin": Design(15, 30, 0.6),
    "15 skins, 30 tuples a cell, .6 right, skins' sd .1": Design(15, 30, 0.6, 0.1),
    "15 skins, 30 tuples a cell, .9 right, skins' sd .1": Design(15, 30, 0.9, 0.1),
    "15 skins, 30 tuples a cell, .97 right in every skin": Design(15, 30, 0.97),
    "10 skins, 20 tuples a cell, .6 right, skins' sd .1": Design(10, 20, 0.6, 0.1),
    "10 skins, 20 tuples a cell, .97 right in every skin": Design(10, 20, 0.97),
    "60 skins, 60 tuples a cell, .6 right, skins' sd .1": Design(60, 60, 0.6, 0.1),
    "`--limit 400`, .6 right in every skin": Design(15, 9, 0.6),
    "`--limit 400`, .6 right, skins' sd .1": Design(15, 9, 0.6, 0.1),
    "`--limit 400`, .97 right in every skin": Design(15, 9, 0.97),
    "`--limit 400`, .97 right in every skin, half of the tuples all right or all wrong": Design(
        15, 9, 0.97, alike=0.5
    ),
    "`--limit 400`, .99 right in every skin": Design(15, 9, 0.99),
}


def coverage(design: Design, replications: int, seed: int) -> Covered:
    """Compute the shares of the sets whose intervals hold the truth."""
    rng, truth = np.random.default_rng(seed), design.truth()
    drawn = (design.draw(rng) for _ in range(replications))
    found = np.mean([[e.low <= truth <= e.high for e in both] for both in drawn], axis=0)
    return Covered(*map(float, found))
