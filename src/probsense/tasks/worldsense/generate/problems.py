"""The problems of WorldSense: the stories, the questions, and the gold answers of each variant of a tuple.

Every builder draws one tuple: a story in one wording, shared by its variants, and one variant for each answer. The
rules are those of the WorldSense specification, sections 4.2 to 4.7, without the faults of the published generator:
the solver checks labels, no normal question asks for a stated fact, and the form of a question says nothing about
its answer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import NamedTuple, TypeAlias

from probsense.tasks.worldsense.generate import stories
from probsense.tasks.worldsense.generate.stories import Draws, Telling
from probsense.tasks.worldsense.questions.format import COMPL, CONSIST, INFER
from probsense.tasks.worldsense.text import skins
from probsense.tasks.worldsense.text.logic import Claim
from probsense.tasks.worldsense.text.skins import Skin, order_of


class Variant(NamedTuple):
    """One trial of a tuple.

    ``facts`` are those that the text states, in its order; the question is about ``claim`` (for Consist, the inserted
    fact). Entity n is one that the story does not mention.
    """

    gold: str
    text: str
    facts: tuple[Claim, ...]
    claim: Claim
    span: int | None


class Cell(NamedTuple):
    """One kind of tuple; every cell of a set holds equally many. Its depth is None where none was chosen."""

    problem: str
    size: int
    skin: Skin
    qskin: str
    complexity: int = 0
    depth: int | None = None


Build: TypeAlias = Callable[[Draws, Cell, Sequence[str]], list[Variant]]
"""Draws a tuple of a cell, told of things with the given names."""


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


def _clauses(cell: Cell, telling: Telling, names: Sequence[str]) -> list[str]:
    return [skins.clause(cell.skin, fact, names, flip) for fact, flip in telling]


def _story(cell: Cell, telling: Telling, names: Sequence[str]) -> str:
    return skins.story(cell.skin, cell.size, _clauses(cell, telling, names))


def _facts(telling: Telling) -> tuple[Claim, ...]:
    return tuple(fact for fact, _ in telling)


# Infer ------------------------------------------------------------------------------------------------------------


def infer_variants(
    cell: Cell, names: Sequence[str], telling: Telling, claims: Sequence[Claim], flip: bool, story: str = ""
) -> list[Variant]:
    """Ask for a claim that follows from the facts, and for its negation; ``flip`` words both the other way round.

    The facts are told, unless there is another story about them.
    """
    story = story or _story(cell, telling, names)
    variants = []
    for gold, claim in zip(INFER, claims, strict=True):
        asked = skins.clause(cell.skin, claim, names, flip)
        text = skins.INFER[cell.qskin].format(story=story, claim=asked)
        distance = stories.span(claim) if claim.relation in ("before", "between") else None
        variants.append(Variant(gold, text, _facts(telling), claim, distance))
    return variants


def _infer(
    draws: Draws, cell: Cell, names: Sequence[str], telling: Telling, story: str = ""
) -> list[Variant]:
    """Draw a claim about a story, and its negation."""
    claim = stories.unstated_claim(draws, cell.size, _facts(telling))
    return infer_variants(cell, names, telling, (claim, stories.negation(draws, claim)), draws.coin(), story)


def infer_trivial(draws: Draws, cell: Cell, names: Sequence[str]) -> list[Variant]:
    """Draw a list of the entities in order, and a claim about them."""
    story = skins.list_story(order_of(cell.skin), names[: cell.size])
    return _infer(draws, cell, names, _in_order(cell), story)


def infer_normal(draws: Draws, cell: Cell, names: Sequence[str]) -> list[Variant]:
    """Draw a story, and a claim that follows from it or contradicts it."""
    facts = stories.draw_facts(draws, cell.size, cell.complexity)
    return _infer(draws, cell, names, stories.tell(draws, facts))


def infer_ordered(draws: Draws, cell: Cell, names: Sequence[str]) -> list[Variant]:
    """Draw as :func:`infer_normal`, with the facts in order and all worded forward; for training sets only."""
    return _infer(draws, cell, names, _in_order(cell))


def _in_order(cell: Cell) -> Telling:
    return [(fact, False) for fact in stories.chain(cell.size)]


def infer_extrema(draws: Draws, cell: Cell, names: Sequence[str]) -> list[Variant]:
    """Draw a story, and the claim that an entity at one end is first, or last."""
    facts, last = stories.draw_facts(draws, cell.size, cell.complexity), draws.coin()
    end = cell.size - 1 if last else 0
    ends = Claim("first", (end,)), Claim("last", (end,))
    story = stories.tell(draws, facts)
    return infer_variants(cell, names, story, ends[::-1] if last else ends, False)


def infer_parallel(draws: Draws, cell: Cell, names: Sequence[str]) -> list[Variant]:
    """Draw a chain of parallel and perpendicular lines, and a claim about two that are not linked."""
    n = cell.size
    turns = [draws.coin() for _ in range(n - 1)]
    links = [Claim("perpendicular" if turn else "parallel", (i, i + 1)) for i, turn in enumerate(turns)]
    facts = stories.arrange(draws, links)
    a, b = draws.choice([(a, b) for a, b in combinations(range(n), 2) if b - a > 1])
    turned = sum(turns[a:b]) % 2
    if draws.coin():
        a, b = b, a
    parallel, perpendicular = Claim("parallel", (a, b)), Claim("perpendicular", (a, b))
    claims = (perpendicular, parallel) if turned else (parallel, perpendicular)
    return infer_variants(cell, names, stories.tell(draws, facts), claims, False)


# Consist ----------------------------------------------------------------------------------------------------------


def consist_variants(
    cell: Cell, names: Sequence[str], telling: Telling, claims: Sequence[Claim], place: int, flip: bool
) -> list[Variant]:
    """Put a claim that follows from the facts, or one that contradicts them, among them.

    ``flip`` words both the other way round. The span that is recorded is that of the claim, but 0 in Consist.trivial.
    """
    scene = skins.scene(cell.skin, cell.size)
    variants = []
    for gold, claim in zip(CONSIST, claims, strict=True):
        whole = [*telling[:place], (claim, flip), *telling[place:]]
        clauses = skins.join(_clauses(cell, whole, names))
        text = skins.CONSIST[cell.qskin].format(scene=scene, facts=clauses)
        distance = 0 if cell.problem == "Consist.trivial" else stories.span(claim)
        variants.append(Variant(gold, text, _facts(whole), claim, distance))
    return variants


def _consist(
    draws: Draws, cell: Cell, names: Sequence[str], facts: tuple[Claim, ...], claim: Claim
) -> list[Variant]:
    """Draw how a story is told into which a claim is put, and where."""
    story = stories.tell(draws, facts)
    flip, place = draws.coin(), draws.below(len(facts) + 1)
    return consist_variants(cell, names, story, (claim, stories.negation(draws, claim)), place, flip)


def consist_trivial(draws: Draws, cell: Cell, names: Sequence[str]) -> list[Variant]:
    """Draw a story that states one fact again, or contradicts it outright."""
    facts = stories.draw_facts(draws, cell.size, cell.complexity)
    claim = stories.before(0, 1)
    return _consist(draws, cell, names, facts, claim if claim in facts else stories.between(1, 0, 2))


def consist_normal(draws: Draws, cell: Cell, names: Sequence[str]) -> list[Variant]:
    """Draw a story with one of its consequences put in, or the negation of one."""
    facts = stories.draw_facts(draws, cell.size, cell.complexity)
    return _consist(draws, cell, names, facts, stories.unstated_claim(draws, cell.size, facts))


# Compl ------------------------------------------------------------------------------------------------------------


def _alternatives(cell: Cell, claim: Claim, names: Sequence[str], flip: bool) -> tuple[str, str]:
    """Word a claim and its complement about the same entities in the same order."""
    if claim.relation == "before":
        a, b = claim.args
        complement, turned = stories.before(b, a), not flip
    else:
        complement, turned = Claim("outside", claim.args), flip
    return skins.clause(cell.skin, claim, names, flip), skins.clause(cell.skin, complement, names, turned)


def _ask(cell: Cell, story: str, alternatives: tuple[str, str]) -> str:
    claim, converse = alternatives
    return skins.COMPL[cell.qskin].format(story=story, claim=claim, converse=converse)


def compl_trivial(draws: Draws, cell: Cell, names: Sequence[str]) -> list[Variant]:
    """Draw a story, and alternatives that it decides unless they speak of something it does not mention."""
    n = cell.size
    facts = stories.draw_facts(draws, n, 0)
    claim = stories.unstated_claim(draws, n, facts)
    flip, distance = draws.coin(), stories.span(claim)
    story = _story(cell, stories.tell(draws, facts), names)
    variants = [
        Variant(gold, _ask(cell, story, _alternatives(cell, asked, names, flip)), facts, asked, distance)
        for gold, asked in zip(COMPL, (claim, stories.negation(draws, claim)), strict=False)
    ]
    if len(claim.args) == 2 and draws.coin():
        a, b = claim.args if draws.coin() else claim.args[::-1]
        pair = draws.choice(order_of(cell.skin).foreign)
        one, other = (template.format(a=names[a], b=names[b]) for template in (pair[::-1] if flip else pair))
        unknown, alternatives = Claim("foreign", (a, b)), (one, other)
    else:
        args = list(claim.args)
        args[draws.below(len(args))] = n
        if len(args) == 2 and draws.coin():
            args.reverse()
        unknown = Claim(claim.relation, tuple(args))
        alternatives = _alternatives(cell, unknown, names, flip)
    variants.append(Variant("3", _ask(cell, story, alternatives), facts, unknown, distance))
    return variants


def compl_normal(draws: Draws, cell: Cell, names: Sequence[str]) -> list[Variant]:
    """Draw a story with several worlds, and alternatives that it decides or leaves open."""
    n = cell.size
    order = stories.partial_order(n, 1 + draws.below(n - 2), draws.coin())
    arity = 3 if order.true[3] and draws.chance(2 / 3) else 2
    unknown = draws.choice(order.undecided[arity])
    true = [c for c in order.true[arity] if stories.span(c) == stories.span(unknown)] or order.true[arity]
    claim = draws.choice(true)
    story = stories.tell(draws, stories.arrange(draws, order.facts))
    # With three entities the claim is a stated fact: at least its wording turns round.
    stated = dict(story)
    flip = not stated[claim] if claim in stated else draws.coin()
    asked = ((unknown, draws.coin()), (stories.negation(draws, claim), flip), (claim, flip))
    return compl_variants(cell, names, [(story, *each) for each in asked])


def compl_variants(
    cell: Cell, names: Sequence[str], asked: Sequence[tuple[Telling, Claim, bool]]
) -> list[Variant]:
    """Ask for a claim that a story leaves open, for one that it denies and for one that it confirms.

    With each goes the story, and whether the claim is worded the other way round.
    """
    variants = []
    for gold, (telling, claim, flip) in zip(COMPL[::-1], asked, strict=True):
        text = _ask(cell, _story(cell, telling, names), _alternatives(cell, claim, names, flip))
        variants.append(Variant(gold, text, _facts(telling), claim, stories.span(claim)))
    return variants


PROBLEMS = {
    "Infer.trivial": Problem(INFER, (0,), infer_trivial),
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
