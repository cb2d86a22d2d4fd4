"""Removes runs from a store."""

from __future__ import annotations

from pathlib import Path

from probsense.errors import ProbSenseError
from probsense.run.execute import remember
from probsense.run.store import RunRecord, Store
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
            needed = _needed(opened, record).difference(*(_needed(opened, one) for one in others))
        except ProbSenseError:
            needed = set()
        return opened.remove_run(record.id, needed)


def _needed(store: Store, run: RunRecord) -> set[str]:
    """Return the keys of all requests of a run."""
    return remember(load_task(run.task, **run.options), store.items(run.id), run, store).keys
