"""Claims and questions about small worlds, and the exact solver that answers them.

A world is a strict total order of n entities (or, for parallel problems, a direction for each of n lines). An order
is a way to place the entities one by one, from first to last, and every claim speaks of the moment at which one entity
comes: b follows a if a has its place when b comes, and m lies between a and b if exactly one of them has. So facts say
which entity may come when which others have their places, and all orders that fit are the paths through the 2**n sets
of entities. The solver keeps the steps of these paths, and never lists the n! orders.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache, reduce
from itertools import combinations
from operator import or_
from typing import Final, Literal, NamedTuple, TypeAlias

Relation: TypeAlias = Literal[
    "before", "between", "outside", "first", "last", "parallel", "perpendicular", "foreign"
]
Verdict: TypeAlias = Literal["yes", "no", "undecided", "inconsistent"]

LINES: Final = ("parallel", "perpendicular")
"""The relations of lines."""

MAX_ENTITIES = 13
"""The size of the largest world that is decided: 12 entities and one unmentioned name."""


class Claim(NamedTuple):
    """A relation between entities, which are numbered from 0.

    before(a, b): a precedes b. between(m, a, b): m lies strictly between a and b; outside(m, a, b): it does not.
    first(a), last(a): a is at that end. parallel(a, b), perpendicular(a, b): two lines are so. foreign(a, b, ...): a
    predicate that has nothing to do with the order.
    """

    relation: Relation
    args: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Orders:
    """A set of orders.

    Attributes
    ----------
    steps : tuple of int
        For each entity the sets of entities after which it comes in some of the orders: bit s of ``steps[i]`` stands
        for the set with the binary digits of s.
    """

    steps: tuple[int, ...]

    def __bool__(self) -> bool:
        return any(self.steps)

    def where(self, claim: Claim, holds: bool = True) -> Orders:
        """Return those of the orders in which a claim holds, or in which it does not hold."""
        entity, sets = _moment(len(self.steps), claim)
        steps = list(self.steps)
        steps[entity] &= sets if holds else ~sets
        return _orders(steps)

    def truths(self, claim: Claim) -> tuple[bool, bool]:
        """Tell whether a claim holds in some of the orders, and whether it fails in some."""
        # Every step is one of an order, so it takes no search.
        entity, sets = _moment(len(self.steps), claim)
        return bool(self.steps[entity] & sets), bool(self.steps[entity] & ~sets)

    def some(self) -> tuple[int, ...]:
        """Return one of the orders, as the entities from first to last."""
        order: list[int] = []
        placed = 0
        for _ in self.steps:
            entity = next(i for i, sets in enumerate(self.steps) if sets >> placed & 1)
            order.append(entity)
            placed |= 1 << entity
        return tuple(order)


@dataclass(frozen=True, slots=True)
class Directions:
    """A set of choices of one of two directions for each of n lines.

    Attributes
    ----------
    n : int
    choices : int
        Bit c stands for the choice with the binary digits of c.
    """

    n: int
    choices: int

    def __bool__(self) -> bool:
        return self.choices > 0

    def where(self, claim: Claim, holds: bool = True) -> Directions:
        """Return those of the choices in which a claim holds, or in which it does not hold."""
        a, b = (_containing(self.n)[i] for i in claim.args)
        crossed = (claim.relation == "perpendicular") is holds
        return Directions(self.n, self.choices & (a ^ b if crossed else ~(a ^ b)))

    def truths(self, claim: Claim) -> tuple[bool, bool]:
        """Tell whether a claim holds in some of the choices, and whether it fails in some."""
        return bool(self.where(claim)), bool(self.where(claim, holds=False))

    def some(self) -> tuple[int, ...]:
        """Return one of the choices, as 0 or 1 for each line."""
        choice = (self.choices & -self.choices).bit_length() - 1
        return tuple(choice >> i & 1 for i in range(self.n))


Worlds: TypeAlias = Orders | Directions


@lru_cache(maxsize=1 << 10)
def worlds(n: int, facts: tuple[Claim, ...]) -> Worlds:
    """Return the set of worlds of n entities (or n lines, by the first fact) in which all facts hold."""
    if facts and facts[0].relation in LINES:
        directions = Directions(n, _everything(n))
        for fact in facts:
            directions = directions.where(fact)
        return directions
    steps = [_everything(n)] * n
    for fact in facts:
        entity, sets = _moment(n, fact)
        steps[entity] &= sets
    return _orders(steps)


def verdict(possible: Worlds, claim: Claim) -> Verdict:
    """Tell whether a claim holds in all, in none or in some of the possible worlds, or that there is no such world."""
    if not possible:
        return "inconsistent"
    if claim.relation == "foreign":
        return "undecided"
    holds, fails = possible.truths(claim)
    return "undecided" if holds and fails else "yes" if holds else "no"


def _orders(steps: list[int]) -> Orders:
    """Keep the steps that are part of a whole order, out of all that are allowed."""
    n = len(steps)
    having = _containing(n)
    steps = [sets & ~having[i] for i, sets in enumerate(steps)]
    layer = reached = 1
    for _ in range(n):
        layer = reduce(or_, ((layer & sets) << (1 << i) for i, sets in enumerate(steps)))
        reached |= layer
    layer = finished = 1 << (1 << n) - 1
    for _ in range(n):
        layer = reduce(or_, (layer >> (1 << i) & sets for i, sets in enumerate(steps)))
        finished |= layer
    return Orders(tuple(sets & reached & finished >> (1 << i) for i, sets in enumerate(steps)))


@cache
def _everything(n: int) -> int:
    """Return all sets of n entities, as bits."""
    if n > MAX_ENTITIES:
        raise ParseFailure(f"worlds of up to {MAX_ENTITIES} entities can be decided, not of {n}")
    return (1 << (1 << n)) - 1


@cache
def _containing(n: int) -> tuple[int, ...]:
    """Return for each of n entities the sets that contain it, as bits."""
    everything = _everything(n)
    # Of each 2**(i+1) sets in a row, the second half contains entity i.
    return tuple(everything // ((1 << (2 << i)) - 1) * ((1 << (1 << i)) - 1 << (1 << i)) for i in range(n))


@cache
def _moment(n: int, claim: Claim) -> tuple[int, int]:
    """Return the entity whose coming decides a claim, and the sets after which it must come so that the claim holds."""
    having = _containing(n)
    match claim:
        case ("before", (a, b)):
            return b, having[a]
        case ("between", (m, a, b)):
            return m, having[a] ^ having[b]
        case ("outside", (m, a, b)):
            return m, _everything(n) & ~(having[a] ^ having[b])
        case ("first", (a,)):
            return a, 1
        case ("last", (a,)):
            return a, 1 << ((1 << n) - 1 & ~(1 << a))
    raise ValueError(f"{claim.relation} says nothing about orders")


Kind: TypeAlias = Literal["infer", "consist", "compl"]


class ParseFailure(ValueError):  # noqa: N818 (a text fails to parse; nothing is in error)
    """A text that cannot be understood; the message says which part of it."""


@dataclass(frozen=True, slots=True)
class ParsedQuestion:
    """The question that a text asks.

    Attributes
    ----------
    kind : {"infer", "consist", "compl"}
        Is the claim true; can the facts all hold; which of two claims is true, if that can be decided.
    names : tuple of str
        The entities in order of appearance: those of the story, then those that only the claims mention.
    facts : tuple of Claim
        In the order of the text, over indices into ``names``.
    claims : tuple of Claim
        One (infer), none (consist) or two (compl).
    size : int
        How many of the names the story mentions.
    stated : bool
        Whether the story states facts (or else lists its entities in order).
    """

    kind: Kind
    names: tuple[str, ...]
    facts: tuple[Claim, ...]
    claims: tuple[Claim, ...]
    size: int
    stated: bool = True


class Reading(NamedTuple):
    """What one source makes of a trial.

    ``source`` names it for users ("the record"), ``answer`` is the answer that the solver gives ("" if none is right).
    """

    source: str
    question: ParsedQuestion
    answer: str


@lru_cache(maxsize=1 << 16)
def decide(n: int, facts: tuple[Claim, ...], claims: tuple[Claim, ...]) -> tuple[Verdict, ...]:
    """Tell whether each claim holds, fails or stays open, given the facts."""
    possible = worlds(n, facts)
    return tuple(verdict(possible, claim) for claim in claims)


def answer(question: ParsedQuestion) -> str:
    """Find the right answer, which holds in all worlds that fit (the WorldSense specification, section 5).

    Returns
    -------
    str
        TRUE or FALSE; POSSIBLE or IMPOSSIBLE; 1, 2 or 3; or "" when none of them is right, because the facts
        contradict each other or do not decide the claim of an infer question.
    """
    n, facts = len(question.names), question.facts
    if question.kind == "consist":
        return "POSSIBLE" if worlds(n, facts) else "IMPOSSIBLE"
    verdicts = decide(n, facts, question.claims)
    if question.kind == "infer":
        return {"yes": "TRUE", "no": "FALSE"}.get(verdicts[0], "")
    if "inconsistent" in verdicts:
        return ""
    if "yes" in verdicts:
        return "12"[verdicts.index("yes")]
    return "3"


def depth(n: int, facts: Sequence[Claim], claim: Claim) -> int | None:
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

    Returns
    -------
    int or None
        None where the facts leave the claim open, or contradict each other.
    """

    def decide(chosen: tuple[Claim, ...]) -> bool:
        return bool(chosen) and verdict(worlds(n, chosen), claim) in ("yes", "no")

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
    return Difficulty(len(facts), depth(n, others, claim))


def of_tuple(siblings: Iterable[Difficulty]) -> Difficulty:
    """Join the difficulties of siblings, so that none of them tells an answer.

    The depth is the largest one: as many facts decide every claim of the tuple that is not open.
    """
    found = list(siblings)
    depths = [one.depth for one in found if one.depth is not None]
    return Difficulty(max(one.facts for one in found), max(depths, default=None))
