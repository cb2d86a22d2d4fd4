"""Draws stories, and claims about them.

The things of a story are numbered by an order that fits its facts. A story with one world links neighbours; one with
several worlds leaves a thing loose.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Collection, Iterator, Sequence
from functools import cache
from itertools import combinations, permutations
from typing import NamedTuple, TypeAlias, TypeVar

import numpy as np

from probsense.tasks.worldsense.text.logic import Claim, Worlds, verdict, worlds

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


def before(a: int, b: int) -> Claim:
    """Make the claim that a precedes b."""
    return Claim("before", (a, b))


def between(m: int, a: int, b: int) -> Claim:
    """Make the claim that m lies between a and b."""
    return Claim("between", (m, a, b))


@cache
def claims(n: int) -> tuple[Claim, ...]:
    """List all claims about two or three of n things."""
    pairs = [before(*pair) for pair in permutations(range(n), 2)]
    return (*pairs, *(between(m, a, b) for m, a, b in permutations(range(n), 3) if a < b))


def chain(n: int) -> list[Claim]:
    """List the adjacent facts 0<1, 1<2, ... of n entities."""
    return [before(i, i + 1) for i in range(n - 1)]


@cache
def single_orders(n: int, complexity: int) -> tuple[tuple[Claim, ...], ...]:
    """List the n-1 facts of every story with exactly one world (specification 4.2).

    Complexity 0: all binary. 1: one of them replaced by a ternary fact that covers the same edge. 2: all but one
    ternary.
    """
    links = chain(n)
    if complexity == 0:
        return (tuple(links),)
    middles = {m: between(m, m - 1, m + 1) for m in range(1, n - 1)}
    if complexity == 1:
        return tuple((*links[:i], m, *links[i + 1 :]) for x, m in middles.items() for i in (x - 1, x))
    return tuple((link, *middles.values()) for link in links)


def draw_facts(draws: Draws, n: int, complexity: int) -> tuple[Claim, ...]:
    """Draw one of the stories with exactly one world, and the order in which it tells its facts."""
    place = 0
    if complexity == 1:
        place = 2 * draws.below(n - 2) + 1 - draws.below(2)
    elif complexity == 2:
        place = draws.below(n - 1)
    return arrange(draws, single_orders(n, complexity)[place])


class _Open(NamedTuple):
    """The claims that a partial order leaves open and those that it decides, by arity."""

    facts: tuple[Claim, ...]
    undecided: dict[int, tuple[Claim, ...]]
    true: dict[int, tuple[Claim, ...]]


def count_loose(possible: Worlds, things: Sequence[int]) -> int:
    """Count the pairs of things whose order differs between the possible worlds."""
    return sum(verdict(possible, before(*pair)) == "undecided" for pair in combinations(things, 2))


@cache
def partial_order(n: int, x: int, follows: bool) -> _Open:
    """Build the chain with entity ``x`` loose: x only follows x-1, or only precedes x+1 (specification 4.5).

    Undecided claims are those with exactly one incomparable pair among their entities; all claims are sorted into
    their lists by the solver.
    """
    loose = before(x, x + 1) if follows else before(x - 1, x)
    facts = tuple(before(x - 1, x + 1) if fact == loose else fact for fact in chain(n))
    possible = worlds(n, facts)
    answers = {claim: verdict(possible, claim) for claim in claims(n)}
    true = [claim for claim, answer in answers.items() if answer == "yes"]
    undecided = [
        claim
        for claim, answer in answers.items()
        if answer == "undecided" and count_loose(possible, claim.args) == 1
    ]
    # Only with three entities is there no other claim than a stated fact.
    unstated = [claim for claim in true if claim not in facts or n == 3]
    return _Open(facts, _by_arity(undecided), {**_by_arity(true), 2: _by_arity(unstated)[2]})


def _by_arity(found: Sequence[Claim]) -> dict[int, tuple[Claim, ...]]:
    return {arity: tuple(claim for claim in found if len(claim.args) == arity) for arity in (2, 3)}


def unstated_claim(draws: Draws, n: int, facts: Collection[Claim]) -> Claim:
    """Draw a true claim that no fact states (specification 4.3): binary with a gap of 2 or more, or ternary."""
    triples = [claim for claim in _betweens(n) if claim not in facts]
    if not triples or draws.coin():
        gap = 2 + draws.below(n - 2)
        a = draws.below(n - gap)
        return before(a, a + gap)
    return draws.choice(triples)


@cache
def _betweens(n: int) -> tuple[Claim, ...]:
    return tuple(between(m, a, b) for a, m, b in combinations(range(n), 3))


def negation(draws: Draws, claim: Claim) -> Claim:
    """Draw a claim that is false where ``claim`` is true: the pair reversed, or an outer entity put in the middle."""
    if claim.relation == "before":
        a, b = claim.args
        return before(b, a)
    m, a, b = claim.args
    return between(a, m, b) if draws.coin() else between(b, m, a)


def span(claim: Claim) -> int:
    """Measure the distance between the outermost entities of a claim."""
    return max(claim.args) - min(claim.args)


Telling: TypeAlias = Sequence[tuple[Claim, bool]]
"""The facts of a story in their order, and whether each is worded the other way round."""


def arrange(draws: Draws, facts: Sequence[Claim]) -> tuple[Claim, ...]:
    """Draw the order in which a story tells its facts."""
    return tuple(draws.sample(facts, len(facts)))


def tell(draws: Draws, facts: Sequence[Claim]) -> Telling:
    """Draw for each fact whether it is worded the other way round."""
    return [(fact, draws.coin()) for fact in facts]
