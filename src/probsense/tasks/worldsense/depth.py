"""The depth of inference: how many of the told facts an answer takes at least."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations

from probsense.tasks.worldsense.logic import Claim, Worlds, verdict, worlds


def depth(n: int, facts: Sequence[Claim], claim: Claim, lines: bool = False) -> int | None:
    """Return the least number of facts that decide a claim by themselves.

    A fact without which the others decide nothing is part of every such choice. So choices must be tried only where
    facts can stand in for each other; the number is exact in any case.

    Parameters
    ----------
    n : int
        The number of entities.
    facts : sequence of Claim
    claim : Claim
        The claim that follows from the facts, or contradicts them.
    lines : bool
        Whether the entities are lines, which are parallel or perpendicular, and not an order.

    Returns
    -------
    int or None
        None where the facts leave the claim open, or contradict each other.
    """

    def decide(chosen: tuple[Claim, ...]) -> bool:
        return verdict(_worlds(n, chosen, lines), claim) in ("yes", "no")

    told = tuple(sorted(facts))
    if not decide(told):
        return None
    without = [decide((*told[:i], *told[i + 1 :])) for i in range(len(told))]
    needed = [fact for fact, spare in zip(told, without, strict=True) if not spare]
    others = [fact for fact, spare in zip(told, without, strict=True) if spare]
    return next(
        len(needed) + more
        for more in range(len(others) + 1)
        if any(decide((*needed, *chosen)) for chosen in combinations(others, more))
    )


@lru_cache(maxsize=1 << 10)
def _worlds(n: int, facts: tuple[Claim, ...], lines: bool) -> Worlds:
    """Return the worlds of some facts from memory: many claims are made about one story."""
    return worlds(n, facts, lines)
