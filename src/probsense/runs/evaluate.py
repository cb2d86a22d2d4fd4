"""Runs a task from end to end: the task asks a model, and the answers become estimates."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from probsense.analysis.inference.flat import flat_frame, flat_rows
from probsense.analysis.inference.means import few_clusters_notes, few_clusters_warnings
from probsense.core.errors import InputError, ModelError, ProbSenseError
from probsense.core.names import checked_name
from probsense.core.options import checked_seed
from probsense.core.records import Item, Json
from probsense.core.shown import Shown
from probsense.models.base import Forecasting, Model, Usage
from probsense.models.findings import Finding, prompts_notes
from probsense.models.registry import load_model
from probsense.runs.execute import execute, recall
from probsense.runs.gathered import Outcome, remember
from probsense.runs.metered import metered
from probsense.runs.network import network_file_system
from probsense.runs.plan import plan
from probsense.runs.progress import describe_usage, show_progress, show_waiting
from probsense.runs.served import served_facts, served_notes
from probsense.runs.shards import Shard, shard_items
from probsense.runs.store import RunRecord, Store
from probsense.runs.stored_answers import StoredAnswers
from probsense.runs.stored_items import StoredItems, stored_items
from probsense.runs.transcripts import with_texts
from probsense.show.text import plain, shorten
from probsense.show.words import Estimates, Words
from probsense.tasks.base import Answered, Measured, Method, Task, answered_by, words_of
from probsense.tasks.generated import Generated
from probsense.tasks.registry import load_task, task_options

if TYPE_CHECKING:
    import polars as pl

SHOWN = 3
"""Largest number of reasons for failures to name."""


@dataclass(frozen=True, repr=False)
class Run(Shown):
    """Hold what was asked and what was answered; items without an answer are missing from table and estimates.

    A notebook shows its main estimates and what to call next.

    Attributes
    ----------
    record : RunRecord
        The run as the store knows it.
    task : Task
    items : sequence of Item
        All items that were asked.
    outcome : Outcome
        The answers, the items that have them, and where they came from.
    findings : sequence of Finding
        What the examination of the model found, if there was one.
    """

    record: RunRecord
    task: Task
    items: Sequence[Item]
    outcome: Outcome
    findings: Sequence[Finding] = ()

    def __repr__(self) -> str:
        # Measuring may take minutes: a prompt or a debugger does not start it.
        if "measured" in vars(self):
            return super().__repr__()
        model, label = (shorten(plain(word), 60) for word in (self.model, self.record.label))
        return (
            f"{words_of(self.task, self.record.task).title}: {model}, asked by {self.method}, run {label}:"
            f" {self.covered['answered']:,} of {self.covered['asked']:,} items answered\n"
            "next: run.summary() measures and gives every estimate; run.table() every question"
        )

    @property
    def id(self) -> str:
        """Return the content key of everything that defines the run."""
        return self.record.id

    @property
    def name(self) -> str | None:
        """Return the name that a user gave the run, if it has one."""
        return self.record.name

    @property
    def model(self) -> str:
        """Return the name of the model."""
        return self.record.model

    @property
    def method(self) -> Method:
        """Return how the model was asked."""
        return self.record.method

    @property
    def details(self) -> Mapping[str, Json]:
        """Return everything about the model that can change a number."""
        return self.record.details

    @property
    def asked(self) -> int:
        """Return the number of requests that went to the model."""
        return self.outcome.asked

    @property
    def reused(self) -> int:
        """Return the number of requests that the store could answer."""
        return self.outcome.reused

    @cached_property
    def answered(self) -> Answered:
        """Return the items that were answered, as the task's files and comparisons see them."""
        return answered_by(self.model, self.task, self.method, self.outcome.items, self.outcome.answers)

    @cached_property
    def measured(self) -> Measured:
        """Return what the task measured, with what the run itself knows of coverage, failures and the server."""
        own = self.answered.measured
        who: dict[str, Json] = {"model": self.model, "prompting": self.method, **self.covered}
        why = describe_failures(self.outcome.failures)
        failed: dict[str, Json] = {"failed_requests": why} if why else {}
        coverage = [
            {**who, **{k: v for k, v in row.items() if k not in who}, **failed} for row in own.coverage
        ]
        cut = self.record.usage.truncated
        warnings = [
            *own.warnings,
            *([f"the beginning of {cut:,} texts was cut to fit the model"] if cut else []),
            *few_clusters_warnings(own.estimates),
        ]
        notes = [
            *own.notes,
            *(f"{self.record.task}: {note}" for note in prompts_notes(self.findings)),
            *served_notes(self.outcome.served),
            *few_clusters_notes(own.estimates),
        ]
        return replace(
            own,
            coverage=coverage or [{**who, **failed}],
            warnings=[f"{self.model}: {warning}" for warning in warnings],
            notes=[f"{self.model}: {note}" for note in notes],
        )

    @cached_property
    def _table(self) -> pl.DataFrame:
        if self.measured.table is None:
            raise ProbSenseError(f"the task {self.task.name} makes no table of its items")
        return with_texts(self.measured.table, self)

    def table(self) -> pl.DataFrame:
        """Return a table with one row for each item that was answered: the task's columns, then those of words.

        The last columns are those of :data:`~probsense.runs.transcripts.WORDS`.

        Raises
        ------
        ProbSenseError
            If the task makes no table.
        """
        return self._table

    def summary(self) -> Estimates:
        """Return the estimates; their prompting is the method of asking. A notebook shows their tables."""
        return Estimates(self.measured.estimates, self.words)

    def estimates(self) -> pl.DataFrame:
        """Return a table with one row for each estimate of :meth:`summary`, in its order.

        Returns
        -------
        DataFrame
            - ``task``, ``model`` and ``prompting``, which is how the model was asked
            - ``measure`` and ``method``, which is how the value and its interval were estimated
            - one column for each further key of what estimates describe, such as ``problem`` or ``view``; null where an
              estimate is over all
            - ``value``, ``low``, ``high`` (the ends of the interval), ``stderr`` and ``level``, in the measure's unit
            - ``chance``, what guessing gets; ``shortcut_ceiling``, what shortcuts reach, and ``shortcut_stderr``;
              ``p``, the p-value of the value being 0; ``people``, where people are, if that is the same for all
              questions; ``illustrative`` instead, where their answers are made up
            - ``n``, the number of observations as the method counts them, ``clusters``, ``settings``, and ``items``,
              the number of items of the run that were answered

            Numbers are null where they are unknown.
        """
        found, words = self.summary(), self.words
        own: dict[str, Json] = {"task": self.record.task, "items": self.covered["answered"]}
        rows = [
            {**row, **own, words.people: words.people_at(estimate.measure)}
            for row, estimate in zip(flat_rows([e.to_json() for e in found]), found, strict=True)
        ]
        return flat_frame(rows, numbers=(words.people,), counts=("items",))

    @property
    def words(self) -> Words:
        """Return the words in which the task shows its estimates."""
        own = words_of(self.task, self.record.task)
        return own.suited(illustrative=self.measured.illustrative)

    @property
    def covered(self) -> dict[str, int]:
        """Return the numbers of items asked, answered and failed."""
        asked, answered = len(self.items), len(self.outcome.items)
        return {"asked": asked, "answered": answered, "failed": asked - answered}

    def facts(self) -> dict[str, Json]:
        """Return facts about the run, for the report."""
        record = self.record
        return {
            "model": record.model,
            "fingerprint": record.fingerprint,
            **dict(record.details),
            **served_facts(self.outcome.served),
            "task": f"{record.task} (version {record.version})",
            "asked by": record.method,
            **{key: value for key, value in record.options.items() if value is not None},
            "run": record.id,
            **({"name of the run": record.name} if record.name else {}),
            "started": record.started,
            "finished": record.finished,
            **({"used": used} if (used := describe_usage(record.usage)) else {}),
            "packages": dict(record.versions),
            **({"examination": _described(self.findings)} if self.findings else {}),
        }

    def to_json(self) -> dict[str, Json]:
        """Return the document that ``--json`` prints."""
        record = self.record
        return {
            "schema": 1,
            "task": record.task,
            "run": {
                "id": record.id,
                "name": record.name,
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
                "served": {key: dict(values) for key, values in self.outcome.served.items()},
                "findings": [asdict(finding) for finding in self.findings],
            },
            "coverage": [dict(row) for row in self.measured.coverage],
            "estimates": [
                {**estimate.to_json(), "coverage": {**self.covered}} for estimate in self.measured.estimates
            ],
            "warnings": list(self.measured.warnings),
            "notes": list(self.measured.notes),
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
    name: str | None = None,
    shard: Shard | None = None,
    **options: Any,
) -> Run:
    """Ask a model the questions of a task, except those that the store can answer.

    Items with a failed request are missing from the estimates, and the coverage says so; the same call asks again.

    Parameters
    ----------
    task : str or Task
        Its name, or a task object.
    model : str or Model
        Its specification, such as "hf:NAME", or a model object.
    limit : int, optional
        The largest number of items; the task chooses them.
    method : {"options", "labels", "sample"}, optional
        How to ask; by default, the best that the model can answer.
    seed : int
        Seed of every draw that the task makes.
    store : Path or str or None
        File of the store, created if it is missing; None to keep nothing.
    quiet : bool
        Show no progress on stderr.
    max_cost : float, optional
        What the model may cost after it is loaded, in the currency of its prices; requests beyond that fail.
    name : str, optional
        A name for the run, by which it can be found again and which tells it from other runs of the model. A run that
        exists is renamed. No two runs of one task and method in a store have the same name.
    shard : Shard, optional
        Ask one part of the questions only, and return the run of this part, which may be empty. The store records the
        run of all questions: when :func:`~probsense.runs.merge.merge` has put the stores of all parts together, the
        same call without a shard finds their answers.
    **options
        Further options of the task, if it is given by name.

    Returns
    -------
    Run

    Raises
    ------
    InputError
        For an unknown name or option, a method that the model cannot answer, a file that is not a store, a budget
        without known prices, or a name that another run has.
    Interrupted
        On Ctrl-C.
    ProbSenseError
        If every item failed.
    """
    if name is not None:
        checked_name(name)
    task = make_task(task, limit, seed, options)
    with show_waiting(f"getting {model if isinstance(model, str) else model.name} ready", quiet=quiet):
        loaded = load_model(model) if isinstance(model, str) else model
        task, model, chosen = plan(task, loaded, method)
    check_budget(model, max_cost)
    items = task.items()
    if not items:
        raise InputError(f"{task.name} has no items with these options")
    if store is not None and (kind := network_file_system(Path(store))):
        said = f"{store} is on a network file system ({kind}), where only one process at a time can use it safely"
        print(
            f"{said}: keep it on a local disk, and put stores together by 'probsense merge'", file=sys.stderr
        )
    with ExitStack() as stack:
        opened = stack.enter_context(Store.open(store))
        known = opened.ids()
        names = {} if name is None else {run.id: run.name for run in opened.runs()}
        with show_waiting(f"writing down {len(items):,} questions", quiet=quiet):
            record = opened.start_run(task, items, chosen, seed, model, name)
        items = stored_items(opened, record.id) if isinstance(items, Generated) else items
        part = items if shard is None else shard_items(task, items, chosen, shard)
        former = names.get(record.id)
        if not quiet and former is not None and former != record.name:
            said = f"the run {record.id[:8]} of {task.name} was called {former!r} and is called {record.name!r} now"
            print(said, file=sys.stderr)
        before = model.usage
        title = ", ".join([task.name, model.name, *([] if shard is None else [str(shard)])])

        def used() -> Usage:
            return model.usage.since(before)

        try:
            with (
                show_progress(title, quiet=quiet, used=used) as progress,
                metered(progress, model, opened, record.id) as tell,
            ):
                run = record.id if shard is None else None
                outcome = execute(task, part, chosen, model, opened, tell, max_cost, run)
        except ModelError:
            # A model that cannot answer such a task at all leaves nothing to resume.
            if record.id not in known and not remember(task, items, record, opened).outcome.reused:
                opened.mark_removable((), ())
                opened.remove_run(record.id)
            raise
        whole = shard is None and not outcome.failures
        record = opened.finish_run(record.id) if whole else opened.run(record.id)
        findings = opened.findings(record.id)
        _keep_open(stack, part, outcome)
    if part:
        _check_any(outcome, model.name)
    record = replace(record, model=model.name)  # the name that is used this time
    if not quiet and not outcome.asked:
        print(f"nothing to ask: all {outcome.reused:,} answers were in {store}", file=sys.stderr)
    return Run(record, task, part, outcome, findings)


def load_run(run: str, *, store: Path | str = "probsense.db") -> Run:
    """Read a run from a store, to measure it again without its model.

    Parameters
    ----------
    run : str
        The run's name, or its id or enough of its beginning.
    store : Path or str
        File of the store.

    Raises
    ------
    InputError
        If there is no such store or run.
    ProbSenseError
        If the run was interrupted, or every item failed.
    """
    with ExitStack() as stack:
        opened = stack.enter_context(Store.open(store, create=False))
        record = opened.run(run)
        task = load_task(record.task, **record.options)
        if task.version != record.version:
            raise InputError(
                f"made by version {record.version} of {record.task}, and this is version {task.version}",
                path=store,
            )
        items = stored_items(opened, record.id)
        outcome = recall(task, items, record, opened)
        _check_any(outcome, record.model)
        _keep_open(stack, items, outcome)
        return Run(record, task, items, outcome, opened.findings(record.id))


def _keep_open(stack: ExitStack, items: Sequence[Item], outcome: Outcome) -> None:
    """Leave the store open for what is still to be read; it closes when nobody holds that any more."""
    if isinstance(items, StoredItems) or isinstance(outcome.answers, StoredAnswers):
        stack.pop_all()


def check_budget(model: Model, max_cost: float | None) -> None:
    """Refuse a budget that is not above 0, or that a model without prices could not keep.

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
    """Describe the most frequent reasons, each with its number of requests."""
    shown = [f"{reason} ({count:,})" for reason, count in [*failures.items()][:SHOWN]]
    rest = sum(failures.values()) - sum([*failures.values()][:SHOWN])
    return "; ".join([*shown, f"other reasons ({rest:,})"] if rest else shown)


def _described(findings: Sequence[Finding]) -> dict[str, Json]:
    verdicts = {True: "as it should be", False: "not as it should be", None: "known"}
    return {found.name: f"{verdicts[found.ok]}: {found.detail}" for found in findings}


def make_task(task: str | Task, limit: int | None, seed: int, options: Mapping[str, Any]) -> Task:
    """Make the task by its name and options, or return the given one, which takes no further options."""
    checked_seed(seed)
    given = {**options, **({} if limit is None else {"limit": limit})}
    if isinstance(task, str):
        return load_task(task, **(given | {"seed": seed} if "seed" in task_options(task) else given))
    if given:
        raise InputError(
            f"the option {next(iter(given))!r} needs the task by its name, this one is made already"
        )
    return task
