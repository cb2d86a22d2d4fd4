"""Keeps in the store what the answers to a run cost, while they come."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from probsense.models.base import Model, Usage
from probsense.runs.execute import Progress
from probsense.runs.store import Store

EVERY: Final = 30.0
"""Seconds of usage that are lost, at most, when the process is killed."""


@contextmanager
def metered(progress: Progress, model: Model, store: Store, run: str) -> Iterator[Progress]:
    """Add the usage of a model to that of a run now and then, and at the end.

    Parameters
    ----------
    progress : callable
        Told of each step.
    model : Model
    store : Store
    run : str
        Its id.

    Yields
    ------
    callable
        To be told of each step in its place.
    """
    kept, at = model.usage, time.monotonic()

    def keep() -> None:
        # Each part is a row of its own, so that stores may be merged at any time.
        nonlocal kept, at
        now = model.usage
        if (spent := now.since(kept)) != Usage():
            store.add_usage(run, spent)
        kept, at = now, time.monotonic()

    def tell(done: int, total: int) -> None:
        progress(done, total)
        if time.monotonic() - at >= EVERY:
            keep()

    try:
        yield tell
    finally:
        keep()
