"""Removes runs from a store."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from probsense.core.errors import ProbSenseError
from probsense.runs.gathered import remembered_keys
from probsense.runs.store import RunRecord, Store
from probsense.runs.stored_items import stored_items
from probsense.tasks.registry import load_task


def remove_run(store: Path, run: str) -> int:
    """Remove a run, and the answers that no other run of the store needs.

    Where the task of a run is not installed, nobody knows what it needs, and all answers of its model stay.

    Parameters
    ----------
    store : Path
    run : str
        The run's name, or its id or enough of its beginning.

    Returns
    -------
    int
        The number of answers that were removed.

    Raises
    ------
    InputError
        If there is no such store or run.
    """
    with Store.open(store, create=False) as opened:
        record = opened.run(run)
        others = [
            one for one in opened.runs() if one.fingerprint == record.fingerprint and one.id != record.id
        ]
        try:
            needed, kept = _needed(opened, [record]), _needed(opened, others)
            opened.mark_removable(needed, kept)
        except ProbSenseError:
            opened.mark_removable((), ())
        return opened.remove_run(record.id)


def _needed(store: Store, runs: Iterable[RunRecord]) -> Iterator[set[str]]:
    """Yield the keys of all requests of runs, in parts."""
    for run in runs:
        task = load_task(run.task, **run.options)
        yield from remembered_keys(task, stored_items(store, run.id), run, store)
