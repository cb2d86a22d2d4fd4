"""The profile of models: asks them every installed task at a stated size, for one table and one page."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Final, get_args

from probsense.core.errors import InputError, ProbSenseError, did_you_mean
from probsense.core.shown import Shown
from probsense.models.base import Forecasting, Model
from probsense.models.registry import load_model
from probsense.results.page.report import report
from probsense.results.part import Part, parts_of_runs, voiding_warnings, warnings_by_task
from probsense.results.profile_rows import left_out, profile_chart, profile_entries, profile_table
from probsense.runs.ask.execute import Interrupted
from probsense.runs.ask.forecast import Forecast, thinks
from probsense.runs.ask.plan import Plan, check_budget, plan
from probsense.runs.ask.progress import describe_time, describe_usage, say, show_waiting
from probsense.runs.ask.thinking import AUTO, Wish
from probsense.runs.evaluate import Terms, ask_plan, foresee, make_task
from probsense.runs.find import told_apart
from probsense.runs.run import Run
from probsense.show.words import Table
from probsense.tasks.base import Size, Task, words_of
from probsense.tasks.registry import task_type, task_types

if TYPE_CHECKING:
    import polars as pl


SIZES: Final[tuple[Size, ...]] = get_args(Size)


@dataclass(frozen=True)
class Step:
    """One task to ask one model, with what that would take.

    Attributes
    ----------
    plan : Plan
    forecast : Forecast
    """

    plan: Plan
    forecast: Forecast

    @property
    def seconds(self) -> float | None:
        """About how long the model takes to answer; None if that is not known, as behind a server."""
        tried = self.forecast.tried
        known = tried.used.seconds if tried else 0.0
        return known or (None if self.forecast.wanted else 0.0)


def checked_size(size: str) -> Size:
    """Return a size that there is.

    Raises
    ------
    InputError
        For any other word.
    """
    if size not in SIZES:
        raise InputError(
            f"no size {size!r}{did_you_mean(size, SIZES)}", expected=f"one of {', '.join(SIZES)}"
        )
    return size


def steps(
    models: Iterable[Model],
    size: Size,
    terms: Terms,
    files: Sequence[str] = (),
    *,
    timed: bool = True,
    wishes: Sequence[Wish] = (AUTO,),
) -> tuple[list[Step], list[str]]:
    """Fit every installed task to every model.

    Parameters
    ----------
    models : iterable of Model
    size : Size
        How much of each task is asked; tasks that say nothing of sizes are asked with their defaults.
    terms : Terms
        Those of the runs. The store need not exist; the budget is that of each model with known costs.
    files : sequence of str
        Python files with tasks of the user's own.
    timed : bool
        Whether to ask each model some questions, to tell how long it takes; the answers stay in the store. A model that
        thinks is asked in any case, and one that tells its costs beforehand only if it thinks.
    wishes : sequence of Wish
        Whether and how each model is to think before its answers; it is asked once for each.

    Returns
    -------
    list of Step
        What to ask, in order.
    list of str
        Lines that say what is not asked, and why.

    Raises
    ------
    InputError
        For a file that is not a store.
    """
    tasks, left_out = _tasks(size, terms.seed, files)
    found: list[Step] = []
    for model in models:
        for task, wish in product(tasks, wishes):
            try:
                planned = plan(task, model, thinking=wish)
            except ProbSenseError as error:
                left_out.append(_not_asked(task, model, error))
                continue
            own = _budgeted(terms, planned)._replace(quiet=True)
            found.append(Step(planned, foresee(planned, own, timed=timed)))
    return found, left_out


def _budgeted(terms: Terms, planned: Plan) -> Terms:
    """Return the terms of a run: a model that cannot tell its costs has no budget."""
    return terms if isinstance(planned.model, Forecasting) else terms._replace(max_cost=None)


def _tasks(size: Size, seed: int, files: Sequence[str]) -> tuple[list[Task], list[str]]:
    """Make every installed task and those of files at a size; say which cannot be made, as one that needs data."""
    made, left_out = [], []
    for name, found in {**task_types(), **{file: task_type(file) for file in files}}.items():
        options = found.profile_options.get(size, {})
        try:
            task = make_task(name, None, seed, options)
            task.questions  # noqa: B018
        except ProbSenseError as error:
            left_out.append(f"{words_of(found).title} was not asked: {error}.")
        else:
            made.append(task)
    return made, left_out


def _not_asked(task: Task, model: Model, error: ProbSenseError) -> str:
    return f"{words_of(task).title} of {model.name} was not asked: {error}."


def outlook(planned: Sequence[Step]) -> str:
    """Say in lines what a profile asks, how long that takes and what it costs.

    Parameters
    ----------
    planned : sequence of Step
    """
    lines = [f"{_called(step)}: {', '.join(_takes(step))}" for step in planned]
    return "\n".join([*lines, f"in all: {', '.join(_altogether(planned))}"])


def _called(step: Step) -> str:
    return f"{step.plan.task.name}, {step.plan.model.name}"


def _takes(step: Step) -> Iterator[str]:
    foreseen = step.forecast
    if not foreseen.wanted:
        yield "answered in the store"
        return
    yield f"{foreseen.wanted:,} requests"
    if step.seconds is not None:
        yield f"about {describe_time(step.seconds)}"
    if isinstance(step.plan.model, Forecasting):
        yield f"at most {describe_usage(foreseen.most or foreseen.used)}"
    if foreseen.tried is not None and thinks(step.plan):
        yield f"{foreseen.tried}"
    if isinstance(step.plan.model, Forecasting) and not foreseen.priced:
        yield "prices not known"


def _altogether(planned: Sequence[Step]) -> Iterator[str]:
    yield f"{sum(step.forecast.wanted for step in planned):,} requests"
    known = [step.seconds for step in planned if step.seconds is not None]
    if any(known):
        yield f"about {describe_time(sum(known))}" + ("" if len(known) == len(planned) else " and more")
    costs = [(step.forecast.most or step.forecast.used).cost for step in planned if step.forecast.priced]
    if costs:
        yield f"cost at most {sum(costs):,.4f}"


def ask_all(planned: Sequence[Step], terms: Terms) -> tuple[list[Run], list[str]]:
    """Ask all models, one task after the other; a run that fails does not keep the others from being asked.

    Parameters
    ----------
    planned : sequence of Step
    terms : Terms
        As for :func:`steps`.

    Returns
    -------
    list of Run
    list of str
        Lines that say what has no run, and why.

    Raises
    ------
    Interrupted
        On Ctrl-C.
    ProbSenseError
        If no run has an answer.
    """
    runs: list[Run] = []
    left_out: list[str] = []
    for number, step in enumerate(planned, 1):
        if not terms.quiet:
            say(f"{number} of {len(planned)}: {_called(step)}")
        try:
            run = ask_plan(step.plan, _budgeted(terms, step.plan))
            with show_waiting(f"measuring {_called(step)}", quiet=terms.quiet):
                run.results  # noqa: B018
        except Interrupted:
            raise
        except ProbSenseError as error:
            left_out.append(_not_asked(step.plan.task, step.plan.model, error))
        else:
            runs.append(run)
    if not runs:
        raise ProbSenseError(f"nothing was answered: {' '.join(left_out)}")
    return runs, left_out


@dataclass(frozen=True, repr=False)
class Profile(Shown):
    """Where models stand in every installed task.

    A notebook shows the table in print, and what to call next.

    Attributes
    ----------
    runs : sequence of Run
        Model by model, and task by task.
    not_asked : sequence of str
        What a model was not asked, or did not answer, and why: one line for each.
    """

    runs: Sequence[Run]
    not_asked: Sequence[str]

    @property
    def left_out(self) -> Sequence[str]:
        """Return lines that say what has no place in the profile, and why."""
        return [*self.not_asked, *left_out(self.parts())]

    @property
    def warnings(self) -> Sequence[str]:
        """Return lines that say what changes how the profile is to be read."""
        return warnings_by_task(self.parts())

    @property
    def voiding(self) -> Sequence[str]:
        """Return those of them that void a result, which is missing or means nothing."""
        return warnings_by_task(self.parts(), voiding_warnings)

    def parts(self) -> list[Part]:
        """Return the part of the page about each task."""
        return parts_of_runs(told_apart(self.runs))

    def table(self) -> pl.DataFrame:
        """Return a table with one row for each task and model.

        Columns are part (the task and its measure), model, value, low, high, chance, shortcut_ceiling and people:
        shares from 0 to 1. Where people of a task are made up, a column illustrative has where they stand.
        """
        return profile_chart(profile_entries(self.parts())).table

    def short_table(self) -> Table:
        """Return the table in print: a line for each task, a column for each model."""
        return profile_table(self.parts())

    def report(self, path: Path | str) -> None:
        """Write one self-contained page, whole or not at all.

        Parameters
        ----------
        path : Path or str
            The HTML file.
        """
        report(path, *self.runs, not_asked=self.not_asked)


def profile(
    *models: str | Model,
    size: Size = "quick",
    tasks: Sequence[str] = (),
    seed: int = 0,
    store: Path | str | None = "probsense.db",
    quiet: bool = False,
    max_cost: float | None = None,
    wishes: Sequence[Wish] = (AUTO,),
) -> Profile:
    """Ask models the questions of every installed task, except those that the store can answer.

    It says on stderr first how long that takes and what it costs. All models are loaded at the beginning.

    Parameters
    ----------
    *models : str or Model
        One or more specifications, such as "hf:NAME", or model objects.
    size : {"quick", "standard", "full"}
        How much of each task is asked. A language model with 135 million parameters takes minutes on two cores at size
        quick, and an hour at size standard.
    tasks : sequence of str
        Python files with tasks to ask beside the installed ones.
    seed, store, quiet
        As for :func:`probsense.evaluate`.
    max_cost : float, optional
        What each model behind an API may cost after it is loaded, in the currency of its prices.
    wishes : sequence of Wish
        Whether and how each model is to think before its answers; it is asked once for each, so that
        ``wished("both")`` sets a model beside itself.

    Returns
    -------
    Profile

    Raises
    ------
    InputError
        For an unknown model or size, a file that is not a store, or a budget without known prices.
    Interrupted
        On Ctrl-C.
    ProbSenseError
        If no model answers anything.
    """
    checked, terms = checked_size(size), Terms(seed, store, quiet, max_cost)
    loaded: list[Model] = []
    for model in models:
        with show_waiting(f"getting {model if isinstance(model, str) else model.name} ready", quiet=quiet):
            loaded.append(load_model(model) if isinstance(model, str) else model)
    for model in [each for each in loaded if isinstance(each, Forecasting)] or loaded:
        check_budget(model, max_cost)
    with show_waiting("trying how long it takes", quiet=quiet):
        planned, left_out = steps(loaded, checked, terms, tasks, timed=not quiet, wishes=wishes)
    if not quiet:
        print(outlook(planned), file=sys.stderr)
    runs, failed = ask_all(planned, terms)
    return Profile(runs, [*left_out, *failed])
