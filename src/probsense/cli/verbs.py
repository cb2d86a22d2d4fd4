"""Makes the commands that tasks bring along: ``probsense VERB TASK``."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Annotated, Any, Final

import typer

from probsense.cli.common import JsonFlag, Quiet, print_json
from probsense.cli.declared import Declaring, Owner, positional
from probsense.cli.owners import of_task_function
from probsense.core.errors import InputError

KNOWN: Final = {
    "generate": "Generate new test and training sets.",
    "audit": "Recompute the gold labels of a set with an independent solver.",
}
"""Verbs that the help of ``probsense`` shows without importing a task; tasks may have others."""
PROGRESS: Final = "progress"
"""Name of the parameter by which a verb reports its progress."""


def find_verb(task: Any, verb: str) -> Callable[..., object] | None:
    """Find a verb that a task brings along."""
    found: Callable[..., object] | None = getattr(task, "verbs", {}).get(verb)
    return found


def first_line(function: Callable[..., object]) -> str:
    """Return the first line of a verb's docstring, which the help of its command shows."""
    return (inspect.getdoc(function) or "").partition("\n")[0]


def verb_command(verb: str, about: str) -> tuple[type[Declaring], Callable[..., None]]:
    """Make the class and the function of the command for a verb.

    Parameters
    ----------
    verb : str
    about : str
        What its help says that it does.
    """

    def command(
        context: typer.Context,
        words: Annotated[
            list[str],
            typer.Argument(
                help="A task and, if the verb needs one, a folder. After the name of a task, --help shows its options.",
                metavar="TASK [FOLDER]",
            ),
        ],
        json: JsonFlag = False,
        quiet: Quiet = False,
    ) -> None:
        from probsense.core.options import declared
        from probsense.runs.ask.progress import show_progress
        from probsense.tasks.base import HasVerbs
        from probsense.tasks.registry import task_type, tasks_with

        name, usage = words[0], f"{verb} {words[0]}"
        function = find_verb(task_type(name), verb)
        if function is None:
            able = [task for task, brings in tasks_with(HasVerbs).items() if verb in brings.verbs]
            raise InputError(f"{name} has no verb {verb!r}", expected=" or ".join(able))
        owner = Owner(name, declared(function, skip=(PROGRESS,)))
        given = positional(owner, words[1:], context.obj.get(name, {}), usage)
        if PROGRESS in declared(function):
            with show_progress(usage, quiet=quiet) as progress:
                found = function(**given, progress=progress)
        else:
            found = function(**given)
        if json:
            print_json(found.to_json())  # type: ignore[attr-defined]
        elif not quiet:
            print(found)

    command.__doc__ = about
    return of_task_function(lambda task: find_verb(task, verb), (PROGRESS,)), command
