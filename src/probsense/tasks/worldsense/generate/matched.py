"""Draws the normal problems from all forms that can be matched: what a story shows says nothing about the answer.

The questions come with the package: ``training/questions/build.py`` chooses them. Of Infer and Consist, siblings share
a story. True and false claims have the same distribution of stories, and the same of what a responder sees who counts,
and never joins two facts. Of Compl, siblings have stories of their own, in which the open claim looks like one of the
decided ones. Facts are told in any order, so what is named first or last tells nothing more.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.resources import files
from itertools import accumulate
from math import sqrt
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from probsense.tasks.worldsense.generate.problems import (
    Cell,
    Variant,
    compl_variants,
    consist_variants,
    infer_variants,
)
from probsense.tasks.worldsense.generate.stories import Draws, arrange, claims, tell
from probsense.tasks.worldsense.text.logic import Claim

NORMAL: Final = ("Infer.normal", "Consist.normal", "Compl.normal")
"""The problems that can be matched."""

Facts: TypeAlias = tuple[Claim, ...]
OPEN: Final = 2
"""The code of an answer that is open; 0 is true, 1 false."""


class Question(NamedTuple):
    """A claim about a story."""

    facts: Facts
    claim: Claim


class Paired(NamedTuple):
    """A story that fits one order, a claim that follows, and all claims of the same depth that can contradict."""

    facts: Facts
    claim: Claim
    denials: tuple[Claim, ...]
    depth: int


class Looks(NamedTuple):
    """Questions of one answer and depth, by their looks, with the open ones that look alike.

    Attributes
    ----------
    weights : list of float
        Of each look, cumulative: the geometric mean of its numbers of decided and of open questions, which gives all
        questions the greatest entropy.
    decided, opened : list of list of Question
        Of each look.
    """

    weights: list[float]
    decided: list[list[Question]]
    opened: list[list[Question]]


class Several(NamedTuple):
    """Stories that fit several orders: questions with a true and with a false claim of one complexity and depth."""

    complexity: int
    depth: int
    true: Looks
    false: Looks


def complexity(facts: Sequence[Claim]) -> int:
    """Tell how many facts are about three things: 0, 1, or 2 for more than one."""
    return min(2, sum(len(fact.args) == 3 for fact in facts))


@cache
def stored() -> dict[str, NDArray[np.uint16]]:
    """Read the arrays of the file."""
    with files("probsense.tasks.worldsense.generate").joinpath("questions.npz").open("rb") as stream:
        return dict(np.load(stream, allow_pickle=False))


def _questions(n: int, name: str) -> list[tuple[Question, int, int, int]]:
    """Read questions with answer, depth and look: "alone" those about stories of one order, or "several"."""
    known = claims(n)
    if f"{name}_{n}_facts" not in stored():
        return []
    table = stored()[f"{name}_{n}_facts"].tolist()
    told = [tuple(known[code] for code in row if code < len(known)) for row in table]
    rows = stored()[f"{name}_{n}_questions"].tolist()
    return [(Question(told[story], known[claim]), *others) for story, claim, *others in rows]


@cache
def paired(n: int, kind: int, depth: int | None = None) -> tuple[Paired, ...]:
    """Return the questions about stories of one order, all equally likely.

    Parameters
    ----------
    n : int
        The number of things.
    kind : {0, 1, 2}
        The complexity.
    depth : int, optional
        By default all that there are, by depth.
    """
    return tuple(one for one in _paired(n) if complexity(one.facts) == kind and depth in (None, one.depth))


@cache
def _paired(n: int) -> list[Paired]:
    by_story: dict[tuple[Facts, int], tuple[list[Claim], list[Claim]]] = defaultdict(lambda: ([], []))
    for (facts, claim), answer, depth, _ in _questions(n, "alone"):
        by_story[facts, depth][answer].append(claim)
    found = [
        Paired(facts, claim, tuple(false), depth)
        for (facts, depth), (true, false) in by_story.items()
        for claim in true
    ]
    return sorted(found, key=lambda one: one.depth)


@cache
def several(n: int, depth: int | None = None) -> tuple[Several, ...]:
    """Return the questions about stories of several orders; each group is as likely as its weights sum to.

    Parameters
    ----------
    n : int
    depth : int, optional
        By default all that there are.
    """
    looks: dict[tuple[int, int], dict[tuple[int, int], list[Question]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for question, answer, deep, look in _questions(n, "several"):
        own = (OPEN, 0) if answer == OPEN else (answer, deep)
        looks[complexity(question.facts), look][own].append(question)
    sides: dict[tuple[int, int], tuple[Looks, Looks]] = defaultdict(
        lambda: (Looks([], [], []), Looks([], [], []))
    )
    for (kind, _), questions in looks.items():
        opened = questions.pop((OPEN, 0), [])
        for (answer, deep), decided in questions.items():
            side = sides[kind, deep][answer]
            side.weights.append((side.weights or [0.0])[-1] + sqrt(len(decided) * len(opened)))
            side.decided.append(decided)
            side.opened.append(opened)
    groups = (Several(*key, *both) for key, both in sorted(sides.items()) if all(one.weights for one in both))
    return tuple(own for own in groups if depth in (None, own.depth))


@cache
def matched_depths(problem: str, n: int, kind: int) -> tuple[int, ...]:
    """List the depths of inference that can be drawn so that siblings match; none where they cannot.

    Parameters
    ----------
    problem : str
        Compl.normal has its complexities together.
    n : int
    kind : {0, 1, 2}
        The complexity.
    """
    if problem not in NORMAL:
        return ()
    questions: Iterable[Paired | Several] = several(n) if problem == "Compl.normal" else paired(n, kind)
    return tuple(sorted({one.depth for one in questions}))


def matched_variants(draws: Draws, cell: Cell) -> tuple[Cell, list[Variant]]:
    """Draw a tuple of a cell for which there are :func:`matched_depths`; say its complexity and depth in the cell."""
    if cell.problem == "Compl.normal":
        return _compl(draws, cell)
    facts, claim, denials, depth = draws.choice(paired(cell.size, cell.complexity, cell.depth))
    asked = claim, draws.choice(denials)
    telling = tell(draws, arrange(draws, facts))
    if cell.problem == "Infer.normal":
        variants = infer_variants(telling, asked, draws.coin())
    else:
        variants = consist_variants(telling, asked, draws.below(len(facts) + 1), draws.coin())
    return cell._replace(depth=depth), variants


def _compl(draws: Draws, cell: Cell) -> tuple[Cell, list[Variant]]:
    own = several(cell.size, cell.depth)[draws.weighted(_shares(cell.size, cell.depth))]
    true, false = draws.weighted(own.true.weights), draws.weighted(own.false.weights)
    opened = own.true.opened[true] if draws.coin() else own.false.opened[false]
    asked = [
        (tell(draws, arrange(draws, facts)), claim, draws.coin())
        for facts, claim in map(draws.choice, (opened, own.false.decided[false], own.true.decided[true]))
    ]
    return cell._replace(complexity=own.complexity, depth=own.depth), compl_variants(asked)


@cache
def _shares(n: int, depth: int | None) -> list[float]:
    return [*accumulate(own.true.weights[-1] + own.false.weights[-1] for own in several(n, depth))]
