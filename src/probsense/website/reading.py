"""Reads the runs of stores for a site; what finished runs contribute is kept in the cache."""

from __future__ import annotations

import json
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Final

from probsense.errors import InputError, ProbSenseError
from probsense.files import cache_folder, writing
from probsense.files.short_names import short_names
from probsense.records import digest
from probsense.run.evaluate import load_run
from probsense.run.execute import remember
from probsense.run.rounds import answered
from probsense.run.store import RunRecord, Store
from probsense.tasks.registry import load_task
from probsense.website.contribution import Contribution, asked_key

FORMAT: Final = 1
"""A number that is raised whenever contributions change."""
IDENTITY: Final = ("weights", "base_url", "model")
"""Details that tell different models of one name apart; formats of prompts and packages do not."""


@dataclass(frozen=True, eq=False)
class SiteRun:
    """A run as a site shows it.

    Attributes
    ----------
    key : str
        Content key of everything that is known of the run.
    record : RunRecord
    model : str
        The name of its model: that of the record, with digits where models of one name differ.
    items, answered : int
        The numbers of questions that were asked, and of those that were answered.
    asked : str
        Key of the questions: equal for runs whose results compare.
    contribution : Contribution or None
        None for a run that was interrupted.
    """

    key: str
    record: RunRecord
    model: str
    items: int
    answered: int
    asked: str
    contribution: Contribution | None


def read_runs(stores: Sequence[Path], task: str | None = None) -> tuple[list[SiteRun], list[str]]:
    """Read the runs of stores, finished or not, each once.

    Parameters
    ----------
    stores : sequence of Path
    task : str, optional
        Read the runs of this task only.

    Returns
    -------
    list of SiteRun
        In the order in which they first started.
    list of str
        Reasons why runs are left out: a line for each.

    Raises
    ------
    InputError
        For a missing file, one that is not a store, and if no run is left.
    """
    found = _records(stores, task)
    records = _told_apart([record for _, record in found])
    runs, left_out = [], []
    for (store, own), record in zip(found, records, strict=True):
        try:
            runs.append(_read(store, own, record.model))
        except ProbSenseError as error:
            left_out.append(f"{record.task}, {record.model} is left out: {error}")
    if not runs:
        which = "no runs" if task is None else f"no runs of {task}"
        raise InputError("; ".join([which, *left_out]), path=", ".join(map(str, stores)))
    return runs, left_out


def _records(stores: Sequence[Path], task: str | None) -> list[tuple[Path, RunRecord]]:
    """List the runs in the order in which they started; of a run in several stores, the one that is finished."""
    found: dict[str, tuple[Path, RunRecord]] = {}
    for store in stores:
        with Store.open(store, create=False) as opened:
            for record in opened.runs():
                if task in (None, record.task) and (record.id not in found or record.finished):
                    found[record.id] = store, record
    return sorted(found.values(), key=lambda pair: (pair[1].started, pair[1].id))


def _told_apart(records: Sequence[RunRecord]) -> list[RunRecord]:
    """Shorten the names of models that are paths, and add digits to those that differ, though called the same."""
    short = short_names(record.model for record in records)
    own = [digest([record.details.get(name) for name in IDENTITY]) for record in records]
    several = Counter(name for name, _ in {(r.model, key) for r, key in zip(records, own, strict=True)})
    return [
        replace(
            record,
            model=f"{short[record.model]} [{key[:6]}]" if several[record.model] > 1 else short[record.model],
        )
        for record, key in zip(records, own, strict=True)
    ]


def _read(store: Path, record: RunRecord, model: str) -> SiteRun:
    with Store.open(store, create=False) as opened:
        findings = [asdict(finding) for finding in opened.findings(record.id)]
        if not record.finished:
            return _unfinished(opened, record, model)
    known = {**asdict(record), "usage": asdict(record.usage)}
    key = digest([FORMAT, version("probsense"), model, known, findings])
    path = cache_folder() / "sites" / f"{key}.json.z"
    if path.exists():
        kept = json.loads(zlib.decompress(path.read_bytes()))
        return SiteRun(
            key,
            record,
            model,
            kept["items"],
            kept["answered"],
            kept["asked"],
            Contribution.from_json(kept),
        )
    run = load_run(record.id, store=store)
    run = replace(run, record=replace(run.record, model=model))
    contribution, asked = Contribution.of(run), asked_key(run.items)
    counts = {"items": len(run.items), "answered": len(run.outcome.items)}
    with writing(path) as stream:
        text = json.dumps({**counts, "asked": asked, **contribution.to_json()})
        stream.write(zlib.compress(text.encode(errors="surrogatepass"), 1))
    return SiteRun(key, record, model, **counts, asked=asked, contribution=contribution)


def _unfinished(opened: Store, record: RunRecord, model: str) -> SiteRun:
    task, items = load_task(record.task, **record.options), opened.items(record.id)
    known = remember(task, items, record, opened)
    if not known.lacking:  # some requests failed: the run has results, of fewer questions
        run = load_run(record.id, store=str(opened.path))
        run = replace(run, record=replace(run.record, model=model))
        contribution, done = Contribution.of(run), [item.id for item in run.outcome.items]
        key = digest([FORMAT, version("probsense"), model, record.id, record.name, done])
        return SiteRun(key, record, model, len(items), len(run.outcome.items), asked_key(items), contribution)
    count = len(answered(task, items, record.method, known.book))
    key = digest([FORMAT, version("probsense"), model, record.id, count])
    return SiteRun(key, record, model, len(items), count, asked_key(items), None)
