"""Flags people whose answers deserve a look: signs of haste or copying, which leave nobody out by themselves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from statistics import median_low
from typing import Final, Literal, TypeAlias

from probsense.studies.collect.answers.people import Gathered, ItemAnswer
from probsense.studies.collect.forms import form_of
from probsense.studies.collect.study import Thresholds

Flag: TypeAlias = Literal["too_fast", "copied"]
FLAGS: Final[tuple[Flag, ...]] = ("too_fast", "copied")
"""Why a person's answers deserve a look, in the order in which they are listed."""

Open: TypeAlias = Mapping[str, frozenset[str]]
"""The open answers of a person to each item, in lower case."""


def flags_of(people: Sequence[Gathered], thresholds: Thresholds) -> dict[int, tuple[Flag, ...]]:
    """Flag people by their answers.

    Parameters
    ----------
    people : sequence of Gathered
        Everybody, since answers may be copied from anybody.
    thresholds : Thresholds

    Returns
    -------
    dict of int to tuple of Flag
        The flags of each person, by number; empty for most people.
    """
    open_ = {one.person.number: _open_answers(one) for one in people}
    copies = copied(open_, thresholds.copied)
    found: dict[int, tuple[Flag, ...]] = {}
    for one in people:
        number = one.person.number
        raised: dict[Flag, bool] = {
            "too_fast": too_fast(one.items, thresholds.seconds),
            "copied": number in copies,
        }
        found[number] = tuple(flag for flag in FLAGS if raised[flag])
    return found


def too_fast(items: Sequence[ItemAnswer], seconds: float) -> bool:
    """Tell whether half of a person's items took less than some seconds."""
    times = [item.ms for item in items if item.ms is not None]
    return bool(times) and median_low(times) < seconds * 1000


def copied(open_: Mapping[int, Open], least: int) -> set[int]:
    """Find people whose open answers are those of somebody else.

    Parameters
    ----------
    open_ : Mapping of int to Open
        The open answers of all people.
    least : int
        The smallest number of items that both answered; 0 for never.

    Returns
    -------
    set of int
        Both people of each pair with the same answers to all items that both answered.
    """
    return {number for pair in _pairs(open_, least) for number in pair} if least else set()


def _pairs(open_: Mapping[int, Open], least: int) -> Iterator[tuple[int, int]]:
    """Yield the pairs; only people who agree on some item are compared."""
    alike: dict[tuple[str, frozenset[str]], list[int]] = {}
    for number, answers in open_.items():
        for item in answers.items():
            alike.setdefault(item, []).append(number)
    for one, other in {pair for numbers in alike.values() for pair in combinations(numbers, 2)}:
        both = open_[one].keys() & open_[other].keys()
        if len(both) >= least and all(open_[one][key] == open_[other][key] for key in both):
            yield one, other


def _open_answers(one: Gathered) -> dict[str, frozenset[str]]:
    return {
        item.key: frozenset(answer.lower() for answer in item.values.values())
        for item in one.items
        if form_of(item.block.kind).form == "write"
    }
