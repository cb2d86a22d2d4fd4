"""The reading of the second stage: drills on facts that have to be joined, and the project's normal questions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from lessons import (
    Lesson,
    Question,
    SkinDraw,
    Tell,
    Text,
    after,
    any_skin,
    drills,
    plain_names,
    plain_skin,
    questions,
)
from probsense.tasks.worldsense import wording
from probsense.tasks.worldsense.draws import Draws
from probsense.tasks.worldsense.generate import MATCHED
from probsense.tasks.worldsense.logic import verdict, worlds
from probsense.tasks.worldsense.problems import STANDARD, before, partial_order, told
from probsense.tasks.worldsense.skins import OrderSkin
from probsense.tasks.worldsense.telling import Manner

JOINED = ("Infer.normal", "Compl.normal")
"""The problems of the first questions; Consist.normal comes with all others."""


def joining(seed: int) -> list[Lesson]:
    """List lessons in which facts have to be joined, in their order.

    A rank is what joins them: who is second follows only from a fact about the first. So ranks come first, of three
    things and of four. The claims about ranks, which the model knows from lists, then need little. Every story has
    other names: with forty names, ranks are learnt for these names and for no others.
    """

    def draws(number: int) -> Draws:
        return Draws(np.random.default_rng([seed, 100 + number]))

    pairs = facts((0,))
    return [
        Lesson("ranks of three", drills(draws(1), plain_skin, (3,), "r", 8, pairs), 0.95, 500),
        Lesson("ranks of four", drills(draws(2), plain_skin, (3, 4, 4), "r", 8, pairs), 0.95, 600),
        Lesson("claims", drills(draws(3), plain_skin, (3, 4, 4), "rrebo", 8, pairs), 0.93, 300),
    ]


def second_curriculum(seed: int) -> list[Lesson]:
    """List the lessons of the second stage in their order.

    After the lessons of :func:`joining` come names and words of any kind, facts about three things, five things, things
    that the facts leave loose, and the project's normal questions in the matched regime.
    """

    def draws(number: int) -> Draws:
        return Draws(np.random.default_rng([seed, 100 + number]))

    pairs, all_facts = facts((0,)), facts((0, 1, 2))
    return [
        *joining(seed),
        Lesson("in full", drills(draws(9), plain_skin, (3, 4, 4), "I", 5, pairs), 0.93, 400),
        Lesson("names", drills(draws(4), plain_names, (3, 4), "rrbo", 6, pairs), 0.92, 500),
        Lesson("words", drills(draws(5), any_skin, (3, 4), "ebboou", 6, pairs), 0.9, 600),
        Lesson("facts about three", drills(draws(6), any_skin, (3, 4), "ebboou", 6, all_facts), 0.9, 400),
        Lesson("five", drills(draws(7), any_skin, (4, 5, 5), "ebboou", 6, all_facts), 0.9, 400),
        Lesson("loose things", loose(draws(8), any_skin, (3, 4, 5)), 0.9, 200),
        Lesson("normal questions", questions(seed + 3, JOINED, (4, 5), MATCHED), 0.9, 400),
        Lesson("all questions", questions(seed + 4, STANDARD, (3, 4, 4, 5, 5), MATCHED), 1.0, 1000),
    ]


def facts(complexities: Sequence[int]) -> Tell:
    """Make a function that tells things by facts in any order and wording, of some complexities (specification 4.2)."""

    def tell(draws: Draws, skin: OrderSkin, names: Sequence[str]) -> str:
        clauses = [
            wording.clause(skin, fact, names, draws.coin())
            for fact in told(draws, len(names), draws.choice(complexities), Manner())
        ]
        return wording.story(skin, len(names), clauses)

    return tell


def loose(draws: Draws, draw_skin: SkinDraw, sizes: Sequence[int], many: int = 6) -> Iterator[Text]:
    """Yield stories with one thing loose, and claims that they decide or leave open."""
    answers = {"yes": "TRUE", "no": "FALSE", "undecided": "open"}
    while True:
        skin = draw_skin(draws)
        for _ in range(4):
            n = draws.choice(sizes)
            names = draws.sample(skin.names, n)
            order = partial_order(n, 1 + draws.below(n - 2), draws.coin()).facts
            possible = worlds(n, order)
            clauses = [wording.clause(skin, f, names, draws.coin()) for f in draws.sample(order, len(order))]
            asked: list[Question] = []
            for _ in range(many):
                claim = before(*draws.sample(range(n), 2))
                clause = wording.clause(skin, claim, names, draws.coin())
                asked.append((f"\nthat {clause}?", answers[verdict(possible, claim)]))
            yield after(wording.story(skin, n, clauses), asked)
