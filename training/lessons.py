"""What the small model reads, from the easiest lesson to the questions of the test: all from the project's generator.

An example is a list of turns (question, answer). A lesson has one story and many short claims, so that a few tokens
teach a lot; the questions of the test have one turn.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import TypeAlias

import numpy as np

from invented import invented_skin
from probsense.tasks.worldsense import wording
from probsense.tasks.worldsense.draws import Draws
from probsense.tasks.worldsense.generate import Design, training_blocks
from probsense.tasks.worldsense.problems import STANDARD, before, chain
from probsense.tasks.worldsense.skins import OrderSkin, load_skins

Example: TypeAlias = list[tuple[str, str]]

BLOCK = 1024
CLAIMS = 8
ALL = (*STANDARD, "Infer.ordered", "Infer.extrema")
SIZES = ((3,), (3, 4), (3, 4, 5))
PLACED = ("spatial", "temporal")


def stage(number: int, plan: tuple[int, int, int]) -> int:
    """The stage that a block belongs to, where the plan says how many blocks each of the first three has."""
    return int(np.searchsorted(np.cumsum(plan), number, side="right"))


def blocks(seed: int, plan: tuple[int, int, int]) -> Iterator[list[Example]]:
    """Endless blocks of examples.

    Stage 0 tells stories twice, which teaches to look back. Stage 1 asks short claims in one direction, stage 2 in
    both. Stage 3 has the questions of the test, two thirds of them in skins of invented words, and some lessons.
    """
    draws = Draws(np.random.default_rng([seed, 0]))
    packaged = [skin for skin in load_skins("train") if isinstance(skin, OrderSkin)]
    for number in count():
        now = stage(number, plan)
        if now < 3:
            yield [lesson(draws, now) for _ in range(BLOCK)]
            continue
        invented = [invented_skin(draws, i, (*PLACED, "temporal", "scalar")) for i in range(12)]
        design = Design(
            seed * 10**6 + number, draws.choice(SIZES), ALL, skins=(*draws.sample(packaged, 6), *invented)
        )
        for block in training_blocks(design):
            yield [[pair] for pair in block] + [lesson(draws, 2) for _ in range(len(block) // 8)]


def lesson(draws: Draws, now: int) -> Example:
    """A story that keeps to the order, in invented words; then itself again (stage 0), or short claims about it."""
    skin = invented_skin(draws, 0, PLACED, simple=now == 1 or draws.coin())
    n = 3 + draws.below(2)
    names = draws.sample(skin.names, n + 1)
    if draws.coin():
        story = wording.list_story(skin, names[:n])
    else:
        flips = [now == 2 and draws.coin() for _ in range(n - 1)]
        clauses = [
            wording.clause(skin, fact, names, flip) for fact, flip in zip(chain(n), flips, strict=True)
        ]
        story = wording.story(skin, n, clauses)
    if now == 0:
        return [(f"{story}\n", story)]
    numbered = draws.coin()
    turns = []
    for i in range(CLAIMS):
        a, b = draws.sample(range(n), 2)
        flip, answer = now == 2 and draws.coin(), "TRUE" if a < b else "FALSE"
        if numbered:
            answer = "1" if a < b else "2"
            if draws.chance(0.4):
                a, b = draws.sample((a, b, n), 2)
                answer = "3" if n in (a, b) else "1" if a < b else "2"
        claim = wording.clause(skin, before(a, b), names, flip)
        turns.append((f"{story}\n- {claim}:" if i == 0 else f"\n- {claim}:", answer))
    return turns
