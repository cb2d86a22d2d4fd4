"""A task of one's own in one file: ``probsense run heavier.py --model builtin:tiny``."""

from __future__ import annotations

from typing import Literal

import probsense as ps

PAIRS = [
    ("a feather", "a brick", 1, 39),
    ("a pea", "a melon", 0, 40),
    ("a mouse", "a horse", 2, 38),
    ("a spoon", "a kettle", 3, 37),
    ("a cup of tea", "a bucket of sand", 4, 36),
    ("a bicycle", "a lorry", 0, 40),
    ("a balloon", "a shoe", 5, 35),
    ("a letter", "a parcel", 6, 34),
    ("a chair", "a piano", 0, 40),
    ("a grape", "an apple", 1, 39),
    ("a candle", "a lamp", 7, 33),
    ("a hen", "a cow", 0, 40),
]
"""A lighter thing and a heavier one, and how many of forty people (made up) took each for the heavier."""


class Heavier(ps.Task):
    """Which of two things is heavier? Every pair is asked in both orders.

    Parameters
    ----------
    ask : {"heavier", "lighter"}
        Which of the two things the question asks for.
    limit : int, optional
        The largest number of questions; the two orders of a pair stay together.
    seed : int
        Seeds the choice that ``limit`` makes.
    """

    title = "Which is heavier?"

    def __init__(
        self, *, ask: Literal["heavier", "lighter"] = "heavier", limit: int | None = None, seed: int = 0
    ) -> None:
        self.ask = ask

    def items(self) -> list[ps.Item]:
        """Return the questions; the two orders of a pair are a cluster."""
        found = []
        for light, heavy, few, many in PAIRS:
            right, wrong = (heavy, light) if self.ask == "heavier" else (light, heavy)
            for options in ([light, heavy], [heavy, light]):
                first, second = options
                prompt = f"Which is {self.ask}, {first} or {second}? It is"
                people = {right: many, wrong: few}
                data = {"prompt": prompt, "options": options, "people": people}
                found.append(ps.Item(f"{first} or {second}", f"{light} and {heavy}", right, data))
        return found
