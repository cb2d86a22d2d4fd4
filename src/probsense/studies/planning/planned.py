"""Plans of studies, from assumptions and from pilots: ``ps.plan``."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from probsense.core.errors import InputError
from probsense.core.options import check_options, declared
from probsense.runs.ask.progress import show_progress
from probsense.runs.run import Run
from probsense.runs.store.find import Given, given_runs
from probsense.studies.planning.chains import WithChains, numbers_of_chains, why_not_weighed, with_chains
from probsense.studies.planning.goals import MODELS, POWER
from probsense.studies.planning.plan import Plan, make_plan
from probsense.studies.planning.simulated import STUDIES
from probsense.tasks.base import Plans
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
    runs = [] if pilot is None else _pilots(task, pilot, store)
    planned = found.plan(**options, pilot=[run.answered for run in runs])
    chains = [] if width is None else numbers_of_chains(runs)
    with show_progress(f"plan {task}, by simulation", quiet=quiet, unit="size") as progress:
        made = make_plan(
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
        of_chains = []
        for number in chains:
            with suppress(InputError):  # No size does it with so few.
                fewer = found.plan(**options, pilot=[with_chains(run, number) for run in runs])
                sized = make_plan(task, fewer, width=width, studies=studies, seed=seed)
                of_chains.append(_with_chains(number, sized))
    if not of_chains and (said := why_not_weighed(runs, width=width is not None)):
        return replace(made, planned=replace(made.planned, notes=(*made.planned.notes, said)))
    return replace(made, chains=of_chains)


def _with_chains(number: int, made: Plan) -> WithChains:
    """Read the size of the first way to lay a study out."""
    first = made.found[0]
    size = first.for_width or 0
    counts = next(one.counts for one in first.points if one.size == size)
    return WithChains(number, made.planned.value, first.unit, size, counts.get("questions", size))


def _pilots(task: str, pilot: Given, store: Path | str) -> Sequence[Run]:
    runs, _ = given_runs(pilot, store)
    for run in runs:
        if run.record.task != task:
            raise InputError(
                f"the pilot {run.record.label} is a run of {run.record.task}", expected=f"runs of {task}"
            )
    return runs
