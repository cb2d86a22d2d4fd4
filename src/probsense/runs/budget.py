"""Asks within a budget, in parts small enough to know their cost before too much is spent."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from probsense.core.records import Failure, Request

T = TypeVar("T")

GROWTH = 8
"""Largest factor between one part and the next, since the cost of a few requests says little about the others."""


def within(
    budget: float,
    spent: Callable[[], float],
    ask: Callable[[Sequence[tuple[str, Request]]], Iterator[Sequence[tuple[str, T]]]],
    pairs: Sequence[tuple[str, Request]],
) -> Iterator[Sequence[tuple[str, T | Failure]]]:
    """Ask until a budget is spent; the remaining requests fail.

    Every part is asked to its end, so no answer that was paid for is lost. The first part is one request. Each further
    part has at most half of the requests that the rest of the budget would pay for at the mean cost so far.

    Parameters
    ----------
    budget : float
        Above 0.
    spent : callable
        Returns how much of it is spent.
    ask : callable
        Takes requests with their keys and yields batches of answers with them.
    pairs : sequence of (str, Request)
        The requests, with their keys.
    """
    start, done, size = spent(), 0, 1
    while done < len(pairs):
        if spent() >= budget:
            failure = Failure(f"the budget of {budget:g} was spent", 0)
            yield [(key, failure) for key, _ in pairs[done:]]
            return
        yield from ask(pairs[done : done + size])
        done += len(pairs[done : done + size])
        mean = (spent() - start) / done
        size = min(GROWTH * size, max(1, int((budget - spent()) / mean / 2)) if mean > 0 else len(pairs))
