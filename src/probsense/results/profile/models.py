"""The profile of models: every installed task, one table, one page."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from probsense.core.shown import Shown
from probsense.models.base import Forecasting, Model
from probsense.models.registry import load_model
from probsense.results.page.report import report
from probsense.results.part import Part, parts_of_runs, voiding_warnings, warnings_by_task
from probsense.results.profile.rows import left_out, profile_chart, profile_entries, profile_table
from probsense.runs.ask.plan import check_budget
from probsense.runs.ask.progress import show_waiting
from probsense.runs.ask.thinking import AUTO, Wish
from probsense.runs.evaluate import Terms
from probsense.runs.find import told_apart
from probsense.runs.profile import ask_all, checked_size, outlook, steps
from probsense.runs.run import Run
from probsense.show.tables import Table
from probsense.tasks.base import Size

if TYPE_CHECKING:
    import polars as pl


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
        """Return those of them because of which a result is missing or means nothing."""
        return warnings_by_task(self.parts(), voiding_warnings)

    def parts(self) -> list[Part]:
        """Return what there is to tell about each task."""
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
        if isinstance(model, str):
            with show_waiting(f"getting {model} ready", quiet=quiet):
                loaded.append(load_model(model))
        else:
            loaded.append(model)
    for model in [each for each in loaded if isinstance(each, Forecasting)] or loaded:
        check_budget(model, max_cost)
    with show_waiting("trying how long it takes", quiet=quiet):
        planned, left_out = steps(loaded, checked, terms, tasks, timed=not quiet, wishes=wishes)
    if not quiet:
        print(outlook(planned), file=sys.stderr)
    runs, failed = ask_all(planned, terms)
    return Profile(runs, [*left_out, *failed])
