"""The items of a run that a store keeps, read as somebody goes through them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import Final, overload

from probsense.core.records import Item
from probsense.runs.store import Store
from probsense.tasks.generated import IN_MEMORY

PAGE: Final = 2_000
"""Items to read at once."""


class StoredItems(Sequence[Item]):
    """The items of a run, in order; a page of them is in memory at a time.

    Parameters
    ----------
    store : Store
        Open as long as the items are read.
    run : str
        Its id.
    """

    def __init__(self, store: Store, run: str) -> None:
        self._store = store
        self._run = run
        self._number = store.count_items(run)

    def __iter__(self) -> Iterator[Item]:
        for start in range(0, self._number, PAGE):
            yield from self._store.items(self._run, start, start + PAGE)

    def __len__(self) -> int:
        return self._number

    @overload
    def __getitem__(self, index: int) -> Item: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Item]: ...
    def __getitem__(self, index: int | slice) -> Item | Sequence[Item]:
        if isinstance(index, slice):
            start, stop, step = index.indices(self._number)
            if step != 1:
                raise ValueError(f"a step of {step}: stored items are read one after the other")
            return self._store.items(self._run, start, stop)
        position = range(self._number)[index]
        return self._store.items(self._run, position, position + 1)[0]


class Without(Sequence[Item]):
    """Items without some of them.

    Parameters
    ----------
    items : sequence of Item
    missing : sequence of int
        Positions of those that are not in it, in order.
    """

    def __init__(self, items: Sequence[Item], missing: Sequence[int]) -> None:
        self._items = items
        self._missing = missing

    def __iter__(self) -> Iterator[Item]:
        missing = iter(self._missing)
        skipped = next(missing, None)
        for position, item in enumerate(self._items):
            if position == skipped:
                skipped = next(missing, None)
            else:
                yield item

    def __len__(self) -> int:
        return len(self._items) - len(self._missing)

    @overload
    def __getitem__(self, index: int) -> Item: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Item]: ...
    def __getitem__(self, index: int | slice) -> Item | Sequence[Item]:
        if isinstance(index, slice):
            return [self._items[self._position(i)] for i in range(len(self))[index]]
        return self._items[self._position(range(len(self))[index])]

    def _position(self, index: int) -> int:
        """Return where the item stands among all: after as many missing ones as come before it."""
        return index + bisect_right(range(len(self._missing)), index, key=lambda n: self._missing[n] - n)


def stored_items(store: Store, run: str) -> Sequence[Item]:
    """Return the items of a run: in memory, unless they are more than :data:`~probsense.tasks.generated.IN_MEMORY`."""
    items = StoredItems(store, run)
    return items if len(items) > IN_MEMORY else [*items]
