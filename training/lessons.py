"""What the small model reads: the project's own questions, easy ones first, mostly in skins of invented words."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import TypeAlias

import numpy as np

from invented import invented_skin
from probsense.tasks.worldsense.draws import Draws
from probsense.tasks.worldsense.generate import Design, training_blocks
from probsense.tasks.worldsense.problems import STANDARD
from probsense.tasks.worldsense.skins import OrderSkin, load_skins

Block: TypeAlias = list[tuple[str, str]]

EASY = ("Infer.trivial", "Infer.ordered", "Consist.trivial", "Compl.trivial")
ALL = (*STANDARD, "Infer.ordered", "Infer.extrema")
SIZES = ((3,), (3, 4), (3, 4, 5))


def blocks(seed: int, easy: int) -> Iterator[Block]:
    """Endless blocks of (question, answer).

    The first ``easy`` sets have three entities, names of one syllable, and no ternary claims. The others have every
    problem, in packaged training skins for a third and else in skins of invented words.
    """
    draws = Draws(np.random.default_rng([seed, 0]))
    packaged = [skin for skin in load_skins("train") if isinstance(skin, OrderSkin)]
    for number in count():
        this = seed * 10**6 + number
        if number < easy:
            simple = tuple(invented_skin(draws, i, ("spatial", "temporal"), simple=True) for i in range(100))
            for block in training_blocks(Design(this, (3,), EASY, skins=simple)):
                yield [pair for pair in block if " between " not in pair[0]]
        else:
            invented = [
                invented_skin(draws, i, ("scalar", "spatial", "temporal", "temporal")) for i in range(12)
            ]
            design = Design(this, draws.choice(SIZES), ALL, skins=(*draws.sample(packaged, 6), *invented))
            yield from training_blocks(design)
