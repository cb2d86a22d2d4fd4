"""Cuts the items of a run into parts, so that several processes can each ask one of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final, Self

import numpy as np

from probsense.errors import InputError
from probsense.records import Item, LabelRequest, Request, SampleRequest, ScoreRequest, continued
from probsense.tasks.base import Method, Task

SLACK: Final = 0.05
"""How far a cut may be from where equal parts would be cut, as a share of a part."""


@dataclass(frozen=True, slots=True)
class Shard:
    """One part of several: its number, which counts from 1, and how many there are."""

    number: int
    of: int

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read ``number/of``, such as ``3/8``.

        Raises
        ------
        InputError
            For anything else, and for a number that is not from 1 to ``of``.
        """
        found = re.fullmatch(r"(\d{1,9})/(\d{1,9})", text)
        if found is None or not 0 < int(found[1]) <= int(found[2]):
            raise InputError(f"{text!r} as a shard", expected="number/of, from 1/8 to 8/8 for eight")
        return cls(int(found[1]), int(found[2]))

    def __str__(self) -> str:
        return f"shard {self.number:,} of {self.of:,}"


def shard_items(task: Task, items: Sequence[Item], method: Method, shard: Shard) -> list[Item]:
    """Choose the items of one part, such that all parts together have each item once.

    Items of one cluster stay together. Clusters come in the order of their first prompts, so that those that begin
    alike lie in one part and a model computes their beginning once. The parts have about the same number of
    characters to read, each shared beginning counted once, and to write. Near an even cut, the cut that costs the
    shortest shared beginning is taken.

    Parameters
    ----------
    task : Task
    items : sequence of Item
    method : Method
    shard : Shard

    Returns
    -------
    list of Item
        In their order; it may be empty if there are fewer clusters than parts.
    """
    clusters: dict[str, list[int]] = {}
    for position, item in enumerate(items):
        clusters.setdefault(item.cluster or f"\0{position}", []).append(position)
    asked = {
        name: sorted(
            (_text(request), _more(request))
            for position in positions
            for request in dict.fromkeys(task.requests(items[position], method, {}))
        )
        for name, positions in clusters.items()
    }
    order = sorted(clusters, key=lambda name: (asked[name], clusters[name]))
    lengths, shared = _lengths(asked[name] for name in order)
    start, stop = (_cut(lengths, shared, shard.of, number) for number in (shard.number - 1, shard.number))
    return [items[position] for position in sorted(p for name in order[start:stop] for p in clusters[name])]


def _text(request: Request) -> str:
    """Return what a model reads first, which requests may share."""
    match request:
        case ScoreRequest(prefix):
            return prefix
        case LabelRequest(prompt):
            return prompt
        case SampleRequest(prompt, turns=turns):
            return continued(turns, prompt)


def _more(request: Request) -> int:
    """Count what a model reads or writes after that, in characters; a token that it may write counts as one."""
    match request:
        case ScoreRequest(_, options, suffix):
            return sum(len(option) + len(suffix) for option in options)
        case LabelRequest():
            return 0
        case SampleRequest(_, n, max_tokens):
            return n * max_tokens


def _lengths(asked: Iterable[Sequence[tuple[str, int]]]) -> tuple[list[int], list[int]]:
    """Count the characters of each cluster beyond what it shares with the text before, and those that it shares."""
    lengths, shared, before = [], [], ""
    for texts in asked:
        length, first = 0, None
        for text, more in texts:
            alike = _alike(before, text)
            first = alike if first is None else first
            length += len(text) - alike + more
            before = text
        lengths.append(length)
        shared.append(first or 0)
    return lengths, shared


def _alike(first: str, second: str) -> int:
    """Return the length of the beginning that two texts share."""
    low, high = 0, min(len(first), len(second))
    while low < high:
        middle = (low + high + 1) // 2
        if first[low:middle] == second[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _cut(lengths: Sequence[int], shared: Sequence[int], of: int, number: int) -> int:
    """Return the position before which a cut falls: the least shared beginning near the even cut, or the nearest."""
    if number in {0, of}:
        return 0 if number == 0 else len(lengths)
    ends = np.array([0, *accumulate(lengths)])
    even = ends[-1] * number / of
    near = np.abs(ends - even)
    (close,) = np.nonzero(near <= SLACK * ends[-1] / of)
    if not len(close):
        return int(near.argmin())
    return min(close.tolist(), key=lambda at: (shared[at] if at < len(shared) else 0, near[at]))
