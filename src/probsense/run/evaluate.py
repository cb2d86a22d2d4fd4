"""A run from end to end: a task asks a model, and the answers become figures."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from probsense.errors import InputError
from probsense.models.base import Model, Usage
from probsense.models.registry import load_model
from probsense.records import Item, Json
from probsense.run.execute import Outcome, execute, recall
from probsense.run.plan import choose_method
from probsense.run.progress import describe_usage, show_progress
from probsense.run.store import RunRecord, Store
from probsense.stats.estimate import Estimate
from probsense.tasks.base import Method, Task
from probsense.tasks.registry import load_task, task_options

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class Run:
    """A finished run: what was asked, and all answers.

    Attributes
    ----------
    record : RunRecord
        The run as the store knows it.
    task : Task
    items : sequence of Item
    outcome : Outcome
        The answers, and where they came from.
    """

    record: RunRecord
    task: Task
    items: Sequence[Item]
    outcome: Outcome

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
        """One row per item."""
        return self._table

    @cached_property
    def _table(self) -> pl.DataFrame:
        return self.task.table(self.items, self.method, self.outcome.answers)

    def summary(self) -> list[Estimate]:
        """The figures, each with its uncertainty; their prompting is the method of asking."""
        return self._summary

    @cached_property
    def _summary(self) -> list[Estimate]:
        return self.task.summary(self.table(), {"model": self.model, "prompting": self.method})

    def coverage(self) -> dict[str, Json]:
        """How many items were asked and answered, and by whom."""
        return {"model": self.model, "prompting": self.method, **self.task.coverage(self.table())}

    def notes(self) -> list[str]:
        """What a reader of the figures should know."""
        cut = self.record.usage.truncated
        own = [f"the beginning of {cut:,} texts was cut to fit the model"] if cut else []
        return [f"{self.model}: {note}" for note in (*self.task.notes(self.table()), *own)]

    def facts(self) -> dict[str, Json]:
        """How it was run."""
        record = self.record
        return {
            "model": record.model,
            "fingerprint": record.fingerprint,
            **dict(record.details),
            "task": f"{record.task} (version {record.version})",
            "asked by": record.method,
            **{key: value for key, value in record.options.items() if value is not None},
            "run": record.id,
            "started": record.started,
            "finished": record.finished,
            **({"tokens": describe_usage(record.usage)} if record.usage.tokens else {}),
            "packages": dict(record.versions),
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
            },
            "estimates": [estimate.to_json() for estimate in self.summary()],
            "coverage": [self.coverage()],
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
    **options: Any,
) -> Run:
    """Ask a model a task's questions, or as many of them as a store cannot answer.

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
    **options
        What the task takes besides, where it is given by its name.

    Returns
    -------
    Run

    Raises
    ------
    InputError
        For an unknown name or option, a method that the model cannot answer, a foreign file as store.
    Interrupted
        On Ctrl-C.
    """
    task = _task(task, limit, seed, options)
    model = load_model(model) if isinstance(model, str) else model
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
                outcome = execute(task, items, chosen, model, opened, progress)
        finally:
            opened.add_usage(record.id, used())
        record = replace(opened.finish_run(record.id), model=model.name)  # as it is called this time
    if not quiet and not outcome.asked:
        print(f"nothing to ask: all {outcome.reused:,} answers were in {store}", file=sys.stderr)
    return Run(record, task, items, outcome)


def load_run(store: Path | str, run: str) -> Run:
    """Read a finished run from a store, to measure it again without its model.

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
        If the run is not finished.
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
        return Run(record, task, items, recall(task, items, record, opened))


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
