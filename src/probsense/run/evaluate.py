"""A run from end to end: a task asks a model, and the answers become figures."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from probsense.errors import InputError, ProbSenseError
from probsense.models.base import Forecasting, Model, Usage
from probsense.models.findings import Finding
from probsense.models.registry import load_model
from probsense.records import Item, Json
from probsense.run.execute import Outcome, execute, recall
from probsense.run.plan import choose_method
from probsense.run.progress import describe_usage, show_progress
from probsense.run.served import served, served_facts, served_notes
from probsense.run.store import RunRecord, Store
from probsense.stats.estimate import Estimate
from probsense.stats.means import few_clusters_notes
from probsense.tasks.base import Method, Task
from probsense.tasks.registry import load_task, task_options

if TYPE_CHECKING:
    import polars as pl

SHOWN = 3
"""Of more reasons for failures than this, only as many are named."""


@dataclass(frozen=True)
class Run:
    """A run: what was asked, and what was answered. Items without an answer have no part in its table and figures.

    Attributes
    ----------
    record : RunRecord
        The run as the store knows it.
    task : Task
    items : sequence of Item
        All that were asked.
    outcome : Outcome
        The answers, to which of the items, and where they came from.
    findings : sequence of Finding
        What the examination of the model found, where there was one.
    """

    record: RunRecord
    task: Task
    items: Sequence[Item]
    outcome: Outcome
    findings: Sequence[Finding] = ()

    @property
    def id(self) -> str:
        """Content key of everything that makes the run what it is."""
        return self.record.id

    @property
    def model(self) -> str:
        """Name of the model."""
        return self.record.model

    @property
    def method(self) -> Method:
        """How the model was asked."""
        return self.record.method

    @property
    def details(self) -> Mapping[str, Json]:
        """Everything about the model that can change a number."""
        return self.record.details

    @property
    def asked(self) -> int:
        """Number of requests that went to the model."""
        return self.outcome.asked

    @property
    def reused(self) -> int:
        """Number of requests that the store could answer."""
        return self.outcome.reused

    def table(self) -> pl.DataFrame:
        """One row per item that was answered."""
        return self._table

    @cached_property
    def _table(self) -> pl.DataFrame:
        return self.task.table(self.outcome.items, self.method, self.outcome.answers)

    def summary(self) -> list[Estimate]:
        """The figures, each with its uncertainty; their prompting is the method of asking."""
        return self._summary

    @cached_property
    def _summary(self) -> list[Estimate]:
        return self.task.summary(self.table(), {"model": self.model, "prompting": self.method})

    @property
    def covered(self) -> dict[str, int]:
        """Number of items asked, answered and failed."""
        asked, answered = len(self.items), len(self.outcome.items)
        return {"asked": asked, "answered": answered, "failed": asked - answered}

    def coverage(self) -> dict[str, Json]:
        """How many items were asked, answered and failed, and why; by whom; and what the task says besides."""
        own: dict[str, Json] = {"model": self.model, "prompting": self.method, **self.covered}
        besides = {key: value for key, value in self.task.coverage(self.table()).items() if key not in own}
        why = describe_failures(self.outcome.failures)
        return {**own, **besides, **({"failed_requests": why} if why else {})}

    def notes(self) -> list[str]:
        """What a reader of the figures should know."""
        cut = self.record.usage.truncated
        own = [f"the beginning of {cut:,} texts was cut to fit the model"] if cut else []
        own += served_notes(self._served)
        own += few_clusters_notes(self.summary())
        return [f"{self.model}: {note}" for note in (*self.task.notes(self.table()), *own)]

    @cached_property
    def _served(self) -> dict[str, dict[str, int]]:
        return served(self.outcome.answers.values())

    def facts(self) -> dict[str, Json]:
        """How it was run."""
        record = self.record
        return {
            "model": record.model,
            "fingerprint": record.fingerprint,
            **dict(record.details),
            **served_facts(self._served),
            "task": f"{record.task} (version {record.version})",
            "asked by": record.method,
            **{key: value for key, value in record.options.items() if value is not None},
            "run": record.id,
            "started": record.started,
            "finished": record.finished,
            **({"used": used} if (used := describe_usage(record.usage)) else {}),
            "packages": dict(record.versions),
            **({"examination": _described(self.findings)} if self.findings else {}),
        }

    def report(self, path: Path | str) -> None:
        """Write the figures as a self-contained HTML page."""
        from probsense.report.runs import report_runs

        report_runs(Path(path), [self])

    def to_json(self) -> dict[str, Json]:
        """The document that ``--json`` prints."""
        record = self.record
        return {
            "schema": 1,
            "task": record.task,
            "run": {
                "id": record.id,
                "model": record.model,
                "fingerprint": record.fingerprint,
                "details": dict(record.details),
                "version": record.version,
                "options": dict(record.options),
                "method": record.method,
                "seed": record.seed,
                "versions": dict(record.versions),
                "started": record.started,
                "finished": record.finished,
                "items": len(self.items),
                "asked": self.asked,
                "reused": self.reused,
                "usage": asdict(record.usage),
                "failures": dict(self.outcome.failures),
                "served": {key: dict(values) for key, values in self._served.items()},
                "findings": [asdict(finding) for finding in self.findings],
            },
            "coverage": [self.coverage()],
            "estimates": [
                {**estimate.to_json(), "coverage": {**self.covered}} for estimate in self.summary()
            ],
            "notes": list(self.notes()),
        }


def evaluate(
    task: str | Task,
    model: str | Model,
    *,
    limit: int | None = None,
    method: str | None = None,
    seed: int = 0,
    store: Path | str | None = "probsense.db",
    quiet: bool = False,
    max_cost: float | None = None,
    **options: Any,
) -> Run:
    """Ask a model a task's questions, or as many of them as a store cannot answer.

    A request that fails leaves its items out of the figures, which the coverage tells; the same call asks for it again.

    Parameters
    ----------
    task : str or Task
        Its name, or a task made before.
    model : str or Model
        Its specification, such as "hf:NAME", or a model loaded before.
    limit : int, optional
        At most so many items, chosen as the task says.
    method : {"options", "labels", "sample"}, optional
        How to ask; the best that the model can answer, unless given.
    seed : int
        Of every draw that the task makes.
    store : Path or str or None
        File of the store, made if there is none; None to keep nothing.
    quiet : bool
        Show no progress on stderr.
    max_cost : float, optional
        What the model may cost from when it is loaded, in the currency of its prices; the rest fails.
    **options
        What the task takes besides, where it is given by its name.

    Returns
    -------
    Run

    Raises
    ------
    InputError
        For an unknown name or option, a method that the model cannot answer, a foreign file as store, a budget without
        known prices.
    Interrupted
        On Ctrl-C.
    ProbSenseError
        If every item failed.
    """
    task = _task(task, limit, seed, options)
    model = load_model(model) if isinstance(model, str) else model
    check_budget(model, max_cost)
    chosen = choose_method(task, model, method)
    items = task.items()
    if not items:
        raise InputError(f"{task.name} has no items with these options")
    with Store.open(store) as opened:
        record = opened.start_run(task, items, chosen, seed, model)
        before = model.usage

        def used() -> Usage:
            return model.usage.since(before)

        try:
            with show_progress(f"{task.name}, {model.name}", quiet=quiet, used=used) as progress:
                outcome = execute(task, items, chosen, model, opened, progress, max_cost)
        finally:
            opened.add_usage(record.id, used())
        record = opened.run(record.id) if outcome.failures else opened.finish_run(record.id)
        findings = opened.findings(record.id)
    _check_any(outcome, model.name)
    record = replace(record, model=model.name)  # as it is called this time
    if not quiet and not outcome.asked:
        print(f"nothing to ask: all {outcome.reused:,} answers were in {store}", file=sys.stderr)
    return Run(record, task, items, outcome, findings)


def load_run(store: Path | str, run: str) -> Run:
    """Read a run from a store, to measure it again without its model.

    Parameters
    ----------
    store : Path or str
        File of the store.
    run : str
        The run's id, or enough of its beginning.

    Raises
    ------
    InputError
        If there is no such store or run.
    ProbSenseError
        If the run was stopped before all was asked, or every item failed.
    """
    with Store.open(store, create=False) as opened:
        record = opened.run(run)
        task = load_task(record.task, **record.options)
        if task.version != record.version:
            raise InputError(
                f"made by version {record.version} of {record.task}, and this is version {task.version}",
                path=store,
            )
        items = opened.items(record.id)
        outcome = recall(task, items, record, opened)
        _check_any(outcome, record.model)
        return Run(record, task, items, outcome, opened.findings(record.id))


def check_budget(model: Model, max_cost: float | None) -> None:
    """Refuse a budget that is none, or that could not be kept.

    Raises
    ------
    InputError
        If it is not above 0, or the prices of the model are not known.
    """
    if max_cost is None:
        return
    if not max_cost > 0:
        raise InputError(f"a budget of {max_cost:g}", expected="above 0")
    if not (isinstance(model, Forecasting) and model.priced):
        raise InputError(
            f"a budget, though the prices of {model.name} are not known", expected="a table of prices with it"
        )


def _check_any(outcome: Outcome, model: str) -> None:
    if not outcome.items:
        raise ProbSenseError(f"{model} answered nothing: {describe_failures(outcome.failures)}")


def describe_failures(failures: Mapping[str, int]) -> str:
    """The most frequent reasons, each with the number of requests."""
    shown = [f"{reason} ({count:,})" for reason, count in [*failures.items()][:SHOWN]]
    rest = sum(failures.values()) - sum([*failures.values()][:SHOWN])
    return "; ".join([*shown, f"other reasons ({rest:,})"] if rest else shown)


def _described(findings: Sequence[Finding]) -> dict[str, Json]:
    verdicts = {True: "as it should be", False: "not as it should be", None: "known"}
    return {found.name: f"{verdicts[found.ok]}: {found.detail}" for found in findings}


def _task(task: str | Task, limit: int | None, seed: int, options: dict[str, Any]) -> Task:
    """The task by its name with all its options, or the given one, which takes no more of them."""
    given = options if limit is None else options | {"limit": limit}
    if isinstance(task, str):
        takes = task_options(task)
        return load_task(task, **(given | {"seed": seed} if takes is None or "seed" in takes else given))
    if given:
        raise InputError(
            f"the option {next(iter(given))!r} needs the task by its name, this one is made already"
        )
    return task
