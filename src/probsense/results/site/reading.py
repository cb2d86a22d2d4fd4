"""Reads the runs of stores for a site; what finished runs contribute is kept in the cache."""

from __future__ import annotations

import json
import zlib
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Final

from probsense.core.errors import InputError, ProbSenseError
from probsense.core.files import cache_folder, writing
from probsense.core.names import short_names
from probsense.core.records import digest
from probsense.models.base import Finding
from probsense.results.site.contribution import Contribution, asked_key
from probsense.results.site.workers import side_by_side
from probsense.runs.ask.progress import Progress
from probsense.runs.evaluate import check_answered, load_run, stored_run
from probsense.runs.run import Run
from probsense.runs.store.store import RunRecord, Store
from probsense.show.text import plain

FORMAT: Final = 3
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
    findings : sequence of Finding
        What the examination of its model found.
    """

    key: str
    record: RunRecord
    model: str
    items: int
    answered: int
    asked: str
    contribution: Contribution | None
    findings: Sequence[Finding] = ()

    @property
    def coverage(self) -> str:
        """Say how many of its questions were answered."""
        return f"{self.answered:,} of {self.items:,}"

    @property
    def withheld(self) -> str:
        """Say why a run has no main estimate, if its task says it."""
        return plain("; ".join(self.contribution.part.results.withheld.values())) if self.contribution else ""


@dataclass(frozen=True, eq=False)
class _Found:
    """A run as it is found in a store.

    Attributes
    ----------
    store : Path
    record : RunRecord
    findings : sequence of Finding
        What the examination of its model found.
    model : str
        The name of its model, as :class:`SiteRun` has it.
    """

    store: Path
    record: RunRecord
    findings: Sequence[Finding]
    model: str

    @cached_property
    def key(self) -> str:
        """Return the content key of everything that is known of a finished run."""
        known = {**asdict(self.record), "usage": asdict(self.record.usage)}
        return digest(
            [FORMAT, version("probsense"), self.model, known, [asdict(one) for one in self.findings]]
        )

    @property
    def kept(self) -> Path:
        """Return where the cache has what a finished run contributes."""
        return cache_folder() / "sites" / f"{self.key}.json.z"


def read_runs(
    stores: Sequence[Path],
    task: str | None = None,
    *,
    jobs: int = 1,
    progress: Progress = lambda done, total: None,
) -> tuple[list[SiteRun], list[str]]:
    """Read the runs of stores, finished or not, each once.

    Parameters
    ----------
    stores : sequence of Path
    task : str, optional
        Read the runs of this task only.
    jobs : int
        How many processes measure runs that the cache does not have.
    progress : callable
        Is told the number of runs read, and of all runs.

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
    found = _told_apart(_found(stores, task))
    ready = _side_by_side(found, jobs, progress)
    runs, left_out = [], []
    for one in found:
        try:
            runs.append(ready.get(one.record.id) or _read(one))
        except ProbSenseError as error:
            left_out.append(f"{one.record.task}, {one.model} is left out: {error}")
        progress(max(len(ready), len(runs) + len(left_out)), len(found))
    if not runs:
        which = "no runs" if task is None else f"no runs of {task}"
        raise InputError("; ".join([which, *left_out]), path=", ".join(map(str, stores)))
    return runs, left_out


def _side_by_side(found: Sequence[_Found], jobs: int, progress: Progress) -> dict[str, SiteRun]:
    """Read the runs that other processes could measure, by their ids; all others are left for this one."""
    ready: dict[str, SiteRun] = {}
    groups: dict[str, list[_Found]] = {}
    if jobs > 1:
        for one in found:
            if one.record.finished and not one.kept.exists():
                groups.setdefault(one.record.task, []).append(one)

    def take(one: _Found) -> None:
        if one.kept.exists():
            ready[one.record.id] = _read(one)
            progress(len(ready), len(found))

    side_by_side(_keep, [*groups.values()], jobs, take)
    return ready


def _found(stores: Sequence[Path], task: str | None) -> list[_Found]:
    """List the runs in the order in which they started; of a run in several stores, the one that is finished.

    Those of one second stay in the order of their store.
    """
    found: dict[str, _Found] = {}
    for store in stores:
        with Store.open(store, create=False) as opened:
            for record in opened.runs():
                if task in (None, record.task) and (record.id not in found or record.finished):
                    found[record.id] = _Found(store, record, opened.findings(record.id), record.model)
    return sorted(found.values(), key=lambda one: one.record.started)


def _told_apart(found: Sequence[_Found]) -> list[_Found]:
    """Shorten the names of models that are paths, and add digits to those that differ, though called the same."""
    short = short_names(one.record.model for one in found)
    own = [digest([one.record.details.get(name) for name in IDENTITY]) for one in found]
    several = Counter(name for name, _ in {(one.model, key) for one, key in zip(found, own, strict=True)})
    return [
        replace(
            one,
            model=f"{short[one.model]} [{key[:6]}]" if several[one.model] > 1 else short[one.model],
        )
        for one, key in zip(found, own, strict=True)
    ]


def _keep(one: _Found) -> None:
    """Let the cache have what a run contributes."""
    _read(one)


def _read(one: _Found) -> SiteRun:
    if not one.record.finished:
        with Store.open(one.store, create=False) as opened:
            return _unfinished(one, opened)
    path = one.kept
    if path.exists():
        kept = json.loads(zlib.decompress(path.read_bytes()))
        contribution = Contribution.from_json(kept)
        return _site_run(one, one.key, kept["items"], kept["answered"], kept["asked"], contribution)
    run = _named(load_run(one.record.id, store=one.store), one)
    contribution, asked = Contribution.of(run), asked_key(run.items)
    counts = {"items": len(run.items), "answered": len(run.outcome.items)}
    with suppress(OSError, InputError), writing(path) as stream:  # without a cache, a site takes longer
        text = json.dumps({**counts, "asked": asked, **contribution.to_json()})
        stream.write(zlib.compress(text.encode(errors="surrogatepass"), 1))
    return _site_run(one, one.key, **counts, asked=asked, contribution=contribution)


def _named(run: Run, one: _Found) -> Run:
    """Return a run under the name that its model has on the site."""
    return run if run.model == one.model else run.renamed(one.model)


def _site_run(
    one: _Found, key: str, items: int, answered: int, asked: str, contribution: Contribution | None
) -> SiteRun:
    return SiteRun(key, one.record, one.model, items, answered, asked, contribution, one.findings)


def _unfinished(one: _Found, opened: Store) -> SiteRun:
    record = one.record
    run, lacking = stored_run(opened, record)
    items, done = run.items, [item.id for item in run.outcome.items]
    if not lacking:  # some requests failed: the run has results, of fewer questions
        check_answered(run.outcome, record.model)
        key = digest([FORMAT, version("probsense"), one.model, record.id, record.name, done])
        contribution = Contribution.of(_named(run, one))
        return _site_run(one, key, len(items), len(done), asked_key(items), contribution)
    key = digest([FORMAT, version("probsense"), one.model, record.id, len(done)])
    return _site_run(one, key, len(items), len(done), asked_key(items), None)
