"""What a story shows to one who never joins two facts: each by itself, and of its things those asked about."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Final, TypeAlias

from probsense.tasks.worldsense.measures.shortcuts import count_facts
from probsense.tasks.worldsense.text.logic import Claim

View: TypeAlias = tuple[object, ...]

_MASKED: Final = 9


@cache
def _spellings(claim: Claim) -> tuple[tuple[int, ...], ...]:
    """Return the things of a claim in their roles; the ends of "between" can change places."""
    if claim.relation == "before":
        return (claim.args,)
    m, a, b = claim.args
    return (m, a, b), (m, b, a)


def masked(facts: Sequence[Claim], claim: Claim) -> View:
    """Mask the facts of a story: each thing of the claim is its role in it, and all others are one.

    Told in any order, all orders equally likely, two stories with equal views cannot be told apart by how often the
    things asked about are named, win, lose, stand between or bound, by where each is named first and last, by which of
    them share a fact, or by the number and kinds of facts.

    Parameters
    ----------
    facts : sequence of Claim
        Of "before" and "between".
    claim : Claim
        One of these, too.

    Returns
    -------
    tuple
    """
    seen = []
    for things in _spellings(claim):
        role = dict(zip(things, range(3), strict=False))
        seen.append(sorted([_mask(fact, role) for fact in facts]))
    return claim.relation, tuple(min(seen))


def _mask(fact: Claim, role: dict[int, int]) -> tuple[int, ...]:
    first, *others = [role.get(thing, _MASKED) for thing in fact.args]
    return (first, *(others if len(others) == 1 else sorted(others)))


def whole(n: int, facts: Sequence[Claim], claim: Claim) -> View:
    """Mask the facts of a story, and count beside that how they name the other things, in no order.

    Parameters
    ----------
    n : int
        The number of things.
    facts : sequence of Claim
    claim : Claim
    """
    counts = count_facts(n, facts)
    others = sorted(counts[thing] for thing in range(n) if thing not in claim.args)
    return (*masked(facts, claim), tuple(others))
