"""Asks a trial with its answers in another order: the words that answer it, or what the numbers stand for."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from probsense.core.errors import InputError, brief
from probsense.core.records import Item
from probsense.tasks.shared.orders import Order, Turned, composed, exchanged, listed_order, turned

NAMED: Final = "named"
"""The key of an item's data with the answer for which each allowed word stands, where that is not itself."""
_NUMBERED: Final = re.compile(r"\(1\) (.+?), \(2\) (.+?), or \(3\) (.+?)(?=\s?[.?](?:\n|$))")
"""Three things to choose from: (1) …, (2) …, or (3) …?"""


def turned_item(item: Item, turn: Order) -> Turned:
    """Write a trial in another order of its answers.

    Words such as TRUE and FALSE change places, with what the text says of each ("POSSIBLE if …"). The numbers 1, 2 and
    3 stay, and what they stand for changes places.

    Parameters
    ----------
    item : Item
    turn : tuple of int
        For each place, the place whose answer comes there.

    Raises
    ------
    InputError
        If the text lists its answers nowhere.
    """
    text, allowed = item.data["text"], tuple(item.data["expected"])
    numbers = allowed[0].isdecimal()
    part = "{} if (.+?)" if numbers else "({} if .+?)"
    said = re.compile(", ".join(part.format(re.escape(word)) for word in allowed) + r"(?=\.(?:\n|$))")
    for pattern in (said, _NUMBERED) if numbers else (said,):
        if match := pattern.search(text):
            named = tuple(allowed[source] for source in turn) if numbers else allowed
            return _turned(item, exchanged(text, [match], turn), turn, named)
    words = tuple((word,) for word in allowed)
    order = None if numbers else listed_order(text, words)
    if order is None:
        raise InputError(
            f"a question that names no order of its answers: {brief(text[-80:])}",
            expected="no conditions of order",
        )
    return _turned(item, turned(text, words, turn), composed(order, turn), allowed)


def _turned(item: Item, text: str, order: Order, named: tuple[str, ...]) -> Turned:
    return Turned(replace(item, data={**item.data, "text": text, NAMED: named}), order, named)
