"""The problems of WorldSense: the stories, the questions, and the gold answers of each variant of a tuple.

Every builder draws one tuple: a story, which its variants share, and one variant for each answer. The rules are those
of the WorldSense specification, sections 4.2 to 4.7, without the faults of the published generator: the solver checks
labels, no normal question asks for a stated fact, and the form of a question says nothing about its answer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import NamedTuple, TypeAlias

from probsense.tasks.worldsense.generate.stories import (
    Draws,
    Telling,
    arrange,
    before,
    between,
    chain,
    draw_facts,
    negation,
    partial_order,
    span,
    tell,
    unstated_claim,
)
from probsense.tasks.worldsense.questions.format import COMPL, CONSIST, INFER
from probsense.tasks.worldsense.text import skins
from probsense.tasks.worldsense.text.logic import Claim


class Variant(NamedTuple):
    """One trial of a tuple, whatever its things are called.

    Attributes
    ----------
    gold : str
    telling : sequence of (Claim, bool)
        The facts that the text states.
    claim : Claim
        What the question is about; for Consist, the inserted fact. Entity n is one that the story does not mention.
    flip : bool
        Whether the claim is worded the other way round.
    span : int or None
        What is recorded as the span of the claim.
    predicates : tuple of str
        For a foreign claim, the sentences of the claim and of its converse.
    """

    gold: str
    telling: Telling
    claim: Claim
    flip: bool
    span: int | None
    predicates: tuple[str, ...] = ()

    @property
    def facts(self) -> tuple[Claim, ...]:
        """The facts that the text states, in its order."""
        return tuple(fact for fact, _ in self.telling)


class Cell(NamedTuple):
    """One kind of tuple; every cell of a set holds equally many. Its depth is None where none was chosen."""

    problem: str
    size: int
    skin: skins.Skin
    qskin: str
    complexity: int = 0
    depth: int | None = None


Build: TypeAlias = Callable[[Draws, Cell], list[Variant]]
"""Draws a tuple of a cell."""


class Problem(NamedTuple):
    """A problem type.

    Attributes
    ----------
    answers : tuple of str
    complexities : tuple of int
        Those in which it comes.
    build : callable
        Draws a tuple.
    lines : bool
        Whether it tells of lines.
    spare_names : int
        How many names it needs beside those of its entities.
    """

    answers: tuple[str, ...]
    complexities: tuple[int, ...]
    build: Build
    lines: bool = False
    spare_names: int = 0


# Infer ------------------------------------------------------------------------------------------------------------


def infer_variants(telling: Telling, claims: Sequence[Claim], flip: bool) -> list[Variant]:
    """Ask for a claim that follows from the facts, and for its negation; ``flip`` words both the other way round."""
    return [
        Variant(gold, telling, claim, flip, span(claim) if claim.relation in ("before", "between") else None)
        for gold, claim in zip(INFER, claims, strict=True)
    ]


def _infer(draws: Draws, cell: Cell, telling: Telling) -> list[Variant]:
    """Draw a claim about a story, and its negation."""
    claim = unstated_claim(draws, cell.size, dict(telling))
    return infer_variants(telling, (claim, negation(draws, claim)), draws.coin())


def infer_normal(draws: Draws, cell: Cell) -> list[Variant]:
    """Draw a story, and a claim that follows from it or contradicts it."""
    facts = draw_facts(draws, cell.size, cell.complexity)
    return _infer(draws, cell, tell(draws, facts))


def infer_ordered(draws: Draws, cell: Cell) -> list[Variant]:
    """Draw as :func:`infer_normal`, with the facts in order and all worded forward.

    Infer.trivial lists the entities instead; else, it is for training sets only.
    """
    return _infer(draws, cell, [(fact, False) for fact in chain(cell.size)])


def infer_extrema(draws: Draws, cell: Cell) -> list[Variant]:
    """Draw a story, and the claim that an entity at one end is first, or last."""
    facts, last = draw_facts(draws, cell.size, cell.complexity), draws.coin()
    end = cell.size - 1 if last else 0
    ends = Claim("first", (end,)), Claim("last", (end,))
    return infer_variants(tell(draws, facts), ends[::-1] if last else ends, False)


def infer_parallel(draws: Draws, cell: Cell) -> list[Variant]:
    """Draw a chain of parallel and perpendicular lines, and a claim about two that are not linked."""
    n = cell.size
    turns = [draws.coin() for _ in range(n - 1)]
    links = [Claim("perpendicular" if turn else "parallel", (i, i + 1)) for i, turn in enumerate(turns)]
    facts = arrange(draws, links)
    a, b = draws.choice([(a, b) for a, b in combinations(range(n), 2) if b - a > 1])
    turned = sum(turns[a:b]) % 2
    if draws.coin():
        a, b = b, a
    parallel, perpendicular = Claim("parallel", (a, b)), Claim("perpendicular", (a, b))
    claims = (perpendicular, parallel) if turned else (parallel, perpendicular)
    return infer_variants(tell(draws, facts), claims, False)


# Consist ----------------------------------------------------------------------------------------------------------


def consist_variants(telling: Telling, claims: Sequence[Claim], place: int, flip: bool) -> list[Variant]:
    """Put a claim that follows from the facts, or one that contradicts them, among them.

    ``flip`` words both the other way round.
    """
    return [
        Variant(gold, [*telling[:place], (claim, flip), *telling[place:]], claim, flip, span(claim))
        for gold, claim in zip(CONSIST, claims, strict=True)
    ]


def _consist(draws: Draws, facts: tuple[Claim, ...], claim: Claim) -> list[Variant]:
    """Draw how a story is told into which a claim is put, and where."""
    telling = tell(draws, facts)
    flip, place = draws.coin(), draws.below(len(facts) + 1)
    return consist_variants(telling, (claim, negation(draws, claim)), place, flip)


def consist_trivial(draws: Draws, cell: Cell) -> list[Variant]:
    """Draw a story that states one fact again, or contradicts it outright; a span of 0 is recorded."""
    facts, claim = draw_facts(draws, cell.size, cell.complexity), before(0, 1)
    found = _consist(draws, facts, claim if claim in facts else between(1, 0, 2))
    return [variant._replace(span=0) for variant in found]


def consist_normal(draws: Draws, cell: Cell) -> list[Variant]:
    """Draw a story with one of its consequences put in, or the negation of one."""
    facts = draw_facts(draws, cell.size, cell.complexity)
    return _consist(draws, facts, unstated_claim(draws, cell.size, facts))


# Compl ------------------------------------------------------------------------------------------------------------


def compl_trivial(draws: Draws, cell: Cell) -> list[Variant]:
    """Draw a story, and alternatives that it decides unless they speak of something it does not mention."""
    n = cell.size
    facts = draw_facts(draws, n, 0)
    claim = unstated_claim(draws, n, facts)
    flip, distance = draws.coin(), span(claim)
    telling = tell(draws, facts)
    variants = [
        Variant(gold, telling, asked, flip, distance)
        for gold, asked in zip(COMPL, (claim, negation(draws, claim)), strict=False)
    ]
    predicates: tuple[str, ...] = ()
    if len(claim.args) == 2 and draws.coin():
        unknown = Claim("foreign", claim.args if draws.coin() else claim.args[::-1])
        predicates = draws.choice(skins.order_of(cell.skin).foreign)[:: -1 if flip else 1]
    else:
        args = list(claim.args)
        args[draws.below(len(args))] = n
        if len(args) == 2 and draws.coin():
            args.reverse()
        unknown = Claim(claim.relation, tuple(args))
    return [*variants, Variant("3", telling, unknown, flip, distance, predicates)]


def compl_normal(draws: Draws, cell: Cell) -> list[Variant]:
    """Draw a story with several worlds, and alternatives that it decides or leaves open."""
    n = cell.size
    order = partial_order(n, 1 + draws.below(n - 2), draws.coin())
    arity = 3 if order.true[3] and draws.chance(2 / 3) else 2
    unknown = draws.choice(order.undecided[arity])
    true = [c for c in order.true[arity] if span(c) == span(unknown)] or order.true[arity]
    claim = draws.choice(true)
    telling = tell(draws, arrange(draws, order.facts))
    # With three entities the claim is a stated fact: at least its wording turns round.
    stated = dict(telling)
    flip = not stated[claim] if claim in stated else draws.coin()
    asked = ((unknown, draws.coin()), (negation(draws, claim), flip), (claim, flip))
    return compl_variants([(telling, *each) for each in asked])


def compl_variants(asked: Sequence[tuple[Telling, Claim, bool]]) -> list[Variant]:
    """Ask for a claim that a story leaves open, for one that it denies and for one that it confirms.

    With each goes the story, and whether the claim is worded the other way round.
    """
    return [
        Variant(gold, telling, claim, flip, span(claim))
        for gold, (telling, claim, flip) in zip(COMPL[::-1], asked, strict=True)
    ]


# Texts ------------------------------------------------------------------------------------------------------------


def text_of(cell: Cell, names: Sequence[str], variant: Variant) -> str:
    """Word a trial.

    Parameters
    ----------
    cell : Cell
    names : sequence of str
        Of its entities; a spare one last, where the problem needs it.
    variant : Variant
    """
    skin, claim, flip = cell.skin, variant.claim, variant.flip
    clauses = [skins.clause(skin, fact, names, turned) for fact, turned in variant.telling]
    if variant.gold in CONSIST:
        scene = skins.scene(skin, cell.size)
        return skins.CONSIST[cell.qskin].format(scene=scene, facts=skins.join(clauses))
    if cell.problem == "Infer.trivial":
        story = skins.list_story(skins.order_of(skin), names[: cell.size])
    else:
        story = skins.story(skin, cell.size, clauses)
    if variant.predicates:
        a, b = (names[thing] for thing in claim.args)
        asked, converse = (one.format(a=a, b=b) for one in variant.predicates)
        return skins.COMPL[cell.qskin].format(story=story, claim=asked, converse=converse)
    asked = skins.clause(skin, claim, names, flip)
    if variant.gold in INFER:
        return skins.INFER[cell.qskin].format(story=story, claim=asked)
    if claim.relation == "before":
        converse = skins.clause(skin, before(*claim.args[::-1]), names, not flip)
    else:
        converse = skins.clause(skin, Claim("outside", claim.args), names, flip)
    return skins.COMPL[cell.qskin].format(story=story, claim=asked, converse=converse)


PROBLEMS = {
    "Infer.trivial": Problem(INFER, (0,), infer_ordered),
    "Infer.normal": Problem(INFER, (0, 1, 2), infer_normal),
    "Consist.trivial": Problem(CONSIST, (0, 1, 2), consist_trivial),
    "Consist.normal": Problem(CONSIST, (0, 1, 2), consist_normal),
    "Compl.trivial": Problem(COMPL, (0,), compl_trivial, spare_names=1),
    "Compl.normal": Problem(COMPL, (0,), compl_normal),
    "Infer.extrema": Problem(INFER, (0, 1, 2), infer_extrema),
    "Infer.parallel": Problem(INFER, (0,), infer_parallel, lines=True),
}
"""The problems in the order in which tables list them."""

STANDARD = tuple(PROBLEMS)[:6]
"""The six problems of the standard test set."""

TRAINING = PROBLEMS | {"Infer.ordered": Problem(INFER, (0,), infer_ordered)}
"""Training sets know one trivial problem more."""


def named_problems(names: Sequence[str], *, training: bool = False) -> tuple[str, ...]:
    """Replace "standard" and "all" among names of problems by the problems that they stand for.

    Parameters
    ----------
    names : sequence of str
    training : bool
        Whether they are those of a training set, which has further problems.
    """
    further = tuple(name for name in TRAINING if training and name not in {*PROBLEMS, *names})
    sets = {"standard": STANDARD + further, "all": tuple(PROBLEMS) + further}
    return tuple(problem for name in names for problem in sets.get(name, (name,)))
