"""The questions of the matched regime, as they come with the package: ``training/questions/build.py`` chooses them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from itertools import permutations
from math import sqrt
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from probsense.tasks.worldsense.generate.stories import before, between
from probsense.tasks.worldsense.text.logic import Claim

FILE: Final = "questions.npz"

Facts: TypeAlias = tuple[Claim, ...]
YES, NO, OPEN = range(3)


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


class Apart(NamedTuple):
    """Stories that fit several orders: questions with a true and with a false claim of one complexity and depth."""

    complexity: int
    depth: int
    true: Looks
    false: Looks


@cache
def claims(n: int) -> tuple[Claim, ...]:
    """List all claims about two or three of n things."""
    pairs = [before(*pair) for pair in permutations(range(n), 2)]
    return (*pairs, *(between(m, a, b) for m, a, b in permutations(range(n), 3) if a < b))


def complexity(facts: Sequence[Claim]) -> int:
    """Tell how many facts are about three things: 0, 1, or 2 for more than one."""
    return min(2, sum(len(fact.args) == 3 for fact in facts))


@cache
def stored() -> dict[str, NDArray[np.uint16]]:
    """Read the arrays of the file."""
    with files("probsense.tasks.worldsense.generate.forms").joinpath(FILE).open("rb") as stream:
        return dict(np.load(stream, allow_pickle=False))


@cache
def _stories(n: int, name: str) -> list[Facts]:
    table, known = stored().get(f"{name}_{n}_facts"), claims(n)
    if table is None:
        return []
    return [tuple(known[code] for code in row if code < len(known)) for row in table.tolist()]


def _questions(n: int, name: str) -> list[list[int]]:
    rows: list[list[int]] = stored()[f"{name}_{n}_questions"].tolist()
    return rows


@cache
def _alone(n: int) -> dict[tuple[int, int], list[Paired]]:
    """Read the questions about stories of one order, by complexity and depth."""
    told, known = _stories(n, "alone"), claims(n)
    if not told:
        return {}
    by_story: dict[tuple[int, int], tuple[list[Claim], list[Claim]]] = defaultdict(lambda: ([], []))
    for story, claim, answer, depth, _ in _questions(n, "alone"):
        by_story[story, depth][answer].append(known[claim])
    found: dict[tuple[int, int], list[Paired]] = defaultdict(list)
    for (story, depth), (true, false) in by_story.items():
        facts = told[story]
        found[complexity(facts), depth] += [Paired(facts, claim, tuple(false), depth) for claim in true]
    return found


@cache
def _apart(n: int) -> dict[tuple[int, int], Apart]:
    """Read the questions about stories of several orders, by complexity and depth."""
    told, known = _stories(n, "several"), claims(n)
    if not told:
        return {}
    kinds = [complexity(facts) for facts in told]
    looks: dict[tuple[int, int], list[tuple[int, int, Question]]] = defaultdict(list)
    for story, claim, answer, depth, look in _questions(n, "several"):
        looks[kinds[story], look].append((answer, depth, Question(told[story], known[claim])))
    sides: dict[tuple[int, int], tuple[Looks, Looks]] = defaultdict(
        lambda: (Looks([], [], []), Looks([], [], []))
    )
    for (kind, _), questions in looks.items():
        opened = [question for answer, _, question in questions if answer == OPEN]
        for depth in sorted({depth for answer, depth, _ in questions if answer != OPEN}):
            for side in (YES, NO):
                own = [question for answer, d, question in questions if (answer, d) == (side, depth)]
                if own:
                    weights, decided, others = sides[kind, depth][side]
                    weights.append((weights[-1] if weights else 0.0) + sqrt(len(own) * len(opened)))
                    decided.append(own)
                    others.append(opened)
    return {key: Apart(*key, *both) for key, both in sides.items() if all(side.weights for side in both)}


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
        By default all that there are.
    """
    return tuple(
        question
        for (complexity, own), questions in sorted(_alone(n).items())
        if complexity == kind and depth in (None, own)
        for question in questions
    )


@cache
def apart(n: int, depth: int | None = None) -> tuple[Apart, ...]:
    """Return the questions about stories of several orders; each group is as likely as its weights sum to.

    Parameters
    ----------
    n : int
    depth : int, optional
        By default all that there are.
    """
    return tuple(own for _, own in sorted(_apart(n).items()) if depth in (None, own.depth))


@cache
def depths(problem: str, n: int, kind: int) -> tuple[int, ...]:
    """List the depths of inference at which a problem has matched questions.

    Parameters
    ----------
    problem : str
        Compl.normal has its complexities together.
    n : int
    kind : {0, 1, 2}
        The complexity.
    """
    if problem == "Compl.normal":
        return tuple(sorted({own.depth for own in apart(n)}))
    return tuple(sorted({question.depth for question in paired(n, kind)}))
