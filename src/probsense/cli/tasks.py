"""Makes the tasks of a command, with the options that its words give them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from probsense.cli.declared import Given

if TYPE_CHECKING:
    from probsense.tasks.base import Task


def make_tasks(names: Sequence[str], given: Given, *, limit: int | None, seed: int) -> list[Task]:
    """Make each task once; options that were not given keep the task's own defaults.

    Parameters
    ----------
    names : sequence of str
    given : Mapping
        Options by task.
    limit : int or None
    seed : int

    Raises
    ------
    InputError
        For an unknown task, and whatever a task refuses.
    """
    from probsense.tasks.registry import load_task, task_options

    tasks = []
    for name in dict.fromkeys(names):
        common = {"limit": limit} if limit is not None else {}
        takes = task_options(name)
        common |= {"seed": seed} if "seed" in takes else {}
        tasks.append(load_task(name, **{**given.get(name, {}), **common}))
    return tasks
