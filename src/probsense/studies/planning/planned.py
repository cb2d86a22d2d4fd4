"""Plans of studies, from assumptions and from pilots: ``ps.plan``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from probsense.core.errors import InputError
from probsense.core.files import writing
from probsense.core.options import check_options, declared
from probsense.core.records import digest
from probsense.runs.ask.progress import show_progress
from probsense.runs.recipes.preregistration import EXCLUDED, SCHEMA
from probsense.runs.run import Run
from probsense.runs.store.find import Given, given_runs
from probsense.studies.planning.chains import WithChains, numbers_of_chains, why_not_weighed, with_chains
from probsense.studies.planning.goals import MODELS, POWER, unit_of_difference
from probsense.studies.planning.plan import Plan, laid_out, make_plan
from probsense.studies.planning.simulated import STUDIES
from probsense.tasks.base import Plans
from probsense.tasks.registry import load_task, task_type, tasks_with, words_named

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
    out: Path | str | None = None,
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
    out : Path or str, optional
        Also write the plan to this file, which fixes the study before its data.
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
        For a task that cannot plan, an unknown option, a pilot of another task, several ways to lay out a study that is
        to be fixed, and if no size does what is wanted; the message says what the largest size gives.
    """
    found = task_type(task)
    if not isinstance(found, Plans):
        raise InputError(f"{task} cannot plan a study", expected=" or ".join(tasks_with(Plans)))
    check_options(f"plan of {task}", declared(found.plan, skip=(PILOT,)), options)
    runs = [] if pilot is None else _pilots(task, pilot, store)
    planned = found.plan(**options, pilot=[run.answered for run in runs])
    if out is not None and len(planned.settings) > 1:
        ways = " or ".join(f"“{laid_out(given)}”" for given, _ in planned.settings)
        raise InputError(
            f"a plan with several ways to lay the study out: {ways}", expected="options that leave one"
        )
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
        made = replace(made, planned=replace(made.planned, notes=(*made.planned.notes, said)))
    made = replace(made, chains=of_chains)
    if out is not None:
        write_plan(Path(out), made)
    return made


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


HEAD: Final = """\
# Fixes a study before its data. Write down hypotheses, exclusions and the options of the run; then leave it as it is.
# probsense run {task} --plan {path} --limit {items} --model MODEL
# prints what was planned and what was not; probsense plan show {path} prints the preregistration.
"""
PEOPLE: Final = ("rater", "person")
"""Units of studies whose items are fixed."""


def write_plan(path: Path, made: Plan) -> None:
    """Write a plan to a file that fixes a study before its data.

    Parameters
    ----------
    path : Path
        YAML, which :func:`~probsense.runs.recipes.preregistration.read_plan` reads.
    made : Plan
        With one way to lay the study out.
    """
    import yaml

    content = _content(made)
    text = yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=100)
    head = HEAD.format(task=made.task, path=path, items=content["sample"]["items"])
    with writing(path) as stream:
        stream.write(f"{head}{text}".encode())


def _content(made: Plan) -> dict[str, Any]:
    found, measure = made.found[0], made.planned.measure
    size = max(one for one in (found.for_width, found.for_difference) if one is not None)
    counts = next(point.counts for point in found.points if point.size == size)
    items = next(iter(found.given.values())) if found.unit in PEOPLE else counts.get("questions", size)
    measures = [measure] if made.planned.compared is None else [measure, made.planned.compared]
    known = words_named(made.task).measures
    compared = []
    if made.difference is not None:
        last = measures[-1]
        compared.append(
            f"{last.title}: every pair of {made.models} models, two-sided, at the level of 5 %, adjusted by Holm’s"
            f" method; a difference of {last.number(made.difference)}{unit_of_difference(last)} is found with"
            f" {100 * made.power:g} % power"
        )
    content: dict[str, Any] = {
        "schema": SCHEMA,
        "task": made.task,
        "hypotheses": [],
        "measures": [name for one in measures for name, own in known.items() if own == one],
        "comparisons": compared,
        "sample": {"items": items, "rationale": str(made)},
        "exclusions": [EXCLUDED],
        "options": {name: value for name, value in load_task(made.task).options.items() if name != "limit"},
        "power": {
            **{
                name: getattr(made, name)
                for name in ("width", "difference", "power", "models", "studies", "seed")
            },
            "assumed": dict(made.planned.assumed),
        },
    }
    content = json.loads(json.dumps(content))  # YAML has no tuples.
    return {"schema": SCHEMA, "id": digest(content)[:8], **content}
