"""Tasks by name: the entry-point group ``probsense.tasks``, and the Python files that the user names."""

from __future__ import annotations

import sys
from contextlib import suppress
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from probsense.core import registry
from probsense.core.errors import InputError, ProbSenseError
from probsense.core.files.cache import keep_json, kept_json
from probsense.core.options import Option, check_options, declared
from probsense.core.records import digest
from probsense.tasks.base import Task, words_of

if TYPE_CHECKING:
    from probsense.show.words import Words

GROUP: Final = "probsense.tasks"
NAMED: Final = "tasks.json"
"""The file in the cache with the Python files that the user has named, by the names of their tasks. No code of another
file runs, whatever a store or a study says."""


def task_names() -> list[str]:
    """List the names of the installed tasks."""
    return list(registry.entries(GROUP))


def is_file(name: str) -> bool:
    """Whether a task is given by its Python file."""
    return name.endswith(".py")


def named_in_data(name: str) -> str:
    """Return the name of a task that a store, a log or an export names; refuse a file, whose code nobody named."""
    if is_file(str(name)):
        raise InputError(f"data that name the file {name} as their task", expected="the name of a task")
    return name


def task_type(name: str) -> type[Task]:
    """Find the class of a task, installed or in a Python file.

    Parameters
    ----------
    name : str
        The name of an installed task, the path of a Python file, or the name of a task whose file was named before.

    Raises
    ------
    InputError
        If no task has that name; the message proposes the nearest one. If a file is no Python file with one task.
    ProbSenseError
        If its code cannot be imported.
    """
    if is_file(name):
        found = _task_in(Path(name).resolve())
        keep_json(NAMED, {**_named(), found.name: str(found.file)})
        return found
    if name not in registry.entries(GROUP) and name in (named := _named()):
        return _task_in(Path(named[name]))
    task: type[Task] = registry.find(GROUP, "task", name)
    return task


def _named() -> dict[str, str]:
    return kept_json(NAMED) or {}


@cache
def _task_in(path: Path) -> type[Task]:
    """Run a Python file, and return the one task that it defines."""
    if not path.is_file():
        raise InputError("no such file", path=path, expected="a Python file with a task")
    name = f"probsense_task_{digest(str(path))}"
    spec = spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        found = f"{type(error).__name__}: {error}"
        raise InputError(found, path=path, expected="Python code that runs") from error
    classes = (one for one in vars(module).values() if isinstance(one, type) and one.__module__ == name)
    tasks = [one for one in classes if issubclass(one, Task)]
    if len(tasks) != 1:
        names = ", ".join(one.__name__ for one in tasks) or "no task"
        raise InputError(f"defines {names}", path=path, expected="one subclass of probsense.Task")
    [task] = tasks
    if task.name in registry.entries(GROUP):
        taken = f"calls its task {task.name!r}, as an installed one"
        raise InputError(taken, path=path, expected="another name")
    task.file = path
    return task


def task_module(name: str) -> str | None:
    """Return the name of the module that holds an installed task, without importing it; None if there is none."""
    entry = registry.entries(GROUP).get(name)
    return None if entry is None else entry.module


def task_options(name: str) -> dict[str, Option]:
    """Read the options that a task declares."""
    return declared(task_type(name))


def task_types(*, named: bool = False) -> dict[str, type[Task]]:
    """Find the classes of all installed tasks, by their names, and if wanted those of files that the user has named.

    A task whose code cannot be imported is left out: the others work without it, and who names it is told why.
    """
    found = {}
    for name in (*task_names(), *(_named() if named else ())):
        with suppress(ProbSenseError):
            found[name] = task_type(name)
    return found


def tasks_with(name: str) -> dict[str, Any]:
    """Find the installed tasks that bring something of :class:`~probsense.tasks.base.Task` of their own."""
    return {task: found for task, found in task_types().items() if found.brings(name)}


def words_named(name: str) -> Words:
    """Return the words of a task by its name; plain ones for what is no task here, such as other programs' tasks."""
    from probsense.show.words import plain_words

    known = name in task_names() or name in _named()
    return words_of(task_type(name)) if known else plain_words(name)


def load_task(name: str, **options: Any) -> Task:
    """Make a task.

    Parameters
    ----------
    name : str
        Such as "worldsense", or the path of a Python file.
    **options
        What the task takes; and ``conditions``, under which every question is asked.

    Raises
    ------
    InputError
        For an unknown name or option.
    """
    from probsense.tasks.conditions.crossed import CONDITIONS, LEVELS, under

    found = task_type(name)
    conditions, levels = (options.pop(key, None) for key in (CONDITIONS, LEVELS))
    check_options(f"task {name!r}", declared(found), options)
    return under(found(**options), conditions, kept=levels)
