"""The reading of the small model: short drills, each with one thing more to learn, and the project's own questions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import count
from typing import NamedTuple, TypeAlias

import numpy as np
from msgspec.structs import replace

from invented import PLAIN, invented_skin
from probsense.tasks.worldsense.generate import PUBLISHED
from probsense.tasks.worldsense.generate.files import training_blocks
from probsense.tasks.worldsense.generate.sets import Design
from probsense.tasks.worldsense.generate.stories import Draws, before, between
from probsense.tasks.worldsense.text import skins
from probsense.tasks.worldsense.text.logic import Claim
from probsense.tasks.worldsense.text.skin_files import load_skins
from probsense.tasks.worldsense.text.skins import OrderSkin

Question: TypeAlias = tuple[str, str]
"""A question and its answer."""

Text: TypeAlias = list[Question]
"""Questions to read one after the other; the first begins with the story."""

SkinDraw: TypeAlias = Callable[[Draws], OrderSkin]

Tell: TypeAlias = Callable[[Draws, OrderSkin, Sequence[str]], str]
"""Tells a story of things in their order."""

NUMBERS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
TRIVIAL = ("Infer.trivial", "Consist.trivial", "Compl.trivial")
PLAIN_SKIN = OrderSkin(
    name="plain",
    kind="temporal",
    scene="{n} words are here",
    names=tuple(PLAIN[::8]),
    list="From the first to the last, the words are",
    forward="{a} comes before {b}",
    converse="{a} comes after {b}",
    between="{m} comes between {a} and {b}",
    outside="{m} comes outside the time between {a} and {b}",
    first="{a} comes first",
    last="{a} comes last",
    foreign=(("{a} is older than {b}", "{a} is younger than {b}"),),
)
PACKAGED = tuple(skin for skin in load_skins("train") if isinstance(skin, OrderSkin))


class Lesson(NamedTuple):
    """Texts of one kind, read until ``enough`` of the answers are right or for ``steps`` batches."""

    name: str
    texts: Iterator[Text]
    enough: float
    steps: int


def curriculum(seed: int) -> list[Lesson]:
    """List the lessons in their order; each adds one thing to those before.

    The ranks of its names decide a claim. To look back for a name, to count its rank, and to weigh the ranks against
    the words of the claim are lessons of their own, on few names of one token in one skins. Then come longer lists
    and the claims they leave open, pairs of claims, names of several tokens, other words, the wording of the
    questions, and last the questions themselves.
    """

    def draws(number: int) -> Draws:
        return Draws(np.random.default_rng([seed, number]))

    return [
        Lesson("recall", recall(draws(1)), 0.92, 600),
        Lesson("ranks", drills(draws(2), few_names, (3,), "r", 8), 0.92, 600),
        Lesson("claims", drills(draws(3), few_names, (3,), "rrebbe", 8), 0.92, 600),
        Lesson("converse", drills(draws(4), plain_skin, (3,), "eboo"), 0.93, 800),
        Lesson("longer", drills(draws(5), plain_skin, (3, 4, 5), "eboou"), 0.91, 800),
        Lesson("pairs", pairs(draws(6), plain_skin), 0.93, 800),
        Lesson("names", drills(draws(7), plain_names, (3,), "eboou"), 0.90, 800),
        Lesson("pairs of names", pairs(draws(8), plain_names), 0.93, 500),
        Lesson("words", drills(draws(9), any_skin, (3, 3, 4), "eboou"), 0.90, 1200),
        Lesson("pairs of words", pairs(draws(10), any_skin, 4), 0.92, 800),
        Lesson("in full", drills(draws(11), plain_names, (3,), "IC", 4), 0.88, 700),
        Lesson("words in full", drills(draws(12), any_skin, (3, 4), "IC", 3), 0.88, 400),
        Lesson("trivial questions", questions(seed, TRIVIAL, (3,), PUBLISHED), 0.95, 300),
        Lesson("longer questions", questions(seed + 1, TRIVIAL, (3, 3, 4, 5), PUBLISHED), 1.0, 1600),
    ]


def plain_skin(draws: Draws) -> OrderSkin:
    """Draw the plain skin, with names of one token."""
    return replace(PLAIN_SKIN, names=tuple(draws.sample(PLAIN, 6)))


def few_names(draws: Draws) -> OrderSkin:
    """Draw the plain skin as it is, with few names in all."""
    return PLAIN_SKIN


def plain_names(draws: Draws) -> OrderSkin:
    """Draw the plain skin with the names of any skin."""
    return replace(PLAIN_SKIN, names=any_skin(draws).names)


def any_skin(draws: Draws) -> OrderSkin:
    """Draw a packaged training skin for a third, else one of invented words."""
    if draws.chance(1 / 3):
        return draws.choice(PACKAGED)
    return invented_skin(draws, 0, ("spatial", "temporal", "temporal", "scalar"), simple=draws.chance(0.4))


def recall(draws: Draws) -> Iterator[Text]:
    """Ask for numbers: names with a number before each, then the number of one name after the other.

    The lesson trains only the look back for a name and for the number before it, which all else builds on.
    """
    while True:
        size = 3 + draws.below(3)
        names, numbers = draws.sample(PLAIN_SKIN.names, size), draws.sample(NUMBERS, size)
        story = "The words are:" + "".join(
            f"\n {pair[0]} {pair[1]}" for pair in zip(numbers, names, strict=True)
        )
        asked = [draws.below(size) for _ in range(8)]
        yield after(story, [(f"\n {names[i]}", numbers[i]) for i in asked])


def after(story: str, asked: Text) -> Text:
    """Make a text that begins with a story."""
    (question, answer), *others = asked
    return [(story + question, answer), *others]


def as_list(draws: Draws, skin: OrderSkin, names: Sequence[str]) -> str:
    """Tell a story that lists the things."""
    return skins.list_story(skin, names)


def drills(
    draws: Draws,
    draw_skin: SkinDraw,
    sizes: Sequence[int],
    kinds: str,
    many: int = 6,
    tell: Tell = as_list,
) -> Iterator[Text]:
    """Yield stories with ``many`` questions each, of kinds that are keys of ``KINDS``.

    Many answers to one story teach far more in the same time than one.
    """
    while True:
        skin = draw_skin(draws)
        for _ in range(4):
            size = draws.choice(sizes)
            names = draws.sample(skin.names, size + 1)
            asked = [KINDS[draws.choice(kinds)](draws, skin, names) for _ in range(many)]
            yield after(tell(draws, skin, names[:-1]), asked)


def _rank(draws: Draws, skin: OrderSkin, names: Sequence[str]) -> Question:
    """Ask for the rank of a name; the last of the names is never in the list."""
    i = draws.below(len(names) - 1)
    return f"\n {names[i]}", NUMBERS[i]


def _end(draws: Draws, skin: OrderSkin, names: Sequence[str]) -> Question:
    """Ask whether a name is first or last; half are."""
    last, true = draws.coin(), draws.coin()
    end = len(names) - 2 if last else 0
    i = end if true else draws.choice([i for i in range(len(names) - 1) if i != end])
    return _claim(skins.clause(skin, Claim("last" if last else "first", (i,)), names, False), true)


def _between(draws: Draws, skin: OrderSkin, names: Sequence[str]) -> Question:
    """Ask whether a name is between two others; half are."""
    a, m, b = sorted(draws.sample(range(len(names) - 1), 3))
    true = draws.coin()
    claim = between(m, a, b) if true else draws.choice((between(a, m, b), between(b, a, m)))
    return _claim(skins.clause(skin, claim, names, draws.coin()), true)


def _order(draws: Draws, skin: OrderSkin, names: Sequence[str]) -> Question:
    """Ask whether a name is before another, or after."""
    i, j = draws.sample(range(len(names) - 1), 2)
    return _claim(skins.clause(skin, before(i, j), names, draws.coin()), i < j)


def _unknown(draws: Draws, skin: OrderSkin, names: Sequence[str]) -> Question:
    """Make a claim with a name or in words that the story does not mention."""
    spare = len(names) - 1
    if draws.chance(0.4):
        i, j = draws.sample(range(spare), 2)
        return f"\nthat {draws.choice(draws.choice(skin.foreign)).format(a=names[i], b=names[j])}?", "open"
    args = [spare, *draws.sample(range(spare), 1 + draws.below(2))]
    claim = Claim("before" if len(args) == 2 else "between", tuple(draws.sample(args, len(args))))
    return f"\nthat {skins.clause(skin, claim, names, draws.coin())}?", "open"


def _claim(clause: str, true: bool) -> Question:
    # The blank before the claim makes a name at its beginning the same tokens as elsewhere.
    return f"\nthat {clause}?", "TRUE" if true else "FALSE"


def _infer(draws: Draws, skin: OrderSkin, names: Sequence[str]) -> Question:
    """Ask a question of ``Infer``, in full."""
    question, answer = draws.choice((_between, _order))(draws, skin, names)
    claim = question.removeprefix("\nthat ").removesuffix("?")
    return skins.INFER[draws.choice(skins.QSKINS)].format(story="", claim=claim), answer


def _compl(draws: Draws, skin: OrderSkin, names: Sequence[str]) -> Question:
    """Ask a question of ``Compl``, in full; half are about something that the story does not mention."""
    spare, open_ = len(names) - 1, draws.coin()
    args = tuple(draws.sample(range(spare), 2 + draws.below(2)))
    flip = draws.coin()
    if open_ and len(args) == 2 and draws.coin():
        pair = draws.choice(skin.foreign)
        claim, converse = (form.format(a=names[args[0]], b=names[args[1]]) for form in pair[:: 1 - 2 * flip])
        true = False
    else:
        if open_:
            args = tuple(draws.sample((spare, *args[1:]), len(args)))
        if len(args) == 2:
            true = args[0] < args[1]
            claims, flips = (before(*args), before(*args[::-1])), (flip, not flip)
        else:
            true = min(args[1:]) < args[0] < max(args[1:])
            claims, flips = (between(*args), Claim("outside", args)), (flip, flip)
        claim, converse = (skins.clause(skin, c, names, f) for c, f in zip(claims, flips, strict=True))
    question = skins.COMPL[draws.choice(skins.QSKINS)].format(story="", claim=claim, converse=converse)
    return question, "3" if open_ else "1" if true else "2"


KINDS = {"r": _rank, "e": _end, "b": _between, "o": _order, "u": _unknown, "I": _infer, "C": _compl}


def pairs(draws: Draws, draw_skin: SkinDraw, many: int = 6) -> Iterator[Text]:
    """Yield pairs of claims about the same names, with the question whether both can be so."""
    while True:
        skin = draw_skin(draws)
        for _ in range(4):
            names = draws.sample(skin.names, 3)
            asked = [_pair(draws, skin, names) for _ in range(many)]
            yield after(skins.scene(skin, 3) + ".", asked)


def _pair(draws: Draws, skin: OrderSkin, names: Sequence[str]) -> Question:
    """Pair a claim with the same in either wording, or with its negation."""
    i, j, k = draws.sample(range(3), 3)
    possible = draws.coin()
    if draws.chance(0.6):
        one, negated = before(i, j), before(j, i)
    else:
        one, negated = between(i, j, k), between(j, i, k)
    one, other = (
        skins.clause(skin, claim, names, draws.coin()) for claim in (one, one if possible else negated)
    )
    return f"\nthat {one} and {other}?", "POSSIBLE" if possible else "IMPOSSIBLE"


def questions(seed: int, problems: Sequence[str], sizes: Sequence[int], regime: str) -> Iterator[Text]:
    """Yield the project's own questions, one a text."""
    draws = Draws(np.random.default_rng([seed, 0]))
    for number in count():
        told = training_skins(draws)
        size = draws.choice(sizes)
        design = Design(seed * 10**6 + number, (size,), tuple(problems), skins=told, regime=regime)
        for block in training_blocks(design):
            yield from ([pair] for pair in block)


def training_skins(draws: Draws) -> tuple[OrderSkin, ...]:
    """Draw six packaged training skins, and twelve of invented words."""
    invented = [
        invented_skin(draws, i, ("scalar", "spatial", "temporal", "temporal"), simple=draws.chance(0.3))
        for i in range(12)
    ]
    return (*draws.sample(PACKAGED, 6), *invented)
