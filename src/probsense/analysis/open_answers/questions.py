"""Questions with people's answers, the gold of every measure of open answers, and how others are compared with them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from probsense.core.errors import InputError, check_name
from probsense.core.options import checked_seed

Floats: TypeAlias = NDArray[np.float64]

Counts: TypeAlias = Mapping[str, int]
"""A multiset of answers, in the order in which they first occurred."""

Similarity: TypeAlias = Callable[[Sequence[str], Sequence[str]], Floats]
"""Function that returns the similarity of strings: (n strings, m strings) -> shape (n, m), from 0 (different) to 1
(equal).
"""

Embed: TypeAlias = Callable[[Sequence[str]], Floats]
"""Function that returns the vectors of strings: n strings -> shape (n, dimensions)."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """Hold answers that people judge to mean the same.

    Attributes
    ----------
    id : str
    count : int
        Number of people who gave one of them.
    answers : tuple of str
        Each string once.
    """

    id: str
    count: int
    answers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """Hold an open question and people's answers to it.

    Attributes
    ----------
    id : str
    text : str
        The question in words.
    raw : Mapping of str to int
        Number of times that each answer was given.
    clusters : tuple of Cluster
        Clusters made by people, possibly none.
    illustrative : bool
        Whether the answers are made up, and nobody gave them.
    """

    id: str
    text: str
    raw: Counts
    clusters: tuple[Cluster, ...] = ()
    illustrative: bool = False


Clusters: TypeAlias = Literal["people", "automatic", "none"]
Divergence: TypeAlias = Literal["kl", "js", "total_variation", "hellinger"]


@dataclass(frozen=True, slots=True)
class ComparisonSettings:
    """Set how answers are compared. The defaults follow from the study in docs/frames.md.

    Attributes
    ----------
    clusters : "people", "automatic" or "none"
        "people" takes clusters made by people where there are some, and automatic clusters elsewhere. "automatic"
        always takes automatic clusters, as a mean over partitions from coarse to fine. "none" blurs every string of
        people over similar strings.
    divergence : "kl", "js", "total_variation" or "hellinger"
        Divergence of the split-half, unrelated and normalised estimates.
    answers : int
        Number of answers to compare, if the model and half of the people gave that many.
    contrast : float
        Share, from 0 to below 1, of what all answers to a question have in common that is removed from similarities.
    question_contrast : float
        The same for vectors of question and answer together; the question makes most of such a vector.
    floor : float
        Similarity at which a match is as likely as none, from 0 to 1.
    temperature : float
        Difference of similarity that makes one match e times as likely as another; a low one lets the most similar
        cluster win sharply, and below 0.002 exponentials overflow.
    smoothing : float
        Number above 0 that is added to every count.
    sizes : tuple of int
        Numbers of automatic clusters.
    bandwidth, cut : float
        In the kernel, strings that are more similar than ``cut`` have the weight exp(similarity/bandwidth).
    splits : int
        Number of random halves of the people over which every estimate is a mean.
    draws : int
        Number of replicates of every estimate, at least 2.
    repeats : int
        Number of random halves over which each replicate is a mean, at least 2.
    controls : int
        Largest number of other questions with which false matches are counted.
    seed : int
    """

    clusters: Clusters = "people"
    divergence: Divergence = "kl"
    answers: int = 25
    contrast: float = 0.5
    question_contrast: float = 0.9
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
        check_name("clusters", self.clusters, get_args(Clusters))
        check_name("divergence", self.divergence, get_args(Divergence))
        if self.answers < 1:
            raise InputError(f"{self.answers} answers", expected="at least 1")
        checked_seed(self.seed)
