"""Lists the runs of stores, with the main estimate of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import polars as pl

from probsense.core.errors import ProbSenseError
from probsense.core.names import short_names
from probsense.core.shown import Shown
from probsense.results.part import Part
from probsense.results.profile_rows import NUMBERS, SHARE, profile_entries
from probsense.runs.evaluate import stored_run
from probsense.runs.run import read_results
from probsense.runs.store.rows import RunRecord
from probsense.runs.store.store import Store
from probsense.show.measure import ABSENT, both_ends
from probsense.show.text import plain
from probsense.show.words import Table, Words
from probsense.tasks.base import words_of
from probsense.tasks.registry import task_module, words_named
from probsense.tasks.results import Results

COLUMNS: Final = (
    *("run", "name", "task", "model", "method", "items", "answered", "started", "finished", "measure"),
    *NUMBERS,
    "store",
)


def listed_runs(stores: Sequence[Path]) -> list[dict[str, Any]]:
    """List the runs of stores, in the order in which they first started.

    Returns
    -------
    list of dict
        Each with the keys :data:`COLUMNS`, and with how its main estimate is ``shown``. ``answered`` is None if the
        task cannot be loaded. Nothing is known of the estimate of a run that was interrupted or cannot be measured.
    """
    found = []
    for path in stores:
        with Store.open(path, create=False) as store:
            for record in store.runs():
                names = ("name", "task", "model", "method", "started", "finished")
                row = {
                    "run": record.id,
                    "store": str(path),
                    **{name: getattr(record, name) for name in names},
                }
                row |= _kept(store, record) or _measured(store, record)
                found.append({name: row.get(name) for name in (*COLUMNS, "shown")})
    return found


def _kept(store: Store, record: RunRecord) -> dict[str, Any] | None:
    """Describe a finished run by the results that its store keeps, without its answers."""
    module = task_module(record.task)
    if module is None or not record.finished or (results := read_results(store, record, module)) is None:
        return None
    items = store.count_items(record.id)
    estimate = _main_estimate(record.task, words_named(record.task), results)
    return {"items": items, "answered": items, **estimate}


def _measured(store: Store, record: RunRecord) -> dict[str, Any]:
    """Describe a run by its answers, which are measured if none is missing."""
    try:
        run, lacking = stored_run(store, record)
    except ProbSenseError:
        return {"items": store.count_items(record.id)}
    answered = len(run.outcome.items)
    known = answered and not lacking
    estimate = _main_estimate(record.task, words_of(run.task), run.results) if known else {}
    return {"items": len(run.items), "answered": answered, **estimate}


def _main_estimate(task: str, words: Words, results: Results) -> dict[str, Any]:
    """Return the first entry of a run in the profile, or else the first estimate of its model."""
    part = Part(task, words.suited(illustrative=results.illustrative), results)
    entries = [(entry.row.title, SHARE, entry.estimate) for entry in profile_entries([part])]
    for e in part.results.estimates:
        if part.words.is_model(e.by.get("model")):
            style = part.words.measure(e.measure)
            entries.append((style.title, style, e))
    for title, style, e in entries[:1]:
        numbers = e.to_json()
        return {"measure": title, **{name: numbers[name] for name in NUMBERS}, "shown": both_ends(e, style)}
    return {}


def runs_table(found: Sequence[Mapping[str, Any]]) -> Table:
    """Make a table with a row for each listed run; names and stores have a column where there are several."""
    models = short_names(one["model"] for one in found)
    columns = {
        "Run": [one["run"][:8] for one in found],
        "Name": [plain(one["name"] or "") for one in found],
        "Task": [one["task"] for one in found],
        "Model": [plain(models[one["model"]]) for one in found],
        "Method": [one["method"] for one in found],
        "Answered": [_answered_cell(one) for one in found],
        "Started": [one["started"][:10] for one in found],
        "Main estimate": [_estimate_cell(one) for one in found],
        "Store": [plain(one["store"]) for one in found],
    }
    named = any(columns["Name"])
    if not named:
        del columns["Name"]
    if len({*columns["Store"]}) < 2:
        del columns["Store"]
    return Table.of("Runs", columns, 4 + named)


def _answered_cell(one: Mapping[str, Any]) -> str:
    known = ABSENT if one["answered"] is None else f"{one['answered']:,}"
    return known if one["answered"] == one["items"] else f"{known} of {one['items']:,}"


def _estimate_cell(one: Mapping[str, Any]) -> str:
    if one["measure"] is None:
        return ABSENT if one["finished"] else "unfinished"
    return f"{one['measure']}: {one['shown']}"


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

    found = listed_runs([Path(store) for store in stores or ("probsense.db",)])
    whole = dict.fromkeys(("items", "answered"), pl.Int64)
    real = dict.fromkeys(NUMBERS, pl.Float64)
    types = {name: {**whole, **real}.get(name, pl.String) for name in COLUMNS}
    made = Runs([{name: one[name] for name in COLUMNS} for one in found], schema=types)
    made.listed = tuple(found)
    return made


class Runs(Shown, pl.DataFrame):
    """A frame with a row for each run; what is derived from it (filtered, sorted, …) is shown as any frame.

    Attributes
    ----------
    listed : tuple of Mapping
        The runs, as :func:`listed_runs` describes them; empty for a frame that was derived.
    """

    listed: tuple[Mapping[str, Any], ...] = ()

    def _repr_html_(self, *, _from_series: bool = False) -> str:
        return super()._repr_html_() if self.listed else pl.DataFrame._repr_html_(self)

    def __repr__(self) -> str:
        return super().__repr__() if self.listed else pl.DataFrame.__repr__(self)
