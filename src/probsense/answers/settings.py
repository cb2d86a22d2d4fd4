"""How the evaluator compares answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from probsense.errors import InputError

COLDEST = 0.002
"""Temperature below which the likeliest match is certain, and exponentials are too large."""


@dataclass(frozen=True, slots=True)
class ComparisonSettings:
    """How answers are compared. The defaults follow from the study in docs/frames-validation.md.

    Attributes
    ----------
    clusters : "people", "automatic" or "none"
        Clusters made by people where there are some and automatic ones elsewhere; always automatic ones, a mean over
        partitions from coarse to fine; or none, every string of people blurred over those that are like it.
    divergence : "kl", "js", "total_variation", "hellinger" or "emd"
        The one of which the split-half, the unrelated and the normalised figures are. "emd" needs no clusters: it
        carries the model's answers to people's, at a cost of 1 − similarity, from 0 to 1.
    answers : int
        How many answers are compared, where the model and half of the people gave as many.
    contrast : float
        How much of what all answers to a question have in common is taken out of similarities, from 0 to below 1.
    floor : float
        Similarity at which a match is as likely as none, from 0 to 1.
    temperature : float
        How sharply the most similar cluster wins: a difference of similarity.
    smoothing : float
        What is added to every count, above 0.
    sizes : tuple of int
        Numbers of automatic clusters.
    bandwidth, cut : float
        Without clusters, strings more alike than ``cut`` weigh exp(similarity/bandwidth).
    splits : int
        Random halves of the people over which every figure is a mean.
    draws : int
        Replicates of every figure; 0 for none.
    repeats : int
        Random halves over which each replicate is a mean.
    controls : int
        Other questions against which false matches are counted, at most.
    seed : int
    """

    clusters: Literal["people", "automatic", "none"] = "people"
    divergence: Literal["kl", "js", "total_variation", "hellinger", "emd"] = "kl"
    answers: int = 25
    contrast: float = 0.5
    floor: float = 0.4
    temperature: float = 0.05
    smoothing: float = 1.0
    sizes: tuple[int, ...] = (6, 12, 24)
    bandwidth: float = 0.3
    cut: float = 0.2
    splits: int = 200
    draws: int = 200
    repeats: int = 10
    controls: int = 5
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.contrast < 1:
            raise InputError(f"a contrast of {self.contrast:g}", expected="from 0 to below 1")
        if not 0 <= self.floor <= 1:
            raise InputError(f"a floor of {self.floor:g}", expected="from 0 to 1")
        if not self.temperature >= COLDEST:
            raise InputError(f"a temperature of {self.temperature:g}", expected=f"at least {COLDEST}")
        for name in ("answers", "smoothing", "bandwidth", "splits", "repeats"):
            if not getattr(self, name) > 0:
                raise InputError(f"{name}: {getattr(self, name)}", expected="above 0")
        if min(self.sizes, default=0) < 1:
            raise InputError(f"sizes: {self.sizes}", expected="numbers of clusters, from 1")
        if min(self.draws, self.controls, self.seed) < 0:
            raise InputError("draws, controls or seed below 0", expected="from 0")
