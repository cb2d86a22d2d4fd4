"""Draws the normal problems so that siblings with different answers agree in what can be had by counting.

Two things that change places between the claims of a tuple have the same counts (:class:`shortcuts.Counts`): they are
named, win and lose equally often, and each of them is equally often the first that the story names. So counts say
nothing of who stands where. Where no story has that, as with three things, they are at least named equally often, with
one fact more that follows from the others where it takes one. :func:`level` says what agrees.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import IntEnum
from functools import cache
from itertools import combinations, permutations
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from probsense.tasks.worldsense.draws import Draws
from probsense.tasks.worldsense.logic import Claim, Worlds, verdict, worlds
from probsense.tasks.worldsense.problems import (
    Build,
    Inserted,
    Variant,
    before,
    between,
    chain,
    compl_normal,
    compl_variants,
    consist_normal,
    consist_variants,
    count_loose,
    extrema_variants,
    infer_extrema,
    infer_normal,
    infer_variants,
    order_of,
    partial_order,
    span,
)
from probsense.tasks.worldsense.shortcuts import count_facts
from probsense.tasks.worldsense.skins import OrderSkin, Skin

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

    The claims are one that follows, its negation, and for Compl one that stays open.
    """

    facts: tuple[Claim, ...]
    claims: tuple[Claim, ...]
    targets: tuple[Target, ...]


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


def named_in(form: Form, fact: Claim, flip: bool) -> list[int]:
    """List the things of a fact in the order in which its sentence names them (see :func:`wording.clause`)."""
    if fact.relation == "before":
        letters, args = (form.converse, fact.args[::-1]) if flip else (form.forward, fact.args)
        return [args["ab".index(letter)] for letter in letters]
    m, a, b = fact.args
    args = (m, b, a) if flip else (m, a, b)
    return [args["mab".index(letter)] for letter in form.between]


class Told(NamedTuple):
    """Facts in the order of the story, and whether each is worded the other way round."""

    facts: tuple[Claim, ...]
    flips: list[bool]


def _tell(draws: Draws, facts: Sequence[Claim]) -> Told:
    return Told(tuple(draws.sample(facts, len(facts))), [draws.coin() for _ in facts])


def _order_of_naming(form: Form, told: Told) -> list[int]:
    named: dict[int, None] = {}
    for fact, flip in zip(*told, strict=True):
        named |= dict.fromkeys(named_in(form, fact, flip))
    return list(named)


def _meets(order: Sequence[int], target: Target) -> bool:
    return all(next(thing for thing in order if thing in things) == first for things, first in target)


@cache
def _ranks(form: Form, facts: tuple[Claim, ...]) -> NDArray[np.intp]:
    """Sample the orders in which a story can name its things, always the same ones: the place of each thing in each."""
    draws = Draws(np.random.default_rng(0))
    orders = {tuple(_order_of_naming(form, _tell(draws, facts))) for _ in range(_SAMPLES)}
    return np.argsort(np.array(sorted(orders)), axis=1)


@cache
def _firsts(form: Form, facts: tuple[Claim, ...], things: tuple[int, ...]) -> NDArray[np.intp]:
    """Return which of some things a story names first, in each order of naming."""
    earliest: NDArray[np.intp] = np.array(things)[_ranks(form, facts)[:, things].argmin(axis=1)]
    return earliest


def tell(draws: Draws, form: Form, plan: Plan) -> Told:
    """Draw a telling of a plan that meets one of its targets."""
    target = draws.choice(plan.targets)
    while True:
        told = _tell(draws, plan.facts)
        if _meets(_order_of_naming(form, told), target):
            return told


@cache
def _possible(form: Form, facts: tuple[Claim, ...], targets: tuple[Target, ...]) -> tuple[Target, ...]:
    """Return the targets that a telling of the facts can meet."""
    return tuple(
        target
        for target in targets
        if np.all([_firsts(form, facts, things) == first for things, first in target], axis=0).any()
    )


# Candidates -------------------------------------------------------------------------------------------------------


def _stories(n: int, complexity: int) -> list[tuple[Claim, ...]]:
    """List the facts of every story with one world that :func:`problems.told` can draw."""
    links = chain(n)
    if complexity == 0:
        return [tuple(links)]
    middles = {m: between(m, m - 1, m + 1) for m in range(1, n - 1)}
    if complexity == 1:
        return [(*links[:i], middle, *links[i + 1 :]) for m, middle in middles.items() for i in (m - 1, m)]
    return [(link, *middles.values()) for link in links]


def _partial_orders(n: int) -> list[tuple[Claim, ...]]:
    return [partial_order(n, x, follows).facts for x in range(1, n - 1) for follows in (False, True)]


def _with_extra(n: int, facts: tuple[Claim, ...]) -> Iterator[tuple[Claim, ...]]:
    """Yield the facts with one more that follows from them."""
    possible = worlds(n, facts)
    for pair in permutations(range(n), 2):
        if before(*pair) not in facts and verdict(possible, before(*pair)) == "yes":
            yield (*facts, before(*pair))


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
                told = bases if not further else [facts for base in bases for facts in _with_extra(n, base)]
                fit = tuple(plan for facts in told for plan in plans(facts, arity, _at(level, n, facts)))
                if fit:
                    found.append(fit)
                    break
        if found:
            return Plans(level, tuple(found))
    return Plans(Level.NOTHING, ())


def _true_claims(possible: Worlds, things: tuple[int, ...]) -> Iterator[tuple[Claim, Claim]]:
    """Yield the true claim about things whose order is known, with each of its negations."""
    (claim,) = (claim for claim in _claims(things) if verdict(possible, claim) == "yes")
    for end in claim.args[1:]:
        yield claim, next(other for other in _claims(things) if other.args[0] == end)


def _claims(things: tuple[int, ...]) -> list[Claim]:
    """List the claims about two or three things: each of them is said to be the first, or the middle."""
    if len(things) == 2:
        return [before(*pair) for pair in permutations(things)]
    return [between(m, *(thing for thing in things if thing != m)) for m in things]


@cache
def told_plans(form: Form, n: int, complexity: int, whole: bool) -> Plans:
    """Find stories with one world, and unstated claims whose truth depends on which of two equal counts is which.

    Parameters
    ----------
    form : Form
    n, complexity : int
    whole : bool
        Whether the question is about the whole story, so that it matters what the story names first of all.
    """

    def plans(facts: tuple[Claim, ...], arity: int, traits: list[tuple[int, ...]]) -> Iterator[Plan]:
        possible = worlds(n, facts)
        for things in combinations(range(n), arity):
            if things[-1] - things[0] < 2:
                continue
            among = tuple(range(n)) if whole else things
            targets = _possible(form, facts, tuple(((among, first),) for first in among))
            firsts = {first for ((_, first),) in targets}
            for claim, denial in _true_claims(possible, things):
                one, other = claim.args[0], denial.args[0]
                alike = traits[one] == traits[other] and (one in firsts) == (other in firsts)
                if alike and targets and claim not in facts:
                    yield Plan(facts, (claim, denial), targets)

    return _best(_stories(n, complexity), n, (2, 3), plans)


@cache
def extrema_plans(form: Form, n: int, complexity: int) -> Plans:
    """Find stories with one world in which the first thing has the same counts as the last."""

    def plans(facts: tuple[Claim, ...], arity: int, traits: list[tuple[int, ...]]) -> Iterator[Plan]:
        if traits[0] == traits[n - 1]:
            yield Plan(facts, (), ((),))

    return _best(_stories(n, complexity), n, (1,), plans)


@cache
def compl_plans(form: Form, n: int) -> Plans:
    """Find stories with several worlds, with a decided claim and an open one about things with the same counts.

    Each thing of one claim has a partner with its counts in the other; the open claim says of either partner what the
    decided claim and its negation say of two things. So the counts tell "1" from "2" at times, but neither from "3".
    """

    def plans(facts: tuple[Claim, ...], arity: int, traits: list[tuple[int, ...]]) -> Iterator[Plan]:
        possible = worlds(n, facts)
        loose = {things: count_loose(possible, things) for things in combinations(range(n), arity)}
        decided = {things: list(_true_claims(possible, things)) for things in loose if not loose[things]}
        for known, unknown in permutations(loose, 2):
            if known not in decided or loose[unknown] != 1:
                continue
            for partners in permutations(unknown):
                if [traits[i] for i in known] != [traits[i] for i in partners]:
                    continue
                targets = _possible(
                    form,
                    facts,
                    tuple(((known, a), (unknown, b)) for a, b in zip(known, partners, strict=True)),
                )
                for claim, denial in decided[known]:
                    said = [partners[known.index(c.args[0])] for c in (claim, denial)]
                    opened = [c for c in _claims(unknown) if c.args[0] in said]
                    undecided = all(verdict(possible, c) == "undecided" for c in opened)
                    if claim not in facts and undecided and targets:
                        yield from (Plan(facts, (claim, denial, c), targets) for c in opened)

    return _best(_partial_orders(n), n, (2, 3), plans)


# Builders ---------------------------------------------------------------------------------------------------------


def _drawn(draws: Draws, plans: Plans) -> Plan:
    return draws.choice(draws.choice(plans.by_arity))


def _infer_normal(
    draws: Draws, skin: Skin, names: Sequence[str], n: int, qskin: str, complexity: int
) -> list[Variant]:
    form = form_of(order_of(skin))
    plans = told_plans(form, n, complexity, whole=False)
    if not plans.level:
        return infer_normal(draws, skin, names, n, qskin, complexity)
    plan = _drawn(draws, plans)
    claim, denial = plan.claims
    told = tell(draws, form, plan)
    return infer_variants(skin, names, n, qskin, *told, (claim, denial), draws.coin())


def _consist_normal(
    draws: Draws, skin: Skin, names: Sequence[str], n: int, qskin: str, complexity: int
) -> list[Variant]:
    form = form_of(order_of(skin))
    plans = told_plans(form, n, complexity, whole=True)
    if not plans.level:
        return consist_normal(draws, skin, names, n, qskin, complexity)
    plan = _drawn(draws, plans)
    told = tell(draws, form, plan)
    claim, denial = plan.claims
    inserted = Inserted(claim, denial, draws.below(len(told.facts) + 1), draws.coin())
    return consist_variants(skin, names, n, qskin, *told, inserted, span(claim))


def _infer_extrema(
    draws: Draws, skin: Skin, names: Sequence[str], n: int, qskin: str, complexity: int
) -> list[Variant]:
    form = form_of(order_of(skin))
    plans = extrema_plans(form, n, complexity)
    # Both claims are about one thing, so nothing is gained where the first and the last are only named equally often.
    if plans.level < Level.COUNTS:
        return infer_extrema(draws, skin, names, n, qskin, complexity)
    told = tell(draws, form, _drawn(draws, plans))
    return extrema_variants(skin, names, n, qskin, *told, draws.coin())


def _compl_normal(
    draws: Draws, skin: Skin, names: Sequence[str], n: int, qskin: str, complexity: int
) -> list[Variant]:
    form = form_of(order_of(skin))
    plans = compl_plans(form, n)
    if not plans.level:
        return compl_normal(draws, skin, names, n, qskin, complexity)
    plan = _drawn(draws, plans)
    told = tell(draws, form, plan)
    claim, denial, unknown = plan.claims
    turned, flip = draws.coin(), draws.coin()
    return compl_variants(skin, names, n, qskin, *told, ((unknown, turned), (denial, flip), (claim, flip)))


BUILDERS: Final[Mapping[str, Build]] = {
    "Infer.normal": _infer_normal,
    "Consist.normal": _consist_normal,
    "Compl.normal": _compl_normal,
    "Infer.extrema": _infer_extrema,
}
"""The problems that are drawn in another way than the published ones, and the functions that draw a tuple."""


def level(problem: str, form: Form, n: int, complexity: int) -> Level:
    """Tell what agrees between siblings of a problem in :data:`BUILDERS`."""
    if problem == "Compl.normal":
        return compl_plans(form, n).level
    if problem == "Infer.extrema":
        return extrema_plans(form, n, complexity).level
    return told_plans(form, n, complexity, whole=problem == "Consist.normal").level
