"""Random draws, one at a time, from a numpy generator that gives its numbers in blocks."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterator, Sequence
from typing import TypeVar

import numpy as np

T = TypeVar("T")


class Draws:
    """Uniform choices; a scalar draw costs a fraction of a call of the generator itself.

    Parameters
    ----------
    rng : numpy.random.Generator
        Gives 8,192 numbers at a time.
    """

    def __init__(self, rng: np.random.Generator) -> None:
        self._next = _blocks(rng).__next__

    def below(self, n: int) -> int:
        """Draw an integer in 0..n-1."""
        return int(self._next() * n)

    def coin(self) -> bool:
        """Draw True or False."""
        return self._next() < 0.5

    def chance(self, p: float) -> bool:
        """Draw True with probability ``p``."""
        return self._next() < p

    def choice(self, options: Sequence[T]) -> T:
        """Draw one of the options."""
        return options[int(self._next() * len(options))]

    def weighted(self, cumulative: Sequence[float]) -> int:
        """Draw a place with the chance of its weight; weights are given by their sums up to each place."""
        return bisect(cumulative, self._next() * cumulative[-1])

    def sample(self, population: Sequence[T], k: int) -> list[T]:
        """Draw ``k`` distinct members of the population, in random order."""
        pool = list(population)
        for i in range(k):
            j = i + int(self._next() * (len(pool) - i))
            pool[i], pool[j] = pool[j], pool[i]
        return pool[:k]


def _blocks(rng: np.random.Generator) -> Iterator[float]:
    while True:
        yield from rng.random(8192).tolist()
