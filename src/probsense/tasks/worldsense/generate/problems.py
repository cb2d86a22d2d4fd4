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

from probsense.tasks.worldsense.generate import wording
from probsense.tasks.worldsense.generate.draws import Draws
from probsense.tasks.worldsense.generate.skins import OrderSkin, ParallelSkin, Skin, order_of
from probsense.tasks.worldsense.generate.stories import (
    before,
    between,
    chain,
    negation,
    partial_order,
    span,
    told,
    unstated_claim,
)
from probsense.tasks.worldsense.generate.telling import (
    IN_ORDER,
    Aside,
    Manner,
    Told,
    arrange,
    draw_asides,
    facts_of,
    place_one_more,
    with_asides,
    word,
    word_one_more,
)
from probsense.tasks.worldsense.questions.format import COMPL, CONSIST, INFER
from probsense.tasks.worldsense.text.logic import Claim


class Variant(NamedTuple):
    """One trial of a tuple.

    ``facts`` are those that the text states, in its order and without distractors; the question is about ``claim`` (for
    Consist, the inserted fact). Entity n is one that the story does not mention.
    """

    gold: str
    text: str
    facts: tuple[Claim, ...]
    claim: Claim
    span: int | None


class Kind(NamedTuple):
    """What is to be drawn: the number of entities, the wording of the question, the complexity of the story, the manner
    of telling it and the depth of inference (None for any)."""

    n: int
    qskin: str
    complexity: int
    manner: Manner = Manner()
    depth: int | None = None


Build: TypeAlias = Callable[[Draws, Skin, Sequence[str], Kind], list[Variant]]
"""Draws a tuple: takes the skin, the names and the kind."""


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
    manner : Manner, optional
        The only one in which it is told.
    distracts : bool
        Whether its stories can have distractors.
    """

    answers: tuple[str, ...]
    complexities: tuple[int, ...]
    build: Build
    lines: bool = False
    spare_names: int = 0
    manner: Manner | None = None
    distracts: bool = True

    def told_in(self, manner: Manner) -> Manner:
        """Return the manner in which the problem is told where another is chosen for a set."""
        return self.manner or (manner if self.distracts else manner._replace(distractors=0))


def _clauses(skin: OrderSkin, told: Told, names: Sequence[str]) -> list[str]:
    clauses = []
    for sentence, flip in zip(*told, strict=True):
        if isinstance(sentence, Aside):
            a, b = sentence.args
            clauses.append(sentence.template.format(a=names[a], b=names[b]))
        else:
            clauses.append(wording.clause(skin, sentence, names, flip))
    return clauses


def _distracted(draws: Draws, skin: Skin, kind: Kind, told: Told) -> Told:
    """Add the distractors of a story to its facts."""
    return with_asides(
        draws, told, draw_asides(draws, order_of(skin).foreign, kind.n, kind.manner.distractors)
    )


# Infer ------------------------------------------------------------------------------------------------------------


def _infer(
    skin: OrderSkin,
    story: str,
    names: Sequence[str],
    qskin: str,
    facts: tuple[Claim, ...],
    claims: Sequence[Claim],
    flip: bool,
) -> list[Variant]:
    return [
        Variant(
            gold,
            wording.INFER[qskin].format(story=story, claim=wording.clause(skin, claim, names, flip)),
            facts,
            claim,
            span(claim) if len(claim.args) > 1 else None,
        )
        for gold, claim in zip(INFER, claims, strict=True)
    ]


def infer_trivial(draws: Draws, skin: Skin, names: Sequence[str], kind: Kind) -> list[Variant]:
    """Draw a list of the entities in order, and a claim about them."""
    skin, facts = order_of(skin), tuple(chain(kind.n))
    claim = unstated_claim(draws, kind.n, facts)
    story = wording.list_story(skin, names[: kind.n])
    return _infer(skin, story, names, kind.qskin, facts, (claim, negation(draws, claim)), draws.coin())


def infer_variants(
    skin: Skin,
    names: Sequence[str],
    n: int,
    qskin: str,
    told: Told,
    claims: tuple[Claim, Claim],
    flip: bool,
) -> list[Variant]:
    """Ask for a claim that follows from the facts, and for its negation; ``flip`` words both the other way round."""
    skin = order_of(skin)
    story = wording.story(skin, n, _clauses(skin, told, names))
    return _infer(skin, story, names, qskin, facts_of(told.sentences), claims, flip)


def infer_normal(draws: Draws, skin: Skin, names: Sequence[str], kind: Kind) -> list[Variant]:
    """Draw a story, and a claim that follows from it or contradicts it."""
    n, manner = kind.n, kind.manner
    facts = told(draws, n, kind.complexity, manner)
    flips = word(draws, facts, manner)
    claim = unstated_claim(draws, n, facts)
    claims = claim, negation(draws, claim)
    story = _distracted(draws, skin, kind, Told(facts, flips))
    return infer_variants(skin, names, n, kind.qskin, story, claims, draws.coin())


def infer_ordered(draws: Draws, skin: Skin, names: Sequence[str], kind: Kind) -> list[Variant]:
    """Draw as :func:`infer_normal`, with the facts in order and all worded forward; for training sets only."""
    facts = tuple(chain(kind.n))
    claim = unstated_claim(draws, kind.n, facts)
    claims = claim, negation(draws, claim)
    forward = Told(facts, [False] * len(facts))
    return infer_variants(skin, names, kind.n, kind.qskin, forward, claims, draws.coin())


def infer_extrema(draws: Draws, skin: Skin, names: Sequence[str], kind: Kind) -> list[Variant]:
    """Draw a story, and the claim that an entity at one end is first, or last."""
    facts, last = told(draws, kind.n, kind.complexity, kind.manner), draws.coin()
    story = _distracted(draws, skin, kind, Told(facts, word(draws, facts, kind.manner)))
    return extrema_variants(skin, names, kind.n, kind.qskin, story, last)


def extrema_variants(
    skin: Skin,
    names: Sequence[str],
    n: int,
    qskin: str,
    told: Told,
    last: bool,
) -> list[Variant]:
    """Claim that the first entity, or the last one, stands at its own end, and at the other."""
    skin, end = order_of(skin), n - 1 if last else 0
    ends = Claim("first", (end,)), Claim("last", (end,))
    story = wording.story(skin, n, _clauses(skin, told, names))
    return _infer(skin, story, names, qskin, facts_of(told.sentences), ends[::-1] if last else ends, False)


def infer_parallel(draws: Draws, skin: Skin, names: Sequence[str], kind: Kind) -> list[Variant]:
    """Draw a chain of parallel and perpendicular lines, and a claim about two that are not linked."""
    if not isinstance(skin, ParallelSkin):
        raise TypeError(f"skin {skin.name} tells of an order, not of lines")
    n = kind.n
    turns = [draws.coin() for _ in range(n - 1)]
    links = [Claim("perpendicular" if turn else "parallel", (i, i + 1)) for i, turn in enumerate(turns)]
    facts = arrange(draws, links, kind.manner)
    a, b = draws.choice([(a, b) for a, b in combinations(range(n), 2) if b - a > 1])
    if draws.coin():
        a, b = b, a
    parallel, perpendicular = Claim("parallel", (a, b)), Claim("perpendicular", (a, b))
    turned = sum(turns[min(a, b) : max(a, b)]) % 2
    claims = (perpendicular, parallel) if turned else (parallel, perpendicular)
    flips = word(draws, facts, kind.manner)
    clauses = [wording.line_clause(skin, fact, names, flip) for fact, flip in zip(facts, flips, strict=True)]
    story = wording.story(skin, n, clauses)
    return [
        Variant(
            gold,
            wording.INFER[kind.qskin].format(
                story=story, claim=wording.line_clause(skin, claim, names, False)
            ),
            facts,
            claim,
            None,
        )
        for gold, claim in zip(INFER, claims, strict=True)
    ]


# Consist ----------------------------------------------------------------------------------------------------------


class Inserted(NamedTuple):
    """What is put into a story: a claim that follows from it, its negation, the place, and how both are worded."""

    claim: Claim
    denial: Claim
    place: int
    flip: bool


def _inserted(draws: Draws, story: Told, claim: Claim, manner: Manner) -> Inserted:
    flip = word_one_more(draws, story, manner)
    place = place_one_more(draws, story, claim, manner)
    return Inserted(claim, negation(draws, claim), place, flip)


def consist_variants(
    skin: Skin,
    names: Sequence[str],
    n: int,
    qskin: str,
    told: Told,
    inserted: Inserted,
    distance: int,
) -> list[Variant]:
    """Put a claim that follows from the facts, or its negation, among them."""
    skin = order_of(skin)
    *claims, place, flip = inserted
    scene = wording.scene(skin, n)
    variants = []
    for gold, claim in zip(CONSIST, claims, strict=True):
        sentences = (*told.sentences[:place], claim, *told.sentences[place:])
        clauses = _clauses(skin, Told(sentences, [*told.flips[:place], flip, *told.flips[place:]]), names)
        text = wording.CONSIST[qskin].format(scene=scene, facts=wording.join(clauses))
        variants.append(Variant(gold, text, facts_of(sentences), claim, distance))
    return variants


def consist_trivial(draws: Draws, skin: Skin, names: Sequence[str], kind: Kind) -> list[Variant]:
    """Draw a story that states one fact again, or contradicts it outright."""
    facts = told(draws, kind.n, kind.complexity, kind.manner)
    first = before(0, 1) if before(0, 1) in facts else between(1, 0, 2)
    story = _distracted(draws, skin, kind, Told(facts, word(draws, facts, kind.manner)))
    inserted = _inserted(draws, story, first, kind.manner)
    return consist_variants(skin, names, kind.n, kind.qskin, story, inserted, 0)


def consist_normal(draws: Draws, skin: Skin, names: Sequence[str], kind: Kind) -> list[Variant]:
    """Draw a story with one of its consequences put in, or the negation of one."""
    facts = told(draws, kind.n, kind.complexity, kind.manner)
    claim = unstated_claim(draws, kind.n, facts)
    story = _distracted(draws, skin, kind, Told(facts, word(draws, facts, kind.manner)))
    inserted = _inserted(draws, story, claim, kind.manner)
    return consist_variants(skin, names, kind.n, kind.qskin, story, inserted, span(claim))


# Compl ------------------------------------------------------------------------------------------------------------


def _alternatives(skin: OrderSkin, claim: Claim, names: Sequence[str], flip: bool) -> tuple[str, str]:
    """Word a claim and its complement about the same entities in the same order."""
    if claim.relation == "before":
        a, b = claim.args
        complement, turned = before(b, a), not flip
    else:
        complement, turned = Claim("outside", claim.args), flip
    return wording.clause(skin, claim, names, flip), wording.clause(skin, complement, names, turned)


def _ask(story: str, qskin: str, alternatives: tuple[str, str]) -> str:
    claim, converse = alternatives
    return wording.COMPL[qskin].format(story=story, claim=claim, converse=converse)


def compl_trivial(draws: Draws, skin: Skin, names: Sequence[str], kind: Kind) -> list[Variant]:
    """Draw a story, and alternatives that it decides unless they speak of something it does not mention."""
    skin, n, manner = order_of(skin), kind.n, kind.manner
    facts = told(draws, n, 0, manner)
    claim = unstated_claim(draws, n, facts)
    flip, distance = draws.coin(), span(claim)
    story = wording.story(skin, n, _clauses(skin, Told(facts, word(draws, facts, manner)), names))
    variants = [
        Variant(
            gold, _ask(story, kind.qskin, _alternatives(skin, asked, names, flip)), facts, asked, distance
        )
        for gold, asked in zip(COMPL, (claim, negation(draws, claim)), strict=False)
    ]
    if len(claim.args) == 2 and draws.coin():
        a, b = claim.args if draws.coin() else claim.args[::-1]
        pair = draws.choice(skin.foreign)
        one, other = (template.format(a=names[a], b=names[b]) for template in (pair[::-1] if flip else pair))
        unknown, alternatives = Claim("foreign", (a, b)), (one, other)
    else:
        args = list(claim.args)
        args[draws.below(len(args))] = n
        if len(args) == 2 and draws.coin():
            args.reverse()
        unknown = Claim(claim.relation, tuple(args))
        alternatives = _alternatives(skin, unknown, names, flip)
    variants.append(Variant("3", _ask(story, kind.qskin, alternatives), facts, unknown, distance))
    return variants


def compl_normal(draws: Draws, skin: Skin, names: Sequence[str], kind: Kind) -> list[Variant]:
    """Draw a story with several worlds, and alternatives that it decides or leaves open."""
    n, manner = kind.n, kind.manner
    order = partial_order(n, 1 + draws.below(n - 2), draws.coin())
    arity = 3 if order.true[3] and draws.chance(2 / 3) else 2
    unknown = draws.choice(order.undecided[arity])
    true = [c for c in order.true[arity] if span(c) == span(unknown)] or order.true[arity]
    claim = draws.choice(true)
    facts = arrange(draws, order.facts, manner)
    flips = word(draws, facts, manner)
    # With three entities the claim is a stated fact: at least its wording turns round.
    flip = not flips[facts.index(claim)] if claim in facts else draws.coin()
    asked = ((unknown, draws.coin()), (negation(draws, claim), flip), (claim, flip))
    story = _distracted(draws, skin, kind, Told(facts, flips))
    return compl_variants(skin, names, n, kind.qskin, story, asked)


def compl_variants(
    skin: Skin,
    names: Sequence[str],
    n: int,
    qskin: str,
    told: Told,
    asked: Sequence[tuple[Claim, bool]],
) -> list[Variant]:
    """Ask for a claim that the facts leave open, for one that they deny and for one that they confirm.

    With each of the three claims goes whether it is worded the other way round.
    """
    skin, facts = order_of(skin), facts_of(told.sentences)
    story = wording.story(skin, n, _clauses(skin, told, names))
    return [
        Variant(gold, _ask(story, qskin, _alternatives(skin, claim, names, flip)), facts, claim, span(claim))
        for gold, (claim, flip) in zip(COMPL[::-1], asked, strict=True)
    ]


PROBLEMS = {
    "Infer.trivial": Problem(INFER, (0,), infer_trivial, manner=IN_ORDER),
    "Infer.normal": Problem(INFER, (0, 1, 2), infer_normal),
    "Consist.trivial": Problem(CONSIST, (0, 1, 2), consist_trivial),
    "Consist.normal": Problem(CONSIST, (0, 1, 2), consist_normal),
    "Compl.trivial": Problem(COMPL, (0,), compl_trivial, spare_names=1, distracts=False),
    "Compl.normal": Problem(COMPL, (0,), compl_normal),
    "Infer.extrema": Problem(INFER, (0, 1, 2), infer_extrema),
    "Infer.parallel": Problem(INFER, (0,), infer_parallel, lines=True, distracts=False),
}
"""The problems in the order in which tables list them."""

STANDARD = tuple(PROBLEMS)[:6]
"""The six problems of the standard test set."""

TRAINING = PROBLEMS | {"Infer.ordered": Problem(INFER, (0,), infer_ordered, manner=IN_ORDER)}
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
