"""Chooses the items of a task that are asked, by their ids."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

from probsense.core.errors import InputError, brief
from probsense.core.files import read_text
from probsense.core.records import Item, Json
from probsense.runs.store.rows import ALL_ITEMS, ITEMS
from probsense.tasks.base import Task

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
        path = Path(given) if isinstance(given, Path | str) else None
        rows: Iterable[tuple[int | None, str]]
        if isinstance(given, Path | str):
            rows = enumerate(map(str.strip, read_text(Path(given)).splitlines()), start=1)
            rows = [(line, row) for line, row in rows if row and not row.startswith("#")]
        else:
            rows = [(None, one) for one in given]
        known: set[str] = set()
        for line, one in rows:
            if one in known:
                raise InputError(
                    f"the item {brief(one)} once more", path=path, line=line, expected="each item once"
                )
            known.add(one)
        if not known:
            raise InputError("no ids of items", path=path, expected="one at least")
        return cls(frozenset(known), tuple(sorted(known)) if path is None else str(given))

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
