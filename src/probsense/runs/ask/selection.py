"""Chooses the items of a task that are asked: by their ids, or a part, so that several processes each ask one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

from probsense.core.errors import InputError, brief
from probsense.core.files import read_text
from probsense.core.records import Item, Json
from probsense.models.base import even_cuts, size
from probsense.runs.store.rows import ALL_ITEMS, ITEMS
from probsense.tasks.base import Method, Task

SHOWN: Final = 3
"""Unknown ids that an error names."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Hold the ids of the items that are asked.

    Attributes
    ----------
    ids : frozenset of str
    given : str or tuple of str
        The path of the file with the ids, or the ids themselves.
    """

    ids: frozenset[str]
    given: str | tuple[str, ...]

    @classmethod
    def of(cls, given: Path | str | Iterable[str]) -> Self:
        """Read ids.

        Parameters
        ----------
        given : Path, str or iterable of str
            A file with an id in each line, where lines that begin with "#" are comments; or the ids.

        Raises
        ------
        InputError
            If there are no ids, or an id comes twice.
        """
        if isinstance(given, Path | str):
            path: Path | None = Path(given)
            given = map(str.strip, read_text(Path(given)).splitlines())
        else:
            path = None
        known: set[str] = set()
        for number, one in enumerate(given, start=1):
            if path is not None and (not one or one.startswith("#")):
                continue
            if one in known:
                line = None if path is None else number
                raise InputError(
                    f"the item {brief(one)} once more", path=path, line=line, expected="each item once"
                )
            known.add(one)
        if not known:
            raise InputError("no ids of items", path=path, expected="one at least")
        return cls(frozenset(known), tuple(sorted(known)) if path is None else str(path))

    def options(self, items: Sequence[Item]) -> dict[str, Json]:
        """Return the options of a run that asks these of all items of a task."""
        given: Json = self.given if isinstance(self.given, str) else [*self.given]
        return {ITEMS: given, ALL_ITEMS: len(items)}


def asked_of(task: Task, selection: Selection | None) -> Sequence[Item]:
    """Return the items of a task that are asked, in its order.

    Raises
    ------
    InputError
        If an id is none of the task's.
    """
    items = task.questions
    if selection is None:
        return items
    unknown = sorted(selection.ids.difference(item.id for item in items))
    if unknown:
        more = f" and {len(unknown) - SHOWN:,} more" if len(unknown) > SHOWN else ""
        raise InputError(
            f"{task.name} has no item {', '.join(map(brief, unknown[:SHOWN]))}{more} with these options",
            path=selection.given if isinstance(selection.given, str) else None,
            expected="ids of its items",
        )
    return [item for item in items if item.id in selection.ids]


def selected(given: Path | str | Iterable[str] | None, limit: int | None) -> Selection | None:
    """Read ids if there are some; beside a limit they are refused, as it would leave out some of them."""
    if given is None:
        return None
    if limit is not None:
        raise InputError("a limit beside a list of items", expected="one of them")
    return Selection.of(given)


def selection_note(options: Mapping[str, Json], asked: int) -> list[str]:
    """Say how many of a task's items were asked, if they were listed."""
    if ITEMS not in options:
        return []
    source = f"in {options[ITEMS]}" if isinstance(options[ITEMS], str) else "by their ids"
    return [f"{asked:,} of {options[ALL_ITEMS]:,} items, as listed {source}"]


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
    alike lie in one part and a model computes their beginning once. :func:`~probsense.models.base.even_cuts`
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
