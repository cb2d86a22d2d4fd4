"""Finds where a text lists the answers that it allows, and lists them in another order."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, TypeAlias

from probsense.tasks.shared.orders import Order

Answers: TypeAlias = tuple[tuple[str, ...], ...]
"""For each answer, the words that stand for it."""

_BETWEEN: Final = r"""["'”’]?(?:\s*[,/;]\s*(?:or\s+)?|\s+or\s+)["'“‘]?"""
"""What stands between two answers of a list: TRUE or FALSE; 'TRUE', 'FALSE'."""


@lru_cache(maxsize=64)
def _pattern(answers: Answers) -> re.Pattern[str]:
    words = sorted((word for one in answers for word in one), key=len, reverse=True)
    word = rf"(?<!\w)({'|'.join(map(re.escape, words))})(?!\w)"
    return re.compile(_BETWEEN.join([word] * len(answers)), re.IGNORECASE)


def _lists(text: str, answers: Answers) -> list[tuple[re.Match[str], Order]]:
    """Find the lists of all answers, each with the answer in each place."""
    numbers = {word.casefold(): number for number, one in enumerate(answers) for word in one}
    found = []
    for match in _pattern(answers).finditer(text):
        order = tuple(numbers[word.casefold()] for word in match.groups())
        if len({*order}) == len(answers):
            found.append((match, order))
    return found


def listed_order(text: str, answers: Answers) -> Order | None:
    """Return the order in which a text lists all answers, by the last list; None if it lists them nowhere."""
    found = _lists(text, answers)
    return found[-1][1] if found else None


def turned(text: str, answers: Answers, turn: Order) -> str:
    """List the answers in another order, wherever a text lists all of them.

    Parameters
    ----------
    text : str
    answers : tuple of tuple of str
        For each answer, the words that stand for it, in any case.
    turn : tuple of int
        For each place of a list, the place whose word comes there; quotation marks and commas stay.
    """
    parts, end = [], 0
    for match, _ in _lists(text, answers):
        for place, source in enumerate(turn, start=1):
            parts += [text[end : match.start(place)], match[source + 1]]
            end = match.end(place)
    return "".join([*parts, text[end:]])


def composed(order: Order, turn: Order) -> Order:
    """Return the answer in each place after a turn of an order."""
    return tuple(order[source] for source in turn)
