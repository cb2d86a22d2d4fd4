"""Plans of studies, from assumptions and from pilots: ``ps.plan``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from probsense.core.errors import InputError
from probsense.core.options import check_options, declared
from probsense.runs.ask.progress import show_progress
from probsense.runs.store.find import Given, given_runs
from probsense.studies.planning.plan import MODELS, POWER, Plan, make_plan
from probsense.studies.planning.simulated import STUDIES
from probsense.tasks.base import Answered, Plans
from probsense.tasks.registry import task_type, tasks_with

PILOT: Final = "pilot"
"""The parameter of a task's ``plan`` that is no option: the runs of a pilot."""


def plan(
    task: str,
    *,
    width: float | None = None,
    difference: float | None = None,
    power: float = POWER,
    models: int = MODELS,
    pilot: Given | None = None,
    studies: int = STUDIES,
    seed: int = 0,
    store: Path | str = "probsense.db",
    quiet: bool = False,
    **options: Any,
) -> Plan:
    """Find how large a study must be, by simulating whole studies and measuring them as runs are measured.

    Parameters
    ----------
    task : str
        Name of a task that can plan, such as "worldsense".
    width : float, optional
        Width of the 95 % interval that is wanted, from end to end: .08 is ± 4 points.
    difference : float, optional
        Difference between models that is to be found, such as .05.
    power : float
        Probability of finding it.
    models : int
        How many models are compared at once; tests are adjusted for all pairs of them.
    pilot : Run, Path, str, or a sequence of these, optional
        Runs of the task that tell what can be assumed: themselves, their names or ids in ``store``, or a store.
    studies : int
        How many studies to simulate for the power at each size.
    seed : int
        Seed of all draws.
    store : Path or str
        Where pilots are found by their names and ids.
    quiet : bool
        Show no progress.
    **options
        What the task takes, such as ``accuracy`` or ``raters``.

    Returns
    -------
    Plan

    Raises
    ------
    InputError
        For a task that cannot plan, an unknown option, a pilot of another task, and if no size does what is wanted;
        the message says what the largest size gives.
    """
    found = task_type(task)
    if not isinstance(found, Plans):
        raise InputError(f"{task} cannot plan a study", expected=" or ".join(tasks_with(Plans)))
    check_options(f"plan of {task}", declared(found.plan, skip=(PILOT,)), options)
    planned = found.plan(**options, pilot=[] if pilot is None else _pilots(task, pilot, store))
    with show_progress(f"plan {task}, by simulation", quiet=quiet, unit="size") as progress:
        return make_plan(
            task,
            planned,
            width=width,
            difference=difference,
            power=power,
            models=models,
            studies=studies,
            seed=seed,
            progress=progress,
        )


def _pilots(task: str, pilot: Given, store: Path | str) -> Sequence[Answered]:
    runs, _ = given_runs(pilot, store)
    for run in runs:
        if run.record.task != task:
            raise InputError(
                f"the pilot {run.record.label} is a run of {run.record.task}", expected=f"runs of {task}"
            )
    return [run.answered for run in runs]
