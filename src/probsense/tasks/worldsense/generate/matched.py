"""Draws the normal problems so that siblings with different answers agree in what can be had by counting.

Two things that change places between the claims of a tuple have the same :class:`measures.shortcuts.Counts`: they are
named, win and lose equally often, and each of them is equally often the first that the story names. So counts say
nothing of who stands where. Where no story has that, as with three things, they are at least named equally often, with
one fact more that follows from the others where it takes one. :class:`Level` says what agrees.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import IntEnum
from functools import cache
from itertools import combinations, permutations
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from probsense.tasks.worldsense.generate.draws import Draws
from probsense.tasks.worldsense.generate.problems import (
    Cell,
    Inserted,
    Variant,
    compl_variants,
    consist_variants,
    extrema_variants,
    infer_variants,
)
from probsense.tasks.worldsense.generate.skins import OrderSkin, order_of
from probsense.tasks.worldsense.generate.stories import (
    claims_about,
    count_loose,
    partial_orders,
    single_orders,
    span,
    true_claims,
    with_extra,
)
from probsense.tasks.worldsense.generate.wording import (
    Alike,
    Aside,
    Manner,
    Sentence,
    Told,
    agreeable,
    arrange,
    draw_asides,
    place_one_more,
    with_asides,
    word,
    word_one_more,
)
from probsense.tasks.worldsense.measures.difficulty import depth
from probsense.tasks.worldsense.measures.shortcuts import count_facts
from probsense.tasks.worldsense.text.logic import Claim, verdict, worlds

_SAMPLES: Final = 400
"""How many tellings show which things a story can name first."""


class Level(IntEnum):
    """What agrees between the siblings of a tuple; each level includes those below it."""

    NOTHING = 0
    NAMED = 1
    COUNTS = 2


Target = tuple[tuple[tuple[int, ...], int], ...]
"""Things, and which of them the story names first; for each question of a tuple."""


class Plan(NamedTuple):
    """One way to tell a tuple: its facts, its claims, and targets for what is named first, all equally likely.

    The claims are one that follows, its negation, and for Compl one that stays open. Things that are alike change
    places between the claims.
    """

    facts: tuple[Claim, ...]
    claims: tuple[Claim, ...]
    targets: tuple[Target, ...]
    alike: Alike


class Plans(NamedTuple):
    """All plans of a cell by the number of things asked about, at the highest level there is."""

    level: Level
    by_arity: tuple[tuple[Plan, ...], ...]


class Form(NamedTuple):
    """In which order the sentences of a skin name their things, as letters of the placeholders."""

    forward: str
    converse: str
    between: str


@cache
def form_of(skin: OrderSkin) -> Form:
    """Find the order in which the sentences of a skin name their things."""
    templates = ((skin.forward, "ab"), (skin.converse, "ab"), (skin.between, "mab"))
    return Form(*("".join(sorted(letters, key=lambda c: t.index(f"{{{c}}}"))) for t, letters in templates))


def named_in(form: Form, fact: Sentence, flip: bool) -> list[int]:
    """List the things of a sentence in the order in which it names them (see :func:`wording.clause`)."""
    if isinstance(fact, Aside):
        return sorted(fact.args, key=lambda thing: fact.template.index(f"{{{'ab'[fact.args.index(thing)]}}}"))
    if fact.relation == "before":
        letters, args = (form.converse, fact.args[::-1]) if flip else (form.forward, fact.args)
        return [args["ab".index(letter)] for letter in letters]
    m, a, b = fact.args
    args = (m, b, a) if flip else (m, a, b)
    return [args["mab".index(letter)] for letter in form.between]


def _tell(draws: Draws, facts: Sequence[Claim], manner: Manner) -> Told:
    told = arrange(draws, facts, manner)
    return Told(told, word(draws, told, manner))


def _order_of_naming(form: Form, told: Told) -> list[int]:
    named: dict[int, None] = {}
    for sentence, flip in zip(*told, strict=True):
        named |= dict.fromkeys(named_in(form, sentence, flip))
    return list(named)


def _meets(order: Sequence[int], target: Target) -> bool:
    return all(next(thing for thing in order if thing in things) == first for things, first in target)


@cache
def _ranks(form: Form, facts: tuple[Claim, ...], manner: Manner) -> NDArray[np.intp]:
    """Sample the orders in which a story can name its things, always the same ones: the place of each thing in each.

    Distractors take none of these orders away, for they can stand at the end.
    """
    draws = Draws(np.random.default_rng(0))
    orders = {tuple(_order_of_naming(form, _tell(draws, facts, manner))) for _ in range(_SAMPLES)}
    return np.argsort(np.array(sorted(orders)), axis=1)


@cache
def _firsts(
    form: Form, facts: tuple[Claim, ...], manner: Manner, things: tuple[int, ...]
) -> NDArray[np.intp]:
    """Return which of some things a story names first, in each order of naming."""
    earliest: NDArray[np.intp] = np.array(things)[_ranks(form, facts, manner)[:, things].argmin(axis=1)]
    return earliest


def tell(draws: Draws, cell: Cell, plan: Plan) -> Told:
    """Draw a telling of a plan that meets one of its targets."""
    skin, manner = order_of(cell.skin), cell.manner
    form = form_of(skin)
    asides = draw_asides(draws, skin.foreign, cell.size, manner.distractors, plan.alike)
    target = draws.choice(plan.targets)
    while True:
        told = with_asides(draws, _tell(draws, plan.facts, manner), asides)
        if _meets(_order_of_naming(form, told), target):
            return told


@cache
def _possible(
    form: Form, facts: tuple[Claim, ...], manner: Manner, targets: tuple[Target, ...]
) -> tuple[Target, ...]:
    """Return the targets that a telling of the facts can meet."""
    return tuple(
        target
        for target in targets
        if np.all([_firsts(form, facts, manner, things) == first for things, first in target], axis=0).any()
    )


def _at(level: Level, n: int, facts: Sequence[Claim]) -> list[tuple[int, ...]]:
    """Return what has to agree at a level, for each thing."""
    counts = count_facts(n, facts)
    return [tuple(c) if level is Level.COUNTS else (c.named,) for c in counts]


def _best(
    bases: Sequence[tuple[Claim, ...]],
    n: int,
    arities: Sequence[int],
    plans: Callable[[tuple[Claim, ...], int, list[tuple[int, ...]]], Iterable[Plan]],
) -> Plans:
    """Find the plans at the highest level, without a further fact where that is possible.

    Parameters
    ----------
    bases : sequence of tuple of Claim
        The facts of stories.
    n : int
    arities : sequence of int
    plans : callable
        Yields the plans of a story for an arity, given what has to agree for each thing.
    """
    for level in (Level.COUNTS, Level.NAMED):
        found = []
        for arity in arities:
            for further in (False, True):
                told = bases if not further else [facts for base in bases for facts in with_extra(n, base)]
                fit = tuple(plan for facts in told for plan in plans(facts, arity, _at(level, n, facts)))
                if fit:
                    found.append(fit)
                    break
        if found:
            return Plans(level, tuple(found))
    return Plans(Level.NOTHING, ())


class Shape(NamedTuple):
    """What the plans of a tuple depend on: the sentences of its skin, size, complexity, and the manner of telling."""

    form: Form
    n: int
    complexity: int = 0
    manner: Manner = Manner()


@cache
def told_plans(shape: Shape, whole: bool) -> Plans:
    """Find stories with one world, and unstated claims whose truth depends on which of two equal counts is which.

    Parameters
    ----------
    shape : Shape
    whole : bool
        Whether the question is about the whole story, so that it matters what the story names first of all.
    """
    form, n, complexity, manner = shape

    def plans(facts: tuple[Claim, ...], arity: int, traits: list[tuple[int, ...]]) -> Iterator[Plan]:
        possible = worlds(n, facts)
        for things in combinations(range(n), arity):
            if things[-1] - things[0] < 2:
                continue
            among = tuple(range(n)) if whole else things
            targets = _possible(form, facts, manner, tuple(((among, first),) for first in among))
            firsts = {first for ((_, first),) in targets}
            for claim, denial in true_claims(possible, things):
                one, other = claim.args[0], denial.args[0]
                alike = traits[one] == traits[other] and (one in firsts) == (other in firsts)
                if alike and targets and claim not in facts:
                    yield Plan(facts, (claim, denial), targets, ((one, other),))

    return _best(single_orders(n, complexity), n, (2, 3), plans)


@cache
def extrema_plans(shape: Shape) -> Plans:
    """Find stories with one world in which the first thing has the same counts as the last."""
    n = shape.n

    def plans(facts: tuple[Claim, ...], arity: int, traits: list[tuple[int, ...]]) -> Iterator[Plan]:
        if traits[0] == traits[n - 1]:
            yield Plan(facts, (), ((),), ((0, n - 1),))

    return _best(single_orders(n, shape.complexity), n, (1,), plans)


@cache
def compl_plans(shape: Shape) -> Plans:
    """Find stories with several worlds, with a decided claim and an open one about things with the same counts.

    Each thing of one claim has a partner with its counts in the other; the open claim says of either partner what the
    decided claim and its negation say of two things. So the counts tell "1" from "2" at times, but neither from "3".
    """
    form, n, _, manner = shape

    def plans(facts: tuple[Claim, ...], arity: int, traits: list[tuple[int, ...]]) -> Iterator[Plan]:
        possible = worlds(n, facts)
        loose = {things: count_loose(possible, things) for things in combinations(range(n), arity)}
        decided = {things: list(true_claims(possible, things)) for things in loose if not loose[things]}
        for known, unknown in permutations(loose, 2):
            if known not in decided or loose[unknown] != 1:
                continue
            for partners in permutations(unknown):
                if [traits[i] for i in known] != [traits[i] for i in partners]:
                    continue
                pairs = tuple(zip(known, partners, strict=True))
                targets = _possible(form, facts, manner, tuple(((known, a), (unknown, b)) for a, b in pairs))
                for claim, denial in decided[known]:
                    said = [partners[known.index(c.args[0])] for c in (claim, denial)]
                    opened = [c for c in claims_about(unknown) if c.args[0] in said]
                    undecided = all(verdict(possible, c) == "undecided" for c in opened)
                    if claim not in facts and undecided and targets:
                        yield from (Plan(facts, (claim, denial, c), targets, _joined(pairs)) for c in opened)

    return _best(partial_orders(n), n, (2, 3), plans)


@cache
def _joined(pairs: Alike) -> Alike:
    """Join pairs that share a thing to groups."""
    groups: list[set[int]] = []
    for pair in pairs:
        touched = [group for group in groups if group & {*pair}]
        groups = [group for group in groups if group not in touched] + [set().union(pair, *touched)]
    return tuple(tuple(sorted(group)) for group in groups)


_NORMAL: Final[Mapping[str, Callable[[Shape], Plans]]] = {
    "Infer.normal": lambda shape: told_plans(shape, whole=False),
    "Consist.normal": lambda shape: told_plans(shape, whole=True),
    "Compl.normal": compl_plans,
}

PLANNED: Final[Mapping[str, Callable[[Shape], Plans]]] = {**_NORMAL, "Infer.extrema": extrema_plans}
"""The problems that are drawn in another way than the published ones, and what finds their plans."""

DEEP: Final = tuple(_NORMAL)
"""The problems whose questions can be of several depths in a shape."""


@cache
def plans_of(problem: str, shape: Shape, of_depth: int | None = None) -> Plans:
    """Find the plans of a problem, or those of one depth of inference.

    With distractors, those are left out in which no choice of as many agrees.
    """
    bare = shape._replace(manner=shape.manner._replace(distractors=0))
    found = PLANNED[problem](bare)
    fit = (
        tuple(
            plan
            for plan in plans
            if (of_depth is None or plan_depth(shape.n, plan) == of_depth)
            and agreeable(shape.n, shape.manner.distractors, plan.alike)
        )
        for plans in found.by_arity
    )
    kept = tuple(plans for plans in fit if plans)
    return Plans(found.level, kept) if kept else Plans(Level.NOTHING, ())


def plan_depth(n: int, plan: Plan) -> int | None:
    """Return how many facts of a plan its true claim takes at least, and with it every claim that is not open."""
    return depth(n, plan.facts, plan.claims[0])


@cache
def depths_of(problem: str, shape: Shape) -> tuple[int, ...]:
    """List the depths of inference that the plans of a problem in :data:`DEEP` have."""
    plans = plans_of(problem, shape).by_arity
    found = {plan_depth(shape.n, plan) for of_arity in plans for plan in of_arity}
    return tuple(sorted(number for number in found if number is not None))


# Tuples -----------------------------------------------------------------------------------------------------------


def shape_of(cell: Cell) -> Shape:
    """Return what the plans of a cell depend on."""
    return Shape(form_of(order_of(cell.skin)), cell.size, cell.complexity, cell.manner)


def matched_variants(draws: Draws, cell: Cell, names: Sequence[str]) -> list[Variant]:
    """Draw a tuple by one of the plans of its cell; no variants where no plan makes siblings agree."""
    if cell.problem not in PLANNED:
        return []
    plans = plans_of(cell.problem, shape_of(cell), cell.depth)
    # Both claims are about one thing, so nothing is gained where the first and the last are only named equally often.
    if plans.level < (Level.COUNTS if cell.problem == "Infer.extrema" else Level.NAMED):
        return []
    plan = draws.choice(draws.choice(plans.by_arity))
    told = tell(draws, cell, plan)
    match plan.claims:
        case ():
            return extrema_variants(cell, names, told, draws.coin())
        case (claim, denial) if cell.problem == "Consist.normal":
            place = place_one_more(draws, told, claim, cell.manner)
            inserted = Inserted(claim, denial, place, word_one_more(draws, told, cell.manner))
            return consist_variants(cell, names, told, inserted, span(claim))
        case (claim, denial, unknown):
            turned, flip = draws.coin(), draws.coin()
            asked = ((unknown, turned), (denial, flip), (claim, flip))
            return compl_variants(cell, names, [(told, *each) for each in asked])
    return infer_variants(cell, names, told, plan.claims, draws.coin())
