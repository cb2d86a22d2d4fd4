"""Runs a task from end to end: the task asks a model, and the answers become estimates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, NamedTuple

from probsense.core.errors import InputError, ProbSenseError
from probsense.core.names import checked_name
from probsense.core.options import checked_seed
from probsense.core.records import Item
from probsense.models.base import Forecasting, Model, Usage
from probsense.models.prompts.thoughts import UNFINISHED
from probsense.models.registry import load_model
from probsense.runs.ask.execute import Interrupted, execute
from probsense.runs.ask.forecast import Forecast, Tried, forecast, thinks
from probsense.runs.ask.plan import Plan, Shard, check_budget, in_fitting_format, shard_items
from probsense.runs.ask.plan import plan as fit
from probsense.runs.ask.progress import say, show_progress, show_waiting
from probsense.runs.ask.rounds import Interview, Outcome, remember
from probsense.runs.ask.thinking import BUDGET, CHAINS, AfterChains, ThinkingMode, Wish
from probsense.runs.run import Run, describe_failures
from probsense.runs.store.database import network_file_system
from probsense.runs.store.rows import RunRecord
from probsense.runs.store.store import Store
from probsense.show.text import counted
from probsense.tasks.base import Task
from probsense.tasks.conditions.crossed import under
from probsense.tasks.registry import load_task, task_options


def evaluate(
    task: str | Task,
    model: str | Model,
    *,
    limit: int | None = None,
    items: Path | str | Sequence[str] | None = None,
    method: str | None = None,
    seed: int = 0,
    store: Path | str | None = "probsense.db",
    quiet: bool = False,
    max_cost: float | None = None,
    conditions: str | None = None,
    name: str | None = None,
    shard: Shard | None = None,
    thinking: ThinkingMode = "auto",
    chains: int = CHAINS,
    thinking_budget: int = BUDGET,
    think_start: str | None = None,
    think_end: str | None = None,
    thinking_sampling: str = "",
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
    items : Path or str, or sequence of str, optional
        In place of a limit, the ids of the items to ask, or a file with one id a line.
    method : {"options", "labels", "sample", "stated"}, optional
        How to ask; by default, the best that the model can answer.
    seed : int
        Seed of every draw that the task makes.
    store : Path or str or None
        File of the store, created if it is missing; None to keep nothing.
    quiet : bool
        Show no progress on stderr.
    max_cost : float, optional
        What the model may cost after it is loaded, and what earlier processes have spent on this run, in the currency
        of its prices; requests beyond that fail.
    conditions : str, optional
        Ask each question under several conditions, and take the mean of the answers: facets with commas between them,
        such as "order" (the answers are listed in several orders), "system=FILE.yaml" (system prompts by name),
        "persona=FILE.csv" (as personas), what the task can vary ("wording", "labels"), and "most=40" for at most so
        many, in which any two facets are balanced.
    name : str, optional
        A name for the run, by which it can be found again and which tells it from other runs of the model. A run that
        exists is renamed. No two runs of one task and method in a store have the same name.
    shard : Shard, optional
        Ask one part of the questions only, and return the run of this part, which may be empty. The store records the
        run of all questions: when :func:`~probsense.runs.store.database.merge` has put the stores of all parts
        together, the same call without a shard finds their answers.
    thinking : {"auto", "off", "on"}
        Whether the model thinks before each answer; auto lets those think that cannot help it.
    chains : int
        How many chains of thought come before each answer, which is the mean over what follows them.
    thinking_budget : int
        The most tokens of a chain; one that is longer is cut, and closed.
    think_start, think_end : str, optional
        What opens and closes a thought, where the template does not tell or is to be overridden.
    thinking_sampling : str
        How chains are drawn, such as "temperature=.6,top_p=.95,top_k=20"; by default as the model comes.
    **options
        Further options of the task, if it is given by name.

    Returns
    -------
    Run

    Raises
    ------
    InputError
        For an unknown name, option or item, a method that the model cannot answer, a file that is not a store, a budget
        without known prices, or a name that another run has.
    Interrupted
        On Ctrl-C.
    ProbSenseError
        If every item failed.
    """
    if name is not None:
        checked_name(name)
    made = under(make_task(task, limit, seed, options), conditions)
    with show_waiting(f"getting {model if isinstance(model, str) else model.name} ready", quiet=quiet):
        wish = Wish(thinking, chains, (thinking_budget,), think_start, think_end, thinking_sampling)
        planned = fit(made, load_model(model) if isinstance(model, str) else model, method, wish, items)
    return ask_plan(planned, Terms(seed, store, quiet, max_cost), name=name, shard=shard)


class Terms(NamedTuple):
    """The terms of a run: its seed, its store, its budget, and whether progress is shown, as for :func:`evaluate`."""

    seed: int = 0
    store: Path | str | None = "probsense.db"
    quiet: bool = False
    max_cost: float | None = None


DEFAULT: Final = Terms()
TRIED: Final = 3
"""Questions that are asked before a run, to tell what the others take."""


def ask_plan(
    planned: Plan,
    terms: Terms = DEFAULT,
    *,
    name: str | None = None,
    shard: Shard | None = None,
    only: Sequence[Item] = (),
) -> Run:
    """Ask what is planned, as :func:`evaluate` does for a task and a model.

    Parameters
    ----------
    planned : Plan
    terms : Terms
    name, shard
        As for :func:`evaluate`.
    only : sequence of Item
        Ask these items only, as the beginning of the run; by default, all.
    """
    seed, store, quiet, max_cost = terms
    check_budget(planned.model, max_cost)
    task = planned.task
    items = planned.items
    if not items:
        raise InputError(f"{task.name} has no items with these options")
    whole = shard is None and not only
    dear = isinstance(planned.model, Forecasting) and thinks(planned)
    if dear and whole and not quiet and len(items) > TRIED:
        ahead = foresee(planned, terms._replace(quiet=True)).tried
        if ahead is not None:
            say(f"{task.name}, {planned.model.name}: {ahead}")
    if store is not None and (kind := network_file_system(Path(store))):
        say(
            f"{store} is on a network file system ({kind}), where only one process at a time can use it safely:"
            " keep it on a local disk, and put stores together by 'probsense merge'"
        )
    before = planned.model.usage
    with Store.open(store) as opened:
        with show_waiting(f"finding out how {planned.model.name} answers", quiet=quiet):
            fitting = in_fitting_format(planned, opened, max_cost)
            model = fitting.model
        for finding in fitting.findings:
            if finding.data.get("moved") and not quiet:
                say(f"{task.name}, {model.name}: {finding.detail}")
        with show_waiting(f"writing down {len(items):,} questions", quiet=quiet):
            record = fitting.start(opened, seed, name)
            spent = replace(model.usage.since(before), truncated=0)
            opened.put(record.fingerprint, (), spent={record.id: spent})
        part = only or (items if shard is None else shard_items(task, items, planned.method, shard))
        left = None if max_cost is None else max_cost - opened.earlier_cost(record.id)
        title = f"{task.name}, {model.name}" + (f", {shard}" if shard else "")
        with show_progress(title, quiet=quiet, used=lambda: model.usage.since(before)) as progress:
            outcome = execute(fitting, part, opened, progress, left, record.id)
        complete = whole and not outcome.failures
        record = opened.finish_run(record.id) if complete else opened.run(record.id)
        findings = opened.findings(record.id)
    if part:
        check_answered(outcome, model.name)
    if not quiet and not outcome.asked:
        say(f"nothing to ask: all {outcome.reused:,} answers were in {store}")
    run = Run(record, task, part, outcome, findings, None if store is None else Path(store))
    return run if record.model == model.name else run.renamed(model.name)  # the name that is used this time


def foresee(planned: Plan, terms: Terms = DEFAULT, *, timed: bool = False) -> Forecast:
    """Forecast a run; where the model thinks, nobody knows how long before it has answered some questions.

    These are asked now, unless the store has their answers, and their answers stay there for the run.

    Parameters
    ----------
    planned : Plan
    terms : Terms
    timed : bool
        Whether to ask a model, too, that does not think and costs nothing, to tell how long it takes.
    """
    found = forecast(planned, store=terms.store, max_cost=terms.max_cost)
    wanted = thinks(planned) or (timed and not isinstance(planned.model, Forecasting))
    if terms.store is None or not (found.wanted and wanted):
        return found
    items = planned.items
    some = items[:: -(-len(items) // TRIED)]
    try:
        run = ask_plan(planned, terms, only=some)
    except Interrupted:
        raise
    except ProbSenseError as error:
        say(f"{counted(len(some), 'question')} to tell what it takes: {error}")
        return found
    found = forecast(planned, store=terms.store, max_cost=terms.max_cost)
    took = run.record.usage
    lacking = found.items - found.answered
    known = lacking and took != Usage()
    return replace(found, tried=Tried.of(found.answered, took, lacking) if known else None)


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
    with Store.open(store, create=False) as opened:
        found, lacking = stored_run(opened, opened.run(run))
    if lacking:
        raise ProbSenseError(
            f"{store}: the run {found.id} lacks {lacking:,} answers; run its command again to finish it"
        )
    check_answered(found.outcome, found.record.model)
    return found


def stored_run(store: Store, record: RunRecord) -> tuple[Run, int]:
    """Read what a store knows of a run, finished or not.

    Returns
    -------
    Run
    int
        How many requests have neither an answer nor a failure in the store.

    Raises
    ------
    InputError
        For a task that cannot be loaded, or is of another version.
    """
    interview = Interview.recorded(record, store)
    task, items = interview.task, store.items(record)
    if task.version != record.version:
        raise InputError(
            f"made by version {record.version} of {record.task}, and this is version {task.version}",
            path=store.path,
        )
    outcome, lacking = remember(interview, items)
    return Run(record, task, items, outcome, store.findings(record.id), store.path), lacking


def check_answered(outcome: Outcome, model: str) -> None:
    """Refuse an outcome without any item that was answered."""
    if not outcome.items:
        said = f"{model} answered nothing: {describe_failures(outcome.failures)}"
        if [*outcome.failures] == [UNFINISHED] and not isinstance(outcome.answers, AfterChains):
            said += "; a higher reasoning_effort leaves more room for thoughts"
        raise ProbSenseError(said)


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
