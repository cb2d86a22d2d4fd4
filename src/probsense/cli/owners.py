"""Finds the tasks, the model and the readers whose options a command takes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

from probsense.cli.declared import Declaring, Given, Named, Owner
from probsense.core.errors import InputError
from probsense.core.options import declared
from probsense.models.base import Model

if TYPE_CHECKING:
    from probsense.models.ray.pooled import Workers

COMMON: Final = ("limit", "seed")
"""Options of tasks that every command defines itself."""


def task_owners(named: Named) -> list[Owner]:
    """List the tasks that are named, with all their options except the common ones."""
    from probsense.tasks.registry import task_names, task_type

    known = task_names()
    names = [word for word in dict.fromkeys(named.words) if word in known]
    if not names:
        _check_task(named.first)
    return [Owner(name, declared(task_type(name), skip=COMMON)) for name in names]


def _check_task(name: str | None) -> None:
    """Refuse a word that stands where a task should, before its options are said to be unknown."""
    from probsense.tasks.registry import task_type

    if name is not None:
        task_type(name)


def all_tasks() -> list[Owner]:
    """List all installed tasks."""
    from probsense.tasks.registry import task_types

    return task_owners(Named([*task_types()]))


def all_models() -> list[Owner]:
    """List all kinds of models."""
    from probsense.models.registry import model_schemes

    return [owner for scheme in model_schemes() for owner in model_owners(f"{scheme}:")]


def model_owners(spec: str | None) -> list[Owner]:
    """Return the model that a specification names, with the options of its kind; nothing if there is no such kind."""
    from probsense.models.registry import model_options, model_schemes

    scheme, colon, _ = (spec or "").partition(":")
    return [Owner(scheme, model_options(scheme))] if colon and scheme in model_schemes() else []


def _owners_of(specs: Iterable[str]) -> list[Owner]:
    """List each kind of model that specifications name once; models of one kind share their options."""
    return [*{owner.name: owner for spec in specs for owner in model_owners(spec)}.values()]


class OfTasksAndModels(Declaring):
    """Take the options of the tasks and, with ``--model``, of the models that a command names."""

    @staticmethod
    def owners(named: Named) -> list[Owner]:
        """List the tasks and the models."""
        return [*task_owners(named), *_owners_of(named.models)]

    @staticmethod
    def everyone() -> list[Owner]:
        """List all tasks and kinds of models."""
        return [*all_tasks(), *all_models()]

    @staticmethod
    def tasks() -> list[str]:
        """List all tasks."""
        from probsense.tasks.registry import task_names

        return task_names()


class OfTasksAndModel(OfTasksAndModels):
    """Take the options of the tasks and of the one model that a command names."""

    @staticmethod
    def owners(named: Named) -> list[Owner]:
        """List the tasks and the model."""
        _check_one_model(named)
        return OfTasksAndModels.owners(named)


def _check_one_model(named: Named) -> None:
    if len(named.models) > 1:
        raise InputError(f"several models: {', '.join(named.models)}", expected="one of them")


class OfModel(Declaring):
    """Take the options of the model that a command names with ``--model`` or as an argument."""

    @staticmethod
    def owners(named: Named) -> list[Owner]:
        """Return the model."""
        _check_one_model(named)
        argument = next((word for word in named.words if ":" in word), None)
        return model_owners(next(iter(named.models), argument))

    everyone = staticmethod(all_models)


class OfModels(Declaring):
    """Take the options of all models that the arguments of a command name."""

    @staticmethod
    def owners(named: Named) -> list[Owner]:
        """List each kind of model once."""
        return _owners_of(named.words)

    everyone = staticmethod(all_models)


def all_readers() -> list[Owner]:
    """List all readers of results."""
    from probsense.interop.sources import reader_types

    return [Owner(name, declared(make)) for name, make in reader_types().items()]


class OfReaders(Declaring):
    """Take the options of readers, for a command that reads results in any known format."""

    @staticmethod
    def owners(named: Named) -> list[Owner]:
        """List all readers, since only the content of a file tells which one reads it."""
        return all_readers()

    everyone = staticmethod(all_readers)


def of_task_function(
    find: Callable[[Any], Callable[..., Any] | None], common: Collection[str]
) -> type[Declaring]:
    """Make the class of a command that calls a function of the task that it names.

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

    class OfTaskFunction(Declaring):
        """Take the options that a function of the named task declares."""

        @staticmethod
        def owners(named: Named) -> list[Owner]:
            """Return the task with the options of the function."""
            from probsense.tasks.registry import task_names

            known = task_names()
            name = next((word for word in named.words if word in known), None)
            if name is None:
                _check_task(named.first)
            return found([] if name is None else [name])

        @staticmethod
        def everyone() -> list[Owner]:
            """List all tasks that have the function."""
            from probsense.tasks.registry import task_types

            return found(task_types())

        @classmethod
        def tasks(cls) -> list[str]:
            """List all tasks that have the function."""
            return [owner.name for owner in cls.everyone()]

    return OfTaskFunction


def load(spec: str, given: Given, *, quiet: bool = False, workers: Workers | None = None) -> Model:
    """Load the model of a command, in workers if there are some, with the options that were given; say so if slow."""
    from probsense.models.registry import load_model
    from probsense.runs.ask.progress import show_waiting

    with show_waiting(f"getting {spec} ready", quiet=quiet):
        options = options_of(spec, given)
        if workers is None:
            return load_model(spec, **options)
        from probsense.models.ray.pooled import pooled

        return pooled(workers, spec, **options)


def options_of(spec: str, given: Given) -> Mapping[str, Any]:
    """Return the options that a command gives the model of a specification."""
    return given.get(spec.partition(":")[0], {})
