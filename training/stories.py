"""Drills on stories of facts in any order, which have to be joined."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lessons import Lesson, Tell, drills, plain_skin
from probsense.tasks.worldsense import wording
from probsense.tasks.worldsense.draws import Draws
from probsense.tasks.worldsense.problems import told
from probsense.tasks.worldsense.skins import OrderSkin
from probsense.tasks.worldsense.telling import Manner


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


def facts(complexities: Sequence[int]) -> Tell:
    """Make a function that tells things by facts in any order and wording, of some complexities (specification 4.2)."""

    def tell(draws: Draws, skin: OrderSkin, names: Sequence[str]) -> str:
        clauses = [
            wording.clause(skin, fact, names, draws.coin())
            for fact in told(draws, len(names), draws.choice(complexities), Manner())
        ]
        return wording.story(skin, len(names), clauses)

    return tell
