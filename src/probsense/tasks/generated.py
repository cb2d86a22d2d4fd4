"""Items that are made when somebody goes through them, for sets that are too large for memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Final, overload

from probsense.core.records import Item

IN_MEMORY: Final = 100_000
"""Number of items beyond which a task that can make them one by one does not keep them."""


class Generated(Sequence[Item]):
    """A sequence that makes its items anew, in order, each time somebody goes through it.

    To go through it is cheap; to get one item takes as long as to make all that come before.

    Parameters
    ----------
    make : callable
        Returns an iterator over all items, the same each time.
    number : int
        How many there are.
    source : str
        Tells the items from all others of the same task without making them: a digest of everything that they follow
        from.
    """

    def __init__(self, make: Callable[[], Iterator[Item]], number: int, source: str) -> None:
        self._make = make
        self._number = number
        self.source = source

    def __iter__(self) -> Iterator[Item]:
        return self._make()

    def __len__(self) -> int:
        return self._number

    @overload
    def __getitem__(self, index: int) -> Item: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Item]: ...
    def __getitem__(self, index: int | slice) -> Item | Sequence[Item]:
        if isinstance(index, slice):
            start, stop, step = index.indices(self._number)
            return list(islice(self._make(), start, stop, step))
        return next(islice(self._make(), range(self._number)[index], None))
