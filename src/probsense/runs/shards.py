"""Cuts the items of a run into parts, so that several processes can each ask one of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from probsense.core.errors import InputError
from probsense.core.records import Item
from probsense.models.base import size
from probsense.models.ray.cutting import even_cuts
from probsense.tasks.base import Method, Task


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
    alike lie in one part and a model computes their beginning once. :func:`~probsense.models.ray.cutting.even_cuts`
    says where parts end.

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
    asked: dict[str, list[tuple[str, int]]] = {}
    for position, item in enumerate(items):
        name = item.cluster or f"\0{position}"
        clusters.setdefault(name, []).append(position)
        asked.setdefault(name, []).extend(map(size, dict.fromkeys(task.requests(item, method, {}))))
    for sizes in asked.values():
        sizes.sort()
    order = sorted(clusters, key=lambda name: (asked[name], clusters[name]))
    start, stop = even_cuts((asked[name] for name in order), shard.of)[shard.number - 1]
    chosen = {position for name in order[start:stop] for position in clusters[name]}
    return [item for position, item in enumerate(items) if position in chosen]
