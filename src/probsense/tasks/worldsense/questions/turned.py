"""Asks a trial with its answers in another order: the words that answer it, or what the numbers stand for."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from probsense.core.errors import InputError, brief
from probsense.tasks.shared.orders import Order, composed, listed_order, turned

_NUMBERED: Final = re.compile(r"\(1\) (.+?), \(2\) (.+?), or \(3\) (.+?)(?=\s?[.?](?:\n|$))")
"""Three things to choose from: (1) …, (2) …, or (3) …?"""


class Trial(NamedTuple):
    """Hold a trial in one order of its answers.

    Attributes
    ----------
    text : str
    named : tuple of str
        For each allowed word, the answer for which it stands: words keep theirs, and numbers stand for other things.
    order : tuple of int
        The answer in each place, by its index among the allowed ones.
    """

    text: str
    named: tuple[str, ...]
    order: Order


def turned_trial(text: str, allowed: tuple[str, ...], turn: Order) -> Trial:
    """Write a trial in another order of its answers.

    Words such as TRUE and FALSE change places, with what the text says of each ("POSSIBLE if …"). The numbers 1, 2 and
    3 stay, and what they stand for changes places.

    Parameters
    ----------
    text : str
    allowed : tuple of str
        The words that answer it.
    turn : tuple of int
        For each place, the place whose answer comes there.

    Raises
    ------
    InputError
        If the text lists its answers nowhere.
    """
    numbers = allowed[0].isdecimal()
    said = re.compile(", ".join(f"{re.escape(word)} if (.+?)" for word in allowed) + r"(?=\.(?:\n|$))")
    for pattern in (said, _NUMBERED) if numbers else (said,):
        if match := pattern.search(text):
            return _of_parts(text, match, allowed, turn, numbers=numbers)
    words = tuple((word,) for word in allowed)
    if numbers or (order := listed_order(text, words)) is None:
        raise InputError(
            f"a question that names no order of its answers: {brief(text[-80:])}",
            expected="no conditions of order",
        )
    return Trial(turned(text, words, turn), allowed, composed(order, turn))


def _of_parts(
    text: str, match: re.Match[str], allowed: tuple[str, ...], turn: Order, *, numbers: bool
) -> Trial:
    """Let the parts that tell of the answers change places, with the words for them or without."""
    parts, end = [], 0
    for place, source in enumerate(turn):
        start = match.start(place + 1)
        between = text[end:start]
        if not numbers:
            between = between.removesuffix(f"{allowed[place]} if ") + f"{allowed[source]} if "
        parts += [between, match[source + 1]]
        end = match.end(place + 1)
    named = tuple(allowed[source] for source in turn) if numbers else allowed
    return Trial("".join([*parts, text[end:]]), named, turn)
