"""Explains in words why an answer is right, what else may be amiss with a question, and how
many forms a set has: one of few forms is learned by heart."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from probsense.tasks.worldsense.questions.format import PROBLEMS, in_order
from probsense.tasks.worldsense.text.logic import (
    Claim,
    Orders,
    ParsedQuestion,
    Worlds,
    decide,
    possible_worlds,
    verdict,
    worlds,
)


def reason(question: ParsedQuestion) -> str:
    """Explain why the answer that the solver gives is the right one, with worlds as witnesses."""
    n, possible = _worlds(question)
    if question.kind == "consist":
        if possible:
            return f"all facts hold in {_world(question, possible)}"
        return "the facts contradict each other"
    if not possible:
        return "the facts contradict each other, so no answer is right"
    verdicts = decide(n, question.facts, question.claims, question.lines)
    subject = "the claim" if question.kind == "infer" else "(1)"
    claim = question.claims[0]
    if claim.relation == "foreign":
        return f"{subject} compares in a way the story says nothing about"
    if question.kind == "compl" and verdicts == ("no", "yes"):
        subject, claim, verdicts = "(2)", question.claims[1], ("yes",)
    if verdicts[0] == "undecided":
        return (
            f"the facts do not decide {subject}: it holds in {_world(question, possible.where(claim))}, "
            f"and does not hold in {_world(question, possible.where(claim, holds=False))}"
        )
    does = "holds" if verdicts[0] == "yes" else "does not hold"
    world = _world(question, possible)
    if _alone(n, question.facts, question.lines):
        return f"{subject} {does} in the only world that fits the facts: {world}"
    return f"{subject} {does} in every world that fits the facts, as in {world}"


def _worlds(question: ParsedQuestion) -> tuple[int, Worlds]:
    n = len(question.names)
    return n, possible_worlds(n, question.facts, question.lines)


def _world(question: ParsedQuestion, possible: Worlds) -> str:
    """Describe one of the possible worlds in words."""
    names, world = question.names, possible.some()
    if isinstance(possible, Orders):
        return f"the order {' > '.join(names[i] for i in world)}"
    sides = [
        [name for name, way in zip(names, world, strict=True) if (way == world[0]) is near]
        for near in (True, False)
    ]
    return " across ".join(" and ".join(side) for side in sides if side)


def flaw(question: ParsedQuestion, problem: str) -> str:
    """Describe how a question differs from the form of its problem; "" when it does not.

    The forms are invariants I1 to I4 of the WorldSense specification, section 5.
    """
    return _flaw(problem, question.kind, question.size, question.facts, question.claims, question.lines)


@lru_cache(maxsize=1 << 16)
def _flaw(
    problem: str, kind: str, n: int, facts: tuple[Claim, ...], claims: tuple[Claim, ...], lines: bool
) -> str:
    if problem.partition(".")[0].lower() != kind:
        return f"the question is of another kind: {kind}"
    least = n if kind == "consist" else n - 1
    more = len(facts) > least
    if len(facts) < least or (
        more and kind != "consist" and (len(set(facts)) < len(facts) or set(claims) & set(facts))
    ):
        return f"{len(facts)} facts are told about {n} entities, where {least} are expected"
    if kind == "consist":
        if not any(_alone(n, rest, lines) for rest in _each_left_out(facts)):
            return "no fact can be left out so that exactly one order fits the others"
        return ""
    if problem == "Compl.normal":
        if _alone(n, facts, lines):
            return "only one order fits the facts"
    elif not _alone(n, facts, lines):
        return "more than one order fits the facts"
    if kind == "compl" and not _complementary(n, claims):
        return "the alternatives are not each other's complement"
    return ""


def _each_left_out(facts: tuple[Claim, ...]) -> list[tuple[Claim, ...]]:
    return [facts[:i] + facts[i + 1 :] for i in range(len(facts))]


def _alone(n: int, facts: tuple[Claim, ...], lines: bool) -> bool:
    """Whether exactly one world fits the facts (for lines: one up to a turn of all)."""
    return possible_worlds(n, facts, lines).alone


def _complementary(n: int, claims: tuple[Claim, ...]) -> bool:
    foreign = [claim.relation == "foreign" for claim in claims]
    if any(foreign):
        return all(foreign)
    size = max(n, 1 + max(i for claim in claims for i in claim.args))
    one, other = claims
    free = worlds(size, ())
    return verdict(free.where(one), other) == "no" and verdict(free.where(one, holds=False), other) == "yes"


@dataclass(frozen=True, slots=True)
class Forms:
    """The forms of the questions of a problem and size.

    Attributes
    ----------
    problem : str
    size : int
    trials, forms : int
        How many there are.
    most : float
        Share of the trials that have the most frequent form.
    """

    problem: str
    size: int
    trials: int
    forms: int
    most: float


def count_forms(questions: Iterable[tuple[str, int, str]]) -> tuple[Forms, ...]:
    """Count forms by problem and size.

    Parameters
    ----------
    questions : iterable of (str, int, str)
        Problem, size and form of each trial.
    """
    cells: dict[tuple[str, int], Counter[str]] = defaultdict(Counter)
    for problem, size, form in questions:
        cells[problem, size][form] += 1
    order = in_order((problem for problem, _ in cells), PROBLEMS)
    return tuple(
        Forms(*cell, found.total(), len(found), max(found.values()) / found.total())
        for cell, found in sorted(cells.items(), key=lambda row: (order.index(row[0][0]), row[0][1]))
    )


def forms_table(counts: Sequence[Forms]) -> list[str]:
    """Write a line for each problem, with its forms at each size and the share of the most frequent one."""
    sizes = sorted({one.size for one in counts})
    problems = list(dict.fromkeys(one.problem for one in counts))
    told = {(one.problem, one.size): f"{one.forms:,} ({one.most:.3f})" for one in counts}
    rows = [
        ["forms (share of the most frequent)", *(f"size {size}" for size in sizes)],
        *([problem, *(told.get((problem, size), "") for size in sizes)] for problem in problems),
    ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
