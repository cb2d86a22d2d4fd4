"""Lists the tasks, models and readers whose options a command takes, and makes the tasks and models with them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from probsense.cli.declared_options import Given, Named, Owner, Owners
from probsense.core.errors import InputError
from probsense.core.options import declared

if TYPE_CHECKING:
    from probsense.models.base import Model
    from probsense.tasks.base import Task

COMMON: Final = ("limit", "seed")
"""Options of tasks that every command defines itself."""


def task_owners(named: Named) -> list[Owner]:
    """List the tasks that are named, with all their options except the common ones."""
    from probsense.tasks.registry import task_type

    return [Owner(name, declared(task_type(name), skip=COMMON)) for name in _tasks_in(named)]


def _tasks_in(named: Named) -> list[str]:
    """List the tasks that are named; refuse a word that stands where a task should, before its options are unknown."""
    from probsense.tasks.registry import is_file, task_type

    names = [word for word in dict.fromkeys(named.words) if word in task_names() or is_file(word)]
    if not names and named.first is not None:
        task_type(named.first)
    return names


def task_names() -> list[str]:
    """List all tasks."""
    from probsense.tasks.registry import task_names

    return task_names()


def all_tasks() -> list[Owner]:
    """List all installed tasks that can be imported."""
    from probsense.tasks.registry import task_types

    return task_owners(Named([*task_types()]))


def model_owners(specs: Iterable[str]) -> list[Owner]:
    """List each kind of model that specifications name once, with its options; nothing for kinds that do not exist."""
    from probsense.models.registry import model_options, schemes_in

    schemes = dict.fromkeys(scheme for spec in specs for scheme in schemes_in(spec))
    return [Owner(scheme, model_options(scheme)) for scheme in schemes]


def all_models() -> list[Owner]:
    """List all kinds of models."""
    from probsense.models.registry import model_schemes

    return model_owners(model_schemes())


def all_readers() -> list[Owner]:
    """List all readers of results."""
    from probsense.interop.sources import reader_types

    return [Owner(name, declared(make)) for name, make in reader_types().items()]


def one_model(named: Named) -> Named:
    """Refuse several models."""
    if len(named.models) > 1:
        raise InputError(f"several models: {', '.join(named.models)}", expected="one of them")
    return named


def _tasks_and_models(named: Named) -> list[Owner]:
    return [*task_owners(named), *model_owners(named.models)]


def _model(named: Named) -> list[Owner]:
    return model_owners(one_model(named).models or named.words)[:1]


def _all_tasks_and_models() -> list[Owner]:
    return [*all_tasks(), *all_models()]


TASKS_AND_MODELS: Final = Owners(_tasks_and_models, _all_tasks_and_models, task_names)
"""The tasks and, with ``--model``, the models that a command names."""
TASKS_AND_MODEL: Final = Owners(
    lambda named: _tasks_and_models(one_model(named)), _all_tasks_and_models, task_names
)
"""The tasks and the one model that a command names."""
MODEL: Final = Owners(_model, all_models)
"""The model that a command names with ``--model`` or as an argument."""
MODELS: Final = Owners(
    lambda named: model_owners(word for word in named.words if not word.endswith(".py")), all_models
)
"""All models that the arguments of a command name."""
READERS: Final = Owners(lambda named: all_readers(), all_readers)
"""All readers, for a command that reads results, since only the content of a file tells which one reads it."""


def of_task_function(find: Callable[[Any], Callable[..., Any] | None], common: Collection[str]) -> Owners:
    """Return the owner of a command that calls a function of the task that it names: the task.

    Parameters
    ----------
    find : callable
        Finds the function in the task; None if the task has none.
    common : collection of str
        Parameters that the command provides.
    """

    def found(names: Iterable[str]) -> list[Owner]:
        from probsense.tasks.registry import task_type

        functions = [(name, find(task_type(name))) for name in names]
        return [Owner(name, declared(function, skip=common)) for name, function in functions if function]

    def everyone() -> list[Owner]:
        from probsense.tasks.registry import task_types

        return found(task_types())

    return Owners(
        lambda named: found(_tasks_in(named)[:1]), everyone, lambda: [owner.name for owner in everyone()]
    )


def make_tasks(
    names: Sequence[str],
    given: Given,
    *,
    limit: int | None,
    seed: int,
    conditions: str | None = None,
    most: int | None = None,
) -> list[Task]:
    """Make each task once; options that were not given keep the task's own defaults.

    Parameters
    ----------
    names : sequence of str
    given : Mapping
        Options by task.
    limit : int or None
    seed : int
    conditions, most
        As :func:`~probsense.tasks.conditions.crossed.under` takes them.

    Raises
    ------
    InputError
        For an unknown task, and whatever a task refuses.
    """
    from probsense.tasks.conditions.crossed import under
    from probsense.tasks.registry import load_task, task_options

    tasks = []
    for name in dict.fromkeys(names):
        common = {"limit": limit} if limit is not None else {}
        takes = task_options(name)
        common |= {"seed": seed} if "seed" in takes else {}
        made = load_task(name, **{**given.get(name, {}), **common})
        tasks.append(under(made, conditions, most))
    return tasks


def load(spec: str, given: Given, *, quiet: bool = False) -> Model:
    """Load the model of a command with the options that were given; say so if it is slow."""
    from probsense.models.registry import load_model
    from probsense.runs.ask.progress import show_waiting

    with show_waiting(f"getting {spec} ready", quiet=quiet):
        return load_model(spec, **options_of(spec, given))


def options_of(spec: str, given: Given) -> Mapping[str, Any]:
    """Return the options that a command gives the model of a specification."""
    from probsense.models.registry import schemes_in

    return {name: value for scheme in schemes_in(spec) for name, value in given.get(scheme, {}).items()}
