"""The stories of a size, and what can be asked about them: all of them where they are few, else a sample.

The things of a story are numbered by an order that fits its facts. Each story comes in both directions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations
from math import comb
from typing import Final, Literal, NamedTuple, TypeAlias, cast

import numpy as np

from probsense.tasks.worldsense.generate.matched import Facts
from probsense.tasks.worldsense.generate.stories import Draws, before, between, claims
from probsense.tasks.worldsense.text.form import NOTHING, Said, least, said_of
from probsense.tasks.worldsense.text.logic import Claim, Orders, Relation, depth, verdict, worlds

Answer: TypeAlias = Literal["yes", "no", "undecided"]

MORE: Final = 2
MORE_OF_FOUR: Final = 4
"""A story of n things tells n - 1 facts, or up to so many more: those follow from others, or no question needs them.
There are few stories of four things, and therefore more facts."""

FEW: Final = 60_000
"""Stories of a size are enumerated if there are no more choices of facts."""

_TRIES: Final = 40
"""How many stories are drawn at most for each that is wanted."""


class Candidate(NamedTuple):
    """A claim that can be asked about a story.

    Attributes
    ----------
    story : int
        Place of the story in its list.
    claim : Claim
    answer : {"yes", "no", "undecided"}
    depth : int
        The least number of facts that decide the claim; 0 where it is open.
    """

    story: int
    claim: Claim
    answer: Answer
    depth: int


@cache
def _true(n: int, arity: int) -> tuple[Claim, ...]:
    """List the claims about two or three things that hold in the order 0, 1, 2, ..."""
    if arity == 2:
        return tuple(before(*pair) for pair in combinations(range(n), 2))
    return tuple(between(m, a, b) for a, m, b in combinations(range(n), 3))


def stories(n: int, kind: int, alone: bool, most: int, seed: int) -> list[Facts]:
    """List the stories of n things that fit one order alone, or several; at most so many, drawn by chance.

    Parameters
    ----------
    n : int
    kind : {0, 1, 2}
        Their complexity.
    alone : bool
        Whether exactly one order fits.
    most : int
    seed : int
    """
    draws = Draws(np.random.default_rng([seed, n, kind, alone]))
    choices = sum(
        comb(len(_true(n, 2)), told - three) * comb(len(_true(n, 3)), three)
        for told, three in _kinds(n, kind)
    )
    if choices > FEW:
        return _sampled(draws, n, kind, alone, most)
    found = sorted({canonical for facts in _chosen(n, kind) if (canonical := _fitting(n, facts, alone))})
    if len(found) <= most:
        return found
    kept: dict[Facts, None] = {}
    for facts in draws.sample(found, len(found)):
        if len(kept) >= most:
            break
        kept |= dict.fromkeys((facts, _numbered(n, reversed_story(n, facts))))
    return sorted(kept)


def _kinds(n: int, kind: int) -> Iterator[tuple[int, int]]:
    """Yield numbers of facts, and of those about three things."""
    for told in range(n - 1, n + _more(n)):
        for three in range(told + 1):
            if min(three, 2) == kind:
                yield told, three


def _more(n: int) -> int:
    return MORE_OF_FOUR if n == 4 else MORE


def _chosen(n: int, kind: int) -> Iterator[Facts]:
    for told, three in _kinds(n, kind):
        for pairs in combinations(_true(n, 2), told - three):
            for triples in combinations(_true(n, 3), three):
                yield (*pairs, *triples)


def _fitting(n: int, facts: Facts, alone: bool) -> Facts | None:
    """Return the facts of a story that mentions all things and fits one order, or several; None for another."""
    if len({thing for fact in facts for thing in fact.args}) < n or fits_one(n, facts) is not alone:
        return None
    return tuple(sorted(facts)) if alone else _numbered(n, facts)


def fits_one(n: int, facts: Facts) -> bool:
    """Tell whether the facts of a story fit exactly one order."""
    possible = worlds(n, facts)
    return isinstance(possible, Orders) and sum(sets.bit_count() for sets in possible.steps) == n


def numbered(facts: Facts) -> tuple[Said, ...]:
    """Number the things of a story, whatever they were called; the direction stays."""
    things = {thing: i for i, thing in enumerate(sorted({thing for fact in facts for thing in fact.args}))}
    return least(len(things), [*(said_of(fact, things) for fact in facts), NOTHING])[0]


@cache
def _numbered(n: int, facts: Facts) -> Facts:
    """Number things by an order that fits, the same for all numberings of a story."""
    plain = [Claim(cast("Relation", said.relation), (*said.placed, *said.ends)) for said in numbered(facts)]
    place = {thing: i for i, thing in enumerate(worlds(n, tuple(plain)).some())}
    return tuple(sorted(renamed(fact, place) for fact in plain))


def renamed(claim: Claim, names: dict[int, int]) -> Claim:
    """Say of other things what a claim says; the ends of "between" come in ascending order."""
    first, *others = (names[thing] for thing in claim.args)
    return Claim(claim.relation, (first, *sorted(others)) if len(others) > 1 else (first, *others))


def reversed_story(n: int, facts: Sequence[Claim]) -> Facts:
    """Tell a story in the other direction: what was first is last."""
    turned = {thing: n - 1 - thing for thing in range(n)}
    told = (renamed(fact, turned) for fact in facts)
    return tuple(sorted(f._replace(args=f.args[::-1]) if f.relation == "before" else f for f in told))


def _sampled(draws: Draws, n: int, kind: int, alone: bool, most: int) -> list[Facts]:
    found: dict[Facts, None] = {}
    for _ in range(_TRIES * most):
        if len(found) >= most:
            break
        told = _drawn(draws, n, kind, alone)
        facts = told and _fitting(n, told, alone)
        if facts:
            found |= dict.fromkeys((facts, _numbered(n, reversed_story(n, facts))))
    return sorted(found)


def _drawn(draws: Draws, n: int, kind: int, alone: bool) -> Facts | None:
    """Draw a story whose facts link neighbours; without some of them, if several orders are to fit."""
    told = n - 1 + draws.below(_more(n) + 1)
    three = kind if kind < 2 else 2 + draws.below(told - 2)
    chosen: dict[Claim, None] = {}
    for a in draws.sample(range(n - 1), n - 1):
        if any(
            {a, a + 1} <= {*fact.args} and (len(fact.args) == 2 or fact.args[0] in (a, a + 1))
            for fact in chosen
        ):
            continue
        if sum(len(fact.args) == 3 for fact in chosen) < three and draws.coin():
            above = [between(a + 1, a, b) for b in range(a + 2, n)]
            chosen[draws.choice(above + [between(a, b, a + 1) for b in range(a)])] = None
        else:
            chosen[before(a, a + 1)] = None
    facts = [*chosen]
    if not alone:
        facts = draws.sample(facts, max(1, len(facts) - 1 - draws.below(2)))
    left = [told - len(facts), three - sum(len(fact.args) == 3 for fact in facts)]
    if left[1] < 0 or left[0] < left[1]:
        return None
    for arity, count in ((3, left[1]), (2, left[0] - left[1])):
        others = [claim for claim in _true(n, arity) if claim not in chosen]
        if count > len(others):
            return None
        facts += draws.sample(others, count)
    return tuple(facts)


def candidates(n: int, told: Sequence[Facts]) -> Iterator[Candidate]:
    """Yield what can be asked about stories: claims about things that no fact is about in the same way."""
    for place, facts in enumerate(told):
        possible = worlds(n, facts)
        stated = {frozenset(fact.args) for fact in facts}
        for claim in claims(n):
            if frozenset(claim.args) in stated:
                continue
            answer = verdict(possible, claim)
            if answer == "undecided":
                yield Candidate(place, claim, answer, 0)
            elif answer in ("yes", "no"):
                yield Candidate(place, claim, answer, depth(n, facts, claim) or 0)
