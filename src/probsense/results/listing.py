"""Lists the runs of stores, with the main estimate of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

import polars as pl

from probsense.core.errors import ProbSenseError
from probsense.core.names import short_names
from probsense.core.records import Json
from probsense.core.shown import Shown
from probsense.results.part import Part
from probsense.results.profile_rows import interval_cell, profile_entries
from probsense.runs.evaluate import stored_run
from probsense.runs.store.results import read_results
from probsense.runs.store.rows import RunRecord
from probsense.runs.store.store import Store
from probsense.show.measure import ABSENT, both_ends
from probsense.show.tables import Table
from probsense.show.text import plain
from probsense.show.words import Words
from probsense.tasks.base import words_of
from probsense.tasks.registry import task_module, words_named
from probsense.tasks.results import Results

NUMBERS: Final = ("value", "low", "high", "chance")
COLUMNS: Final = (
    *("run", "name", "task", "model", "method", "items", "answered", "started", "finished", "measure"),
    *NUMBERS,
    "store",
)


@dataclass(frozen=True, slots=True)
class Listed:
    """A run in a list.

    Attributes
    ----------
    store : Path
    record : RunRecord
    items : int
    answered : int or None
        The number of items that were answered; None if the task cannot be loaded.
    estimate : Mapping
        The main estimate: the title of its measure, ``value``, ``low``, ``high`` and ``chance``, and how it is
        ``shown``. It is empty for a run that was interrupted, and for one that cannot be measured.
    """

    store: Path
    record: RunRecord
    items: int
    answered: int | None
    estimate: Mapping[str, Json]

    def to_json(self) -> dict[str, Json]:
        """Return the run with the keys of :data:`COLUMNS`."""
        record = self.record
        known = {name: getattr(record, name) for name in ("name", "task", "model", "method")}
        counts = {"items": self.items, "answered": self.answered}
        times = {"started": record.started, "finished": record.finished}
        numbers = {name: self.estimate.get(name) for name in ("measure", *NUMBERS)}
        return {"run": record.id, **known, **counts, **times, **numbers, "store": str(self.store)}


def listed_runs(stores: Sequence[Path]) -> list[Listed]:
    """List the runs of stores, in the order in which they first started."""
    found: list[Listed] = []
    for path in stores:
        with Store.open(path, create=False) as store:
            for record in store.runs():
                found.append(_kept(path, store, record) or _measured(path, store, record))
    return found


def _kept(path: Path, store: Store, record: RunRecord) -> Listed | None:
    """List a finished run by the results that its store keeps, without its answers."""
    module = task_module(record.task)
    if module is None or not record.finished or (results := read_results(store, record, module)) is None:
        return None
    items = store.count_items(record.id)
    return Listed(path, record, items, items, _main_estimate(record.task, words_named(record.task), results))


def _measured(path: Path, store: Store, record: RunRecord) -> Listed:
    """List a run by its answers, which are measured if none is missing."""
    try:
        run, lacking = stored_run(store, record)
    except ProbSenseError:
        return Listed(path, record, store.count_items(record.id), None, {})
    items, answered = len(run.items), len(run.outcome.items)
    known = answered and not lacking
    estimate = _main_estimate(record.task, words_of(run.task), run.results) if known else {}
    return Listed(path, record, items, answered, estimate)


def _main_estimate(task: str, words: Words, results: Results) -> dict[str, Json]:
    """Return the first entry of a run in the profile, or else the first estimate of its model, or of all."""
    part = Part(task, words.suited(illustrative=results.illustrative), results)
    entries = [
        (entry.row.title, entry.estimate, interval_cell(entry.estimate)) for entry in profile_entries([part])
    ]
    found = sorted(part.results.estimates, key=lambda e: not part.words.is_model(e.by.get("model")))
    styles = ((e, part.words.measure(e.measure)) for e in found)
    estimates = [(style.title, e, both_ends(e, style)) for e, style in styles]
    for title, estimate, shown in [*entries, *estimates][:1]:
        numbers = estimate.to_json()
        return {"measure": title, **{name: numbers[name] for name in NUMBERS}, "shown": shown}
    return {}


def runs_table(found: Sequence[Listed]) -> Table:
    """Make a table with a row for each run; names and stores have a column where there are several."""
    models = short_names(one.record.model for one in found)
    rows = [
        {
            "Run": one.record.id[:8],
            "Name": plain(one.record.name or ""),
            "Task": one.record.task,
            "Model": plain(models[one.record.model]),
            "Method": one.record.method,
            "Answered": _answered_cell(one),
            "Started": one.record.started[:10],
            "Main estimate": _estimate_cell(one),
            "Store": plain(str(one.store)),
        }
        for one in found
    ]
    named, stores = any(one.record.name for one in found), {one.store for one in found}
    hidden = {"" if named else "Name", "" if len(stores) > 1 else "Store"}
    columns = tuple(name for name in rows[0] if name not in hidden)
    return Table("Runs", columns, tuple(tuple(row[name] for name in columns) for row in rows), 4 + named)


def _answered_cell(one: Listed) -> str:
    known = ABSENT if one.answered is None else f"{one.answered:,}"
    return known if one.answered == one.items else f"{known} of {one.items:,}"


def _estimate_cell(one: Listed) -> str:
    if not one.estimate:
        return ABSENT if one.record.finished else "unfinished"
    return f"{one.estimate['measure']}: {one.estimate['shown']}"


def list_runs(*stores: Path | str) -> Runs:
    """List the runs of stores as a table, with a row for each, in the order in which they first started.

    A notebook shows it as ``probsense runs`` prints it.

    Parameters
    ----------
    *stores : Path or str
        Files of stores; by default, ``probsense.db``.

    Returns
    -------
    DataFrame
        The columns :data:`COLUMNS`. ``run`` is the id; ``measure`` and the numbers after it are those of the main
        estimate, null for a run that was interrupted.

    Raises
    ------
    InputError
        For a missing file, or one that is not a store.
    """

    return Runs.of(listed_runs([Path(store) for store in stores or ("probsense.db",)]))


class Runs(Shown, pl.DataFrame):
    """A frame with a row for each run; what is derived from it (filtered, sorted, …) is shown as any frame.

    Attributes
    ----------
    listed : tuple of Listed
        The runs; empty for a frame that was derived.
    """

    listed: tuple[Listed, ...] = ()

    @classmethod
    def of(cls, found: Sequence[Listed]) -> Self:
        """Make the frame of runs, with the columns :data:`COLUMNS`."""
        whole, real = dict.fromkeys(("items", "answered"), pl.Int64), dict.fromkeys(NUMBERS, pl.Float64)
        types = {name: {**whole, **real}.get(name, pl.String) for name in COLUMNS}
        made = cls([one.to_json() for one in found], schema=types)
        made.listed = tuple(found)
        return made

    def _repr_html_(self, *, _from_series: bool = False) -> str:
        return super()._repr_html_() if self.listed else pl.DataFrame._repr_html_(self)

    def __repr__(self) -> str:
        return super().__repr__() if self.listed else pl.DataFrame.__repr__(self)
