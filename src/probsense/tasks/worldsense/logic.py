"""Claims about small worlds, and the brute-force solver that decides them.

A world is a strict total order of n entities (or, for parallel problems, a direction for each of n lines). The solver
lists every world there is, as the bits of a Python integer: a claim is the set of worlds in which it holds. So ``&``
conjoins facts, and two tests decide a claim.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import cache
from itertools import permutations
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Relation: TypeAlias = Literal[
    "before", "between", "outside", "first", "last", "parallel", "perpendicular", "foreign"
]
Verdict: TypeAlias = Literal["yes", "no", "undecided", "inconsistent"]

MAX_ENTITIES = 9
"""The size of the largest world that is enumerated: 9! = 362,880 orders (8 entities and one unmentioned name)."""


class Claim(NamedTuple):
    """A relation between entities, which are numbered from 0.

    before(a, b): a precedes b. between(m, a, b): m lies strictly between a and b; outside(m, a, b): it does not.
    first(a), last(a): a is at that end. parallel(a, b), perpendicular(a, b): two lines are so. foreign(a, b, ...): a
    predicate that has nothing to do with the order.
    """

    relation: Relation
    args: tuple[int, ...]


@cache
def _orders(n: int) -> NDArray[np.int8]:
    """List all worlds, shape (n!, n): world w puts entity ``_orders(n)[w, i]`` at place i."""
    if not 1 <= n <= MAX_ENTITIES:
        raise ValueError(f"worlds of 1 to {MAX_ENTITIES} entities can be enumerated, not of {n}")
    return np.array(list(permutations(range(n))), dtype=np.int8)


@cache
def _places(n: int) -> NDArray[np.int8]:
    """List the place of every entity in every world, shape (n!, n)."""
    return np.argsort(_orders(n), axis=1).astype(np.int8)


def _bits(holds: NDArray[np.bool_]) -> int:
    return int.from_bytes(np.packbits(holds, bitorder="little").tobytes(), "little")


@cache
def everywhere(n: int, lines: bool = False) -> int:
    """Return the set of all worlds of n entities (for n lines: 2**n choices of direction)."""
    return (1 << (2**n if lines else math.factorial(n))) - 1


@cache
def holds(n: int, claim: Claim) -> int:
    """Return the set of worlds of n entities in which the claim holds, one bit a world."""
    relation, args = claim
    if len(set(args)) != len(args) or not all(0 <= i < n for i in args):
        raise ValueError(f"{claim} is no claim about {n} entities")
    if relation in ("parallel", "perpendicular"):
        a, b = args
        direction = np.arange(2**n)
        same = (direction >> a & 1) == (direction >> b & 1)
        return _bits(same if relation == "parallel" else ~same)
    place = _places(n)
    match relation:
        case "before":
            a, b = args
            return _bits(place[:, a] < place[:, b])
        case "between":
            m, a, b = args
            return _bits((place[:, a] < place[:, m]) == (place[:, m] < place[:, b]))
        case "outside":
            return everywhere(n) & ~holds(n, Claim("between", args))
        case "first":
            return _bits(place[:, args[0]] == 0)
        case "last":
            return _bits(place[:, args[0]] == n - 1)
        case _:
            raise ValueError(f"{relation} says nothing about worlds")


def worlds(n: int, facts: Iterable[Claim], lines: bool = False) -> int:
    """Return the set of worlds of n entities (or n lines) in which all facts hold."""
    remaining = everywhere(n, lines)
    for fact in facts:
        remaining &= holds(n, fact)
    return remaining


def verdict(n: int, possible: int, claim: Claim) -> Verdict:
    """Tell whether a claim holds in all, in none or in some of the possible worlds, or that there is no such world."""
    if not possible:
        return "inconsistent"
    if claim.relation == "foreign":
        return "undecided"
    inside = possible & holds(n, claim)
    return "yes" if inside == possible else "undecided" if inside else "no"


def some_world(n: int, possible: int) -> tuple[int, ...]:
    """Return one of the possible worlds, as the entities in order."""
    return tuple(_orders(n)[(possible & -possible).bit_length() - 1].tolist())
