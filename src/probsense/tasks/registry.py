"""Tasks by name: the entry-point group ``probsense.tasks``, each entry a factory called with the options."""

from __future__ import annotations

from typing import Any

from probsense import registry
from probsense.tasks.base import Task

GROUP = "probsense.tasks"


def task_names() -> list[str]:
    """The names of the installed tasks."""
    return list(registry.entries(GROUP))


def task_options(name: str) -> tuple[str, ...] | None:
    """The options that a task takes; None where it takes any."""
    return registry.options_taken(registry.find(GROUP, "task", name))


def load_task(name: str, **options: Any) -> Task:
    """Make a task.

    Parameters
    ----------
    name : str
        Such as "worldsense".
    **options
        What the task takes.

    Raises
    ------
    InputError
        For an unknown name or option.
    """
    task: Task = registry.build(registry.find(GROUP, "task", name), f"task {name!r}", (), options)
    return task
