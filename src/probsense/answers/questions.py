"""A question with people's answers: the one shape in which every measure of open answers takes its gold."""

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
"""How alike strings are: (n strings, m strings) -> shape (n, m), from 0 (unlike) to 1 (alike)."""

Embed: TypeAlias = Callable[[Sequence[str]], Floats]
"""Vectors of strings: n strings -> shape (n, dimensions)."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """Answers that people hold to mean the same.

    Attributes
    ----------
    id : str
    count : int
        How many people gave one of them.
    answers : tuple of str
        Each string once.
    """

    id: str
    count: int
    answers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """What was asked, and what people answered.

    Attributes
    ----------
    id : str
    text : str
        The question in words.
    raw : Mapping of str to int
        How often each answer was given.
    clusters : tuple of Cluster
        Clusters made by people; none where there are none.
    """

    id: str
    text: str
    raw: Counts
    clusters: tuple[Cluster, ...] = ()
