"""The answers that a question lists, the orders in which they are shown, and texts that list them in another order."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final, NamedTuple, TypeAlias

from probsense.core.errors import InputError
from probsense.core.records import Item

Order: TypeAlias = tuple[int, ...]
"""The index of the option in each place."""

PLACES: Final = tuple(f"{place}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(place, 'th') }" for place in range(1, 10))
"""What the places of a list without letters are called."""
USUAL: Final = 4
"""Orders of a question with as many options or more."""

Answers: TypeAlias = tuple[tuple[str, ...], ...]
"""For each answer, the words that stand for it."""

_BETWEEN: Final = r"""["'”’]?(?:\s*[,/;]\s*(?:or\s+)?|\s+or\s+)["'“‘]?"""
"""What stands between two answers of a list: TRUE or FALSE; 'TRUE', 'FALSE'."""


class Turned(NamedTuple):
    """Hold a question that lists its answers in some order.

    Attributes
    ----------
    item : Item
    order : tuple of int
        The answer in each place, by its place where the question stands as it is.
    names : tuple of str
        The answer for which each option of its requests stands; () if each stands for itself.
    """

    item: Item
    order: Order
    names: tuple[str, ...] = ()


def names_of(item: Item) -> list[str]:
    """Return the names of the answers that an item lists.

    Raises
    ------
    InputError
        If it lists none.
    """
    for key in ("options", "labels"):
        if key in item.data:
            return [one[0] if isinstance(one, list) else str(one) for one in _entries(item.data[key])]
    raise InputError(f"item {item.id!r} lists no answers", expected="options or labels in its data")


def answer_words(item: Item) -> Answers:
    """Return the words of each answer that an item lists."""
    entries = _entries(item.data.get("labels", names_of(item)))
    return tuple(tuple(one[1]) if isinstance(one, list) else (str(one),) for one in entries)


def _entries(listed: Any) -> Sequence[Any]:
    """Return answers in order, each a word or, for a mapping, a name with its words."""
    return [*map(list, listed.items())] if isinstance(listed, Mapping) else listed


def in_order(item: Item) -> Item:
    """Return an item whose labels keep their order where mappings lose theirs, as in a store."""
    if not isinstance(item.data.get("labels"), Mapping):
        return item
    return replace(item, data={**item.data, "labels": _entries(item.data["labels"])})


def by_place(item: Item) -> Item:
    """Return an item whose right answer is given by its place among those that are listed.

    Raises
    ------
    InputError
        If the right answer is none of them.
    """
    names = names_of(item)
    if item.gold and item.gold not in names:
        found = f"item {item.id!r} has the right answer {item.gold!r}"
        raise InputError(found, expected=f"one of {', '.join(map(repr, names))}")
    place = str(names.index(item.gold)) if item.gold else ""
    return replace(item, gold=place, data={**item.data, "options": names})


def orders_of(options: int, wanted: int | None = None) -> tuple[Order, ...]:
    """Return the orders of a question's options, the first that of the file.

    They are rows of a Latin square: no option stands twice in the same place, and with as many orders as options every
    option stands once in every place. For an even number of options, every option then also follows every other one
    once (Williams 1949, Australian Journal of Scientific Research A 2, 149–168). Fewer orders are rows far from one
    another, so that the mean places of the options differ by one at most, and a pull that grows along the list cancels.

    Parameters
    ----------
    options : int
    wanted : int, optional
        How many orders; by default, as many as options, at most :data:`USUAL`. There are no more than options.
    """
    count = min(options, USUAL if wanted is None else wanted)
    zigzag = [(place + 1) // 2 if place % 2 else -place // 2 for place in range(options)]
    # Options are named by their place in the first row, so that it is the order of the file.
    named = {one % options: place for place, one in enumerate(zigzag)}
    shifts = [row * options // count for row in range(count)]
    return tuple(tuple(named[(one + shift) % options] for one in zigzag) for shift in shifts)


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
    return exchanged(text, [match for match, _ in _lists(text, answers)], turn)


def exchanged(text: str, lists: Iterable[re.Match[str]], turn: Order) -> str:
    """Let the groups of matches in a text change places: for each place, ``turn`` has the one that comes there."""
    parts, end = [], 0
    for match in lists:
        for place, source in enumerate(turn, start=1):
            parts += [text[end : match.start(place)], match[source + 1]]
            end = match.end(place)
    return "".join([*parts, text[end:]])


def composed(order: Order, turn: Order) -> Order:
    """Return the answer in each place after a turn of an order."""
    return tuple(order[source] for source in turn)
