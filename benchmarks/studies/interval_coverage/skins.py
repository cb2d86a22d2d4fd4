"""Measures how often intervals of WorldSense cover the truth, over questions and over questions and skins.

A simulated model is right with a probability of its own in each skin, which is normal around its accuracy (cut off at
0 and 1). The truth is the mean over all skins that there could be.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from counting import SKINS_DRAWN, Both, Floats, Rng
from probsense.analysis.inference.bounded import bounded
from probsense.analysis.inference.means import over_settings, settings_error, stratified_mean
from probsense.tasks.worldsense.text.skin_files import load_skins

PROBLEMS = (2, 2, 2, 2, 3, 3)
"""Trials of a tuple of each standard problem."""
SIZES = 3


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
    composed : bool
        Whether the skins are the composed ones of the package (``many``).
    common : float
        Share of the variance over composed skins that is common to skins with the same things, or with the same words,
        half of it each.
    """

    skins: int
    tuples: int
    accuracy: float
    spread: float = 0.0
    alike: float = 0.0
    composed: bool = False
    common: float = 0.0

    def truth(self) -> float:
        """Compute the mean accuracy over all skins."""
        return float(self._accuracies(np.random.default_rng(9).normal(size=SKINS_DRAWN)).mean())

    def _accuracies(self, ease: Floats) -> Floats:
        return np.clip(self.accuracy + self.spread * ease, 0, 1)

    def _ease(self, rng: Rng) -> Floats:
        """Draw how easy each skin is, with mean 0 and variance 1."""
        own = rng.normal(size=self.skins)
        if not self.composed:
            return own
        things, words = (rng.normal(size=len(np.unique(part)))[part] for part in _composed().T)
        shares = [1 - self.common, self.common / 2, self.common / 2]
        return np.asarray(np.sqrt(shares) @ [own, things, words])

    def draw(self, rng: Rng) -> Both:
        """Ask the model once."""
        cells = len(PROBLEMS) * SIZES
        stratum = np.repeat(np.arange(cells), self.tuples)
        skin = np.concatenate([np.resize(rng.permutation(self.skins), self.tuples) for _ in range(cells)])
        right = self._accuracies(self._ease(rng))[skin] > rng.random((3, len(skin)))
        right = np.where(rng.random(len(skin)) < self.alike, right[:1], right)
        two = np.array(PROBLEMS)[stratum // SIZES] == 2
        values = np.where(two, right[:2].mean(axis=0), np.array([0.25, 0.25, 0.5]) @ right)
        names = stratum.astype(str)
        questions = stratified_mean("", {}, values, range(len(skin)), names)
        shares = dict.fromkeys(names, 1.0)
        told = _composed_names()[skin] if self.composed else skin
        error = settings_error(values, np.ones(len(skin)), names, told, shares)
        return Both(*(bounded(found, (0, 1)) for found in (questions, over_settings(questions, error))))


@cache
def _composed_names() -> NDArray[np.str_]:
    return np.array([skin.name for skin in load_skins("many")])


@cache
def _composed() -> NDArray[np.intp]:
    """Number the things and the order of each composed skin, shape (skins, 2)."""
    parts = np.array([name.split(".") for name in _composed_names()])
    return np.column_stack([np.unique(part, return_inverse=True)[1] for part in parts.T])


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


MANY: Mapping[str, Design] = {
    "`--skins test`, 60 tuples a cell": Design(14, 60, 0.6, 0.1),
    "`--skins many`, 60 tuples a cell": Design(103, 60, 0.6, 0.1, composed=True),
    "`--skins many`, 60 tuples a cell, half of the variance is common": Design(
        103, 60, 0.6, 0.1, composed=True, common=0.5
    ),
    "`--skins many`, 60 tuples a cell, all of it is common": Design(
        103, 60, 0.6, 0.1, composed=True, common=1
    ),
    "`--skins test --limit 400`": Design(14, 9, 0.6, 0.1),
    "`--skins many --limit 400`": Design(103, 9, 0.6, 0.1, composed=True),
    "`--skins many --limit 400`, half of the variance is common": Design(
        103, 9, 0.6, 0.1, composed=True, common=0.5
    ),
}
"""Few skins and many, with a standard deviation of .1 over skins and an accuracy of .6."""
