"""The runs of stores: those that a user means, and a list of all, with the main estimate of each."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Final, Self, TypeAlias

import polars as pl

from probsense.core.errors import InputError, ProbSenseError
from probsense.core.files import cache_folder, writing
from probsense.core.names import short_names
from probsense.core.records import Json, digest
from probsense.core.shown import Shown
from probsense.results.part import parts_of_runs
from probsense.results.profile.rows import interval_cell, profile_entries
from probsense.runs.ask.execute import Progress
from probsense.runs.ask.outcome import remember
from probsense.runs.evaluate import load_run
from probsense.runs.run import Run
from probsense.runs.store.find import find_runs, told_apart
from probsense.runs.store.store import RunRecord, Store
from probsense.show.measure import both_ends
from probsense.show.tables import ABSENT, Table
from probsense.show.text import plain
from probsense.tasks.registry import load_task

Given: TypeAlias = "Run | Path | str | Sequence[Run | Path | str]"
"""A run, the name of runs or the beginning of a run's id, a store for all its runs, or several of these."""


def given_runs(source: Given, store: Path | str) -> tuple[list[Run], list[str]]:
    """Find the runs that are meant, named so that they can be told apart.

    Parameters
    ----------
    source : Run, Path, str, or a sequence of these
    store : Path or str
        Where runs are found by their names and ids.

    Returns
    -------
    list of Run
        Each run once.
    list of str
        Reasons why runs of a whole store are left out.

    Raises
    ------
    InputError
        For a name that is none, and if there is no run.
    ProbSenseError
        If a run that is named lacks answers.
    """
    found: dict[str, Run] = {}
    left_out: list[str] = []
    for one in [source] if isinstance(source, Run | Path | str) else source:
        if isinstance(one, Run):
            found.setdefault(one.id, one)
        else:
            runs, without = find_runs([str(one)], [Path(store)])
            left_out += without
            for run in runs:
                found.setdefault(run.id, run)
    if not found:
        raise InputError("no runs", expected="at least one")
    return told_apart([*found.values()]), left_out


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


def listed_runs(stores: Sequence[Path], progress: Progress = lambda done, total: None) -> list[Listed]:
    """List the runs of stores, in the order in which they first started.

    Main estimates are kept in the cache, since some take long; ``progress`` is told how many runs are done.
    """
    records = []
    for store in stores:
        with Store.open(store, create=False) as opened:
            records += [(store, record) for record in opened.runs()]
    found: list[Listed] = []
    for store, record in records:
        progress(len(found), len(records))
        found.append(_listed(store, record))
    progress(len(found), len(records))
    return found


def _listed(store: Path, record: RunRecord) -> Listed:
    with Store.open(store, create=False) as opened:
        items = opened.items(record.id)
        try:
            task = load_task(record.task, **record.options)
        except ProbSenseError:
            return Listed(store, record, len(items), None, {})
        outcome, lacking = remember(task, items, record, opened)
    count = len(outcome.items)
    if lacking:
        return Listed(store, record, len(items), count, {})
    key = digest([record.id, count, task.version, version("probsense")])
    path = cache_folder() / "estimates" / f"{key}.json"
    if not path.exists():
        estimate = _main_estimate(store, record)
        with writing(path) as stream:
            stream.write(json.dumps(estimate).encode())
    return Listed(store, record, len(items), count, json.loads(path.read_bytes()))


def _main_estimate(store: Path, record: RunRecord) -> dict[str, Json]:
    """Return the first entry of a run in the profile, or the first estimate if its task is not in it."""
    try:
        (part,) = parts_of_runs([load_run(record.id, store=store)])
    except ProbSenseError:
        return {}
    entries = [
        (entry.row.title, entry.estimate, interval_cell(entry.estimate)) for entry in profile_entries([part])
    ]
    styles = ((e, part.words.measure(e.measure)) for e in part.measured.estimates)
    estimates = [(style.title, e, both_ends(e, style)) for e, style in styles]
    for title, estimate, shown in [*entries, *estimates][:1]:
        numbers = estimate.to_json()
        return {"measure": title, **{name: numbers[name] for name in NUMBERS}, "shown": shown}
    return {}


def runs_table(found: Sequence[Listed]) -> Table:
    """Make a table with a row for each run; names and stores have a column where there are several."""
    stores = len({one.store for one in found}) > 1
    named = any(one.record.name for one in found)
    models = short_names(one.record.model for one in found)
    return Table(
        "Runs",
        (
            "Run",
            *(["Name"] if named else []),
            "Task",
            "Model",
            "Method",
            "Answered",
            "Started",
            "Main estimate",
        )
        + (("Store",) if stores else ()),
        tuple(
            (
                one.record.id[:8],
                *([plain(one.record.name or "")] if named else []),
                one.record.task,
                plain(models[one.record.model]),
                one.record.method,
                f"{one.items:,}" if one.answered == one.items else f"{_count(one.answered)} of {one.items:,}",
                one.record.started[:10],
                _estimate_cell(one),
                *([plain(str(one.store))] if stores else []),
            )
            for one in found
        ),
        heads=4 + named,
    )


def _count(number: int | None) -> str:
    return ABSENT if number is None else f"{number:,}"


def _estimate_cell(one: Listed) -> str:
    if not one.estimate:
        return ABSENT if one.record.finished else "unfinished"
    return f"{one.estimate['measure']}: {one.estimate['shown']}"


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
        """Make the frame of runs, with the columns :data:`~probsense.results.listing.COLUMNS`."""
        whole, real = dict.fromkeys(("items", "answered"), pl.Int64), dict.fromkeys(NUMBERS, pl.Float64)
        types = {name: {**whole, **real}.get(name, pl.String) for name in COLUMNS}
        made = cls([one.to_json() for one in found], schema=types)
        made.listed = tuple(found)
        return made

    def _repr_html_(self, *, _from_series: bool = False) -> str:
        return super()._repr_html_() if self.listed else pl.DataFrame._repr_html_(self)

    def __repr__(self) -> str:
        return super().__repr__() if self.listed else pl.DataFrame.__repr__(self)
