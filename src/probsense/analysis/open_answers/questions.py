"""Defines a question with people's answers, the gold of every measure of open answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

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
