"""Cuts the items of a large run into windows, which are asked one after the other, so that memory does not grow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from probsense.core.records import Item
from probsense.runs.store import Finished

WINDOW = 100_000
"""Items of a window, more or less; a run of no more has one window."""
STEP: Final = 1_000
"""Items to read at once in search of the end of a cluster."""


@dataclass(frozen=True, slots=True)
class Window:
    """Items that are asked together.

    Attributes
    ----------
    start, stop : int
        The position of the first item, and the one after the last.
    items : sequence of Item
        Empty where all answers are known.
    finished : Finished or None
        What is known of them if all their requests have answers.
    """

    start: int
    stop: int
    items: Sequence[Item]
    finished: Finished | None = None

    def whole(self, items: Sequence[Item]) -> bool:
        """Tell whether the window has all these items."""
        return self.stop - self.start == len(items)


def windows(items: Sequence[Item], done: Mapping[int, Finished]) -> Iterator[Window]:
    """Cut items into windows, in order.

    A window has :data:`WINDOW` items, and those that follow from the cluster of its last one, up to as many again.

    Parameters
    ----------
    items : sequence of Item
    done : Mapping of int to Finished
        Windows whose requests all have answers, by the positions where they start.

    Yields
    ------
    Window
        One at least.
    """
    start = 0
    while start < len(items) or start == 0:
        if start in done:
            stop = done[start].stop
            yield Window(start, stop, (), done[start])
        else:
            stop = _stop(items, start)
            yield Window(start, stop, items if stop - start == len(items) else items[start:stop])
        if stop == start:
            return
        start = stop


def _stop(items: Sequence[Item], start: int) -> int:
    """Return where a window stops."""
    stop = min(start + WINDOW, len(items))
    if stop == len(items):
        return stop
    cluster = items[stop - 1].cluster
    last = start + 2 * WINDOW
    while cluster and (following := items[stop : min(stop + STEP, last)]):
        for item in following:
            if item.cluster != cluster:
                return stop
            stop += 1
    return stop
