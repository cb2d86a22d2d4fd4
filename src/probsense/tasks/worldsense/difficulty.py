"""What makes a question hard, as far as it can be counted: the facts of its story, and the depth of inference."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from probsense.tasks.worldsense.depth import depth
from probsense.tasks.worldsense.logic import Claim


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
