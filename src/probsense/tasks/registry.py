"""Tasks by name: the entry-point group ``probsense.tasks``, each entry a class called with the options."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from probsense.core import registry
from probsense.core.errors import ProbSenseError
from probsense.core.options import Option, check_options, declared
from probsense.show.words import Words, plain_words
from probsense.tasks.base import Task, words_of

GROUP = "probsense.tasks"


def task_names() -> list[str]:
    """List the names of the installed tasks."""
    return list(registry.entries(GROUP))


def task_type(name: str) -> Callable[..., Task]:
    """Find the class of an installed task.

    Raises
    ------
    InputError
        If no task has that name; the message proposes the nearest one.
    ProbSenseError
        If its code cannot be imported.
    """
    found: Callable[..., Task] = registry.find(GROUP, "task", name)
    return found


def task_module(name: str) -> str | None:
    """Return the name of the module that holds an installed task, without importing it; None if there is none."""
    entry = registry.entries(GROUP).get(name)
    return None if entry is None else entry.module


def task_options(name: str) -> dict[str, Option]:
    """Read the options that a task declares."""
    return declared(task_type(name))


def task_types() -> dict[str, Callable[..., Task]]:
    """Find the classes of all installed tasks, by their names.

    A task whose code cannot be imported is left out: the others work without it, and who names it is told why.
    """
    found = {}
    for name in task_names():
        with suppress(ProbSenseError):
            found[name] = task_type(name)
    return found


def tasks_with(protocol: Any) -> dict[str, Any]:
    """Find the installed tasks that satisfy a further protocol of :mod:`probsense.tasks.base`, by their names."""
    return {name: found for name, found in task_types().items() if isinstance(found, protocol)}


def words_named(name: str) -> Words:
    """Return the words of a task by its name; plain ones if no such task is installed, as for other programs' tasks."""
    return words_of(task_type(name), name) if name in task_names() else plain_words(name)


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
    found = task_type(name)
    check_options(f"task {name!r}", declared(found), options)
    return found(**options)
