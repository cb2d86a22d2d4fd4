"""What makes a question hard, as far as it can be counted: the facts of its story, and the depth of inference."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

from probsense.tasks.worldsense.text.logic import Claim, possible_worlds, verdict


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
        return verdict(possible_worlds(n, chosen, lines), claim) in ("yes", "no")

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


class Difficulty(NamedTuple):
    """The number of facts told, and the depth of inference (None where nothing is decided)."""

    facts: int
    depth: int | None


def difficulty(problem: str, n: int, facts: Sequence[Claim], claim: Claim) -> Difficulty:
    """Measure the difficulty of a trial.

    Parameters
    ----------
    problem : str
    n : int
        The number of entities; one more is a name that the story does not mention.
    facts : sequence of Claim
        Those that the text states; for Consist with the inserted one.
    claim : Claim
        What the question asks about; for Consist the inserted fact. Its depth is the least number of told facts that
        decide it, beside itself. A list is read, not inferred from: it tells no facts, and its depth is 0.
    """
    if problem == "Infer.trivial":
        return Difficulty(0, 0)
    others = [*facts]
    if problem.startswith("Consist"):
        if claim not in others:
            return Difficulty(len(facts), None)
        others.remove(claim)
    if not set(claim.args) <= set(range(n)) or claim.relation == "foreign":
        return Difficulty(len(facts), None)
    return Difficulty(len(facts), _depth(n, frozenset(others), claim, problem == "Infer.parallel"))


@lru_cache(maxsize=1 << 16)
def _depth(n: int, facts: frozenset[Claim], claim: Claim, lines: bool) -> int | None:
    return depth(n, [*facts], claim, lines)


def of_tuple(siblings: Iterable[Difficulty]) -> Difficulty:
    """Join the difficulties of siblings, so that none of them tells an answer.

    The depth is the largest one: as many facts decide every claim of the tuple that is not open.
    """
    found = list(siblings)
    depths = [one.depth for one in found if one.depth is not None]
    return Difficulty(max(one.facts for one in found), max(depths, default=None))
