"""The reading of the second stage: drills on facts that have to be joined, and the project's normal questions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

import numpy as np

from lessons import (
    TRIVIAL,
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
from probsense.tasks.worldsense.generate import PUBLISHED
from probsense.tasks.worldsense.generate.problems import STANDARD
from probsense.tasks.worldsense.generate.sets import MATCHED
from probsense.tasks.worldsense.generate.stories import Draws, before, draw_facts, partial_order
from probsense.tasks.worldsense.text import skins
from probsense.tasks.worldsense.text.logic import verdict, worlds
from probsense.tasks.worldsense.text.skins import OrderSkin

Ask: TypeAlias = Callable[[Draws, str, str, str], Question]
"""Makes a question of a claim, its converse, and what a story decides of the claim."""

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
    that the facts leave loose, the wording of the questions, and the project's normal questions in the matched regime.
    A quarter of each is what the first stage taught last; without it, the model forgets how questions are worded.
    """

    def draws(number: int) -> Draws:
        return Draws(np.random.default_rng([seed, 100 + number]))

    def rehearsed(number: int, *texts: Iterator[Text]) -> Iterator[Text]:
        lists = drills(draws(20 + number), any_skin, (3, 3, 4), "IC", 3)
        trivial = questions(seed + 10 + number, TRIVIAL, (3, 3, 4, 5), PUBLISHED)
        return mixed(draws(40 + number), [*texts] * (6 // len(texts)) + [lists, trivial])

    def in_full(number: int) -> tuple[Iterator[Text], Iterator[Text]]:
        return (
            drills(draws(60 + number), any_skin, (3, 4, 5), "I", 4, facts((0, 1, 2))),
            loose(draws(80 + number), any_skin, (3, 4, 5), compl, 4),
        )

    pairs, all_facts = facts((0,)), facts((0, 1, 2))
    matched = questions(seed + 4, STANDARD, (3, 4, 4, 5, 5), MATCHED)
    return [
        *(lesson._replace(texts=rehearsed(i, lesson.texts)) for i, lesson in enumerate(joining(seed))),
        Lesson("names", rehearsed(11, drills(draws(4), plain_names, (3, 4), "rrbo", 6, pairs)), 0.93, 500),
        Lesson("words", rehearsed(12, drills(draws(5), any_skin, (3, 4), "ebboou", 6, pairs)), 0.92, 600),
        Lesson("three", rehearsed(13, drills(draws(6), any_skin, (3, 4), "ebboou", 6, all_facts)), 0.91, 500),
        Lesson(
            "five", rehearsed(14, drills(draws(7), any_skin, (4, 5, 5), "ebboou", 6, all_facts)), 0.9, 500
        ),
        Lesson("loose", rehearsed(15, loose(draws(8), any_skin, (3, 4, 5), short)), 0.92, 400),
        Lesson("joined in full", rehearsed(16, *in_full(1)), 0.92, 1200),
        Lesson(
            "normal questions",
            rehearsed(17, questions(seed + 3, JOINED, (4, 5), MATCHED), *in_full(2)),
            0.95,
            1200,
        ),
        Lesson("all questions", rehearsed(18, *[matched] * 4, *in_full(3)), 1.0, 5000),
    ]


def mixed(draws: Draws, streams: Sequence[Iterator[Text]]) -> Iterator[Text]:
    """Yield the next text of one stream or another, at random."""
    while True:
        yield next(draws.choice(streams))


def facts(complexities: Sequence[int]) -> Tell:
    """Make a function that tells things by facts in any order and wording, of some complexities (specification 4.2)."""

    def tell(draws: Draws, skin: OrderSkin, names: Sequence[str]) -> str:
        clauses = [
            skins.clause(skin, fact, names, draws.coin())
            for fact in draw_facts(draws, len(names), draws.choice(complexities))
        ]
        return skins.story(skin, len(names), clauses)

    return tell


def loose(draws: Draws, draw_skin: SkinDraw, sizes: Sequence[int], ask: Ask, many: int = 6) -> Iterator[Text]:
    """Yield stories with one thing loose, and claims that they decide or leave open."""
    while True:
        skin = draw_skin(draws)
        for _ in range(4):
            n = draws.choice(sizes)
            names = draws.sample(skin.names, n)
            order = partial_order(n, 1 + draws.below(n - 2), draws.coin()).facts
            possible = worlds(n, order)
            clauses = [skins.clause(skin, f, names, draws.coin()) for f in draws.sample(order, len(order))]
            asked: list[Question] = []
            for _ in range(many):
                i, j = draws.sample(range(n), 2)
                flip = draws.coin()
                claim, converse = (
                    skins.clause(skin, before(*pair), names, flipped)
                    for pair, flipped in (((i, j), flip), ((j, i), not flip))
                )
                asked.append(ask(draws, claim, converse, verdict(possible, before(i, j))))
            yield after(skins.story(skin, n, clauses), asked)


def short(_: Draws, claim: str, converse: str, decided: str) -> Question:
    """Ask shortly whether a claim is so."""
    return f"\nthat {claim}?", {"yes": "TRUE", "no": "FALSE", "undecided": "open"}[decided]


def compl(draws: Draws, claim: str, converse: str, decided: str) -> Question:
    """Ask a question of ``Compl``, in full."""
    form = skins.COMPL[draws.choice(skins.QSKINS)]
    return form.format(story="", claim=claim, converse=converse), {"yes": "1", "no": "2", "undecided": "3"}[
        decided
    ]
