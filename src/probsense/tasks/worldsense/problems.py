"""The problems of WorldSense: the stories, the questions, and the gold answers of each variant of a tuple.

Every builder draws one tuple: a story in one wording, shared by its variants, and one variant for each answer. The
rules are those of the WorldSense specification, sections 4.2 to 4.7, without the faults of the published generator:
enumeration checks labels, no normal question asks for a stated fact, and the form of a question says nothing about
its answer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from itertools import combinations, permutations
from typing import NamedTuple

from probsense.tasks.worldsense import wording
from probsense.tasks.worldsense.draws import Draws
from probsense.tasks.worldsense.logic import Claim, verdict, worlds
from probsense.tasks.worldsense.skins import OrderSkin, ParallelSkin, Skin
from probsense.tasks.worldsense.trials import COMPL, CONSIST, INFER


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


class Problem(NamedTuple):
    """A problem type: its answers, the complexities it comes in, and the function that draws a tuple."""

    answers: tuple[str, ...]
    complexities: tuple[int, ...]
    build: Callable[[Draws, Skin, Sequence[str], int, str, int], list[Variant]]
    lines: bool = False
    spare_names: int = 0


def before(a: int, b: int) -> Claim:
    """Make the claim that a precedes b."""
    return Claim("before", (a, b))


def between(m: int, a: int, b: int) -> Claim:
    """Make the claim that m lies between a and b."""
    return Claim("between", (m, a, b))


def chain(n: int) -> list[Claim]:
    """List the adjacent facts 0<1, 1<2, ... of n entities."""
    return [before(i, i + 1) for i in range(n - 1)]


def told(draws: Draws, n: int, complexity: int) -> tuple[Claim, ...]:
    """Draw the n-1 facts of a story with exactly one world, shuffled (specification 4.2).

    Complexity 0: all binary. 1: one of them replaced by a ternary fact that covers the same edge. 2: all but one
    ternary.
    """
    facts = chain(n)
    if complexity == 1:
        m = 1 + draws.below(n - 2)
        facts[m - draws.below(2)] = between(m, m - 1, m + 1)
    elif complexity == 2:
        facts = [facts[draws.below(n - 1)], *(between(m, m - 1, m + 1) for m in range(1, n - 1))]
    return tuple(draws.sample(facts, len(facts)))


def unstated_claim(draws: Draws, n: int, facts: Sequence[Claim]) -> Claim:
    """Draw a true claim that no fact states (specification 4.3): binary with a gap of 2 or more, or ternary."""
    triples = [claim for claim in _triples(n) if claim not in facts]
    if not triples or draws.coin():
        gap = 2 + draws.below(n - 2)
        a = draws.below(n - gap)
        return before(a, a + gap)
    return draws.choice(triples)


@cache
def _triples(n: int) -> tuple[Claim, ...]:
    return tuple(between(m, a, b) for a, m, b in combinations(range(n), 3))


def negation(draws: Draws, claim: Claim) -> Claim:
    """Draw a claim that is false where ``claim`` is true: the pair reversed, or an outer entity put in the middle."""
    if claim.relation == "before":
        a, b = claim.args
        return before(b, a)
    m, a, b = claim.args
    return between(a, m, b) if draws.coin() else between(b, m, a)


def span(claim: Claim) -> int:
    """Measure the distance between the outermost entities of a claim."""
    return max(claim.args) - min(claim.args)


def _clauses(
    skin: OrderSkin, facts: Sequence[Claim], names: Sequence[str], flips: Sequence[bool]
) -> list[str]:
    return [wording.clause(skin, fact, names, flip) for fact, flip in zip(facts, flips, strict=True)]


def _order(skin: Skin) -> OrderSkin:
    if not isinstance(skin, OrderSkin):
        raise TypeError(f"skin {skin.name} tells of lines, not of an order")
    return skin


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


def infer_trivial(
    draws: Draws, skin: Skin, names: Sequence[str], n: int, qskin: str, complexity: int
) -> list[Variant]:
    """Draw a list of the entities in order, and a claim about them."""
    skin, facts = _order(skin), tuple(chain(n))
    claim = unstated_claim(draws, n, facts)
    story = wording.list_story(skin, names[:n])
    return _infer(skin, story, names, qskin, facts, (claim, negation(draws, claim)), draws.coin())


def _infer_told(
    draws: Draws,
    skin: Skin,
    names: Sequence[str],
    n: int,
    qskin: str,
    facts: tuple[Claim, ...],
    flips: Sequence[bool],
) -> list[Variant]:
    skin = _order(skin)
    claim = unstated_claim(draws, n, facts)
    story = wording.story(skin, n, _clauses(skin, facts, names, flips))
    return _infer(skin, story, names, qskin, facts, (claim, negation(draws, claim)), draws.coin())


def infer_normal(
    draws: Draws, skin: Skin, names: Sequence[str], n: int, qskin: str, complexity: int
) -> list[Variant]:
    """Draw a story, and a claim that follows from it or contradicts it."""
    facts = told(draws, n, complexity)
    return _infer_told(draws, skin, names, n, qskin, facts, [draws.coin() for _ in facts])


def infer_ordered(
    draws: Draws, skin: Skin, names: Sequence[str], n: int, qskin: str, complexity: int
) -> list[Variant]:
    """Draw as :func:`infer_normal`, with the facts in order and all worded forward; for training sets only."""
    facts = tuple(chain(n))
    return _infer_told(draws, skin, names, n, qskin, facts, [False] * len(facts))


def infer_extrema(
    draws: Draws, skin: Skin, names: Sequence[str], n: int, qskin: str, complexity: int
) -> list[Variant]:
    """Draw a story, and the claim that an entity at one end is first, or last."""
    skin, facts = _order(skin), told(draws, n, complexity)
    ends = (Claim("first", (0,)), Claim("last", (0,)))
    if draws.coin():
        ends = (Claim("last", (n - 1,)), Claim("first", (n - 1,)))
    story = wording.story(skin, n, _clauses(skin, facts, names, [draws.coin() for _ in facts]))
    return _infer(skin, story, names, qskin, facts, ends, False)


def infer_parallel(
    draws: Draws, skin: Skin, names: Sequence[str], n: int, qskin: str, complexity: int
) -> list[Variant]:
    """Draw a chain of parallel and perpendicular lines, and a claim about two that are not linked."""
    if not isinstance(skin, ParallelSkin):
        raise TypeError(f"skin {skin.name} tells of an order, not of lines")
    turns = [draws.coin() for _ in range(n - 1)]
    links = [Claim("perpendicular" if turn else "parallel", (i, i + 1)) for i, turn in enumerate(turns)]
    facts = tuple(draws.sample(links, len(links)))
    a, b = draws.choice([(a, b) for a, b in combinations(range(n), 2) if b - a > 1])
    if draws.coin():
        a, b = b, a
    parallel, perpendicular = Claim("parallel", (a, b)), Claim("perpendicular", (a, b))
    turned = sum(turns[min(a, b) : max(a, b)]) % 2
    claims = (perpendicular, parallel) if turned else (parallel, perpendicular)
    story = wording.story(skin, n, [wording.line_clause(skin, fact, names, draws.coin()) for fact in facts])
    return [
        Variant(
            gold,
            wording.INFER[qskin].format(story=story, claim=wording.line_clause(skin, claim, names, False)),
            facts,
            claim,
            None,
        )
        for gold, claim in zip(INFER, claims, strict=True)
    ]


# Consist ----------------------------------------------------------------------------------------------------------


def _consist(
    draws: Draws,
    skin: OrderSkin,
    names: Sequence[str],
    n: int,
    qskin: str,
    facts: tuple[Claim, ...],
    inserted: Claim,
    distance: int,
) -> list[Variant]:
    flips = [draws.coin() for _ in facts]
    flip, place = draws.coin(), draws.below(n)
    scene = wording.scene(skin, n)
    variants = []
    for gold, claim in zip(CONSIST, (inserted, negation(draws, inserted)), strict=True):
        stated = (*facts[:place], claim, *facts[place:])
        clauses = _clauses(skin, stated, names, [*flips[:place], flip, *flips[place:]])
        text = wording.CONSIST[qskin].format(scene=scene, facts=wording.join(clauses))
        variants.append(Variant(gold, text, stated, claim, distance))
    return variants


def consist_trivial(
    draws: Draws, skin: Skin, names: Sequence[str], n: int, qskin: str, complexity: int
) -> list[Variant]:
    """Draw a story that states one fact again, or contradicts it outright."""
    facts = told(draws, n, complexity)
    first = before(0, 1) if before(0, 1) in facts else between(1, 0, 2)
    return _consist(draws, _order(skin), names, n, qskin, facts, first, 0)


def consist_normal(
    draws: Draws, skin: Skin, names: Sequence[str], n: int, qskin: str, complexity: int
) -> list[Variant]:
    """Draw a story with one of its consequences put in, or the negation of one."""
    facts = told(draws, n, complexity)
    claim = unstated_claim(draws, n, facts)
    return _consist(draws, _order(skin), names, n, qskin, facts, claim, span(claim))


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


def compl_trivial(
    draws: Draws, skin: Skin, names: Sequence[str], n: int, qskin: str, complexity: int
) -> list[Variant]:
    """Draw a story, and alternatives that it decides unless they speak of something it does not mention."""
    skin, facts = _order(skin), told(draws, n, 0)
    claim = unstated_claim(draws, n, facts)
    flip, distance = draws.coin(), span(claim)
    story = wording.story(skin, n, _clauses(skin, facts, names, [draws.coin() for _ in facts]))
    variants = [
        Variant(gold, _ask(story, qskin, _alternatives(skin, asked, names, flip)), facts, asked, distance)
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
    variants.append(Variant("3", _ask(story, qskin, alternatives), facts, unknown, distance))
    return variants


class _Open(NamedTuple):
    """The claims that a partial order leaves open and those that it decides, by arity."""

    facts: tuple[Claim, ...]
    undecided: dict[int, tuple[Claim, ...]]
    true: dict[int, tuple[Claim, ...]]


@cache
def partial_order(n: int, x: int, follows: bool) -> _Open:
    """Build the chain with entity ``x`` loose: x only follows x-1, or only precedes x+1 (specification 4.5).

    Undecided claims are those with exactly one incomparable pair among their entities; all claims are sorted into
    their lists by enumeration.
    """
    loose = before(x, x + 1) if follows else before(x - 1, x)
    facts = tuple(before(x - 1, x + 1) if fact == loose else fact for fact in chain(n))
    possible = worlds(n, facts)
    claims = [before(*pair) for pair in permutations(range(n), 2)]
    claims += [between(m, a, b) for m, a, b in permutations(range(n), 3) if a < b]
    undecided: dict[int, list[Claim]] = {2: [], 3: []}
    true: dict[int, list[Claim]] = {2: [], 3: []}
    for claim in claims:
        loose_pairs = [
            pair for pair in combinations(claim.args, 2) if verdict(n, possible, before(*pair)) == "undecided"
        ]
        answer = verdict(n, possible, claim)
        if answer == "undecided" and len(loose_pairs) == 1:
            undecided[len(claim.args)].append(claim)
        elif answer == "yes":
            true[len(claim.args)].append(claim)
    # Only with three entities is there no other claim than a stated fact.
    unstated = tuple(claim for claim in true[2] if claim not in facts) or tuple(true[2])
    return _Open(facts, {k: tuple(v) for k, v in undecided.items()}, {2: unstated, 3: tuple(true[3])})


def compl_normal(
    draws: Draws, skin: Skin, names: Sequence[str], n: int, qskin: str, complexity: int
) -> list[Variant]:
    """Draw a story with several worlds, and alternatives that it decides or leaves open."""
    skin = _order(skin)
    order = partial_order(n, 1 + draws.below(n - 2), draws.coin())
    arity = 3 if order.true[3] and draws.chance(2 / 3) else 2
    unknown = draws.choice(order.undecided[arity])
    true = [c for c in order.true[arity] if span(c) == span(unknown)] or order.true[arity]
    claim = draws.choice(true)
    facts = tuple(draws.sample(order.facts, len(order.facts)))
    flips = [draws.coin() for _ in facts]
    # With three entities the claim is a stated fact: at least its wording turns round.
    flip = not flips[facts.index(claim)] if claim in facts else draws.coin()
    story = wording.story(skin, n, _clauses(skin, facts, names, flips))
    asked = {"3": (unknown, draws.coin()), "2": (negation(draws, claim), flip), "1": (claim, flip)}
    return [
        Variant(gold, _ask(story, qskin, _alternatives(skin, c, names, f)), facts, c, span(c))
        for gold, (c, f) in asked.items()
    ]


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
