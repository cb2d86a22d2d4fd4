"""The directive ``{commands}``: what every command takes, from the commands, tasks, models and readers themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import typer.main
from pages import Page, code, escaped, table

from probsense.cli import app
from probsense.cli.task_commands import TaskGroup
from probsense.core.options import REQUIRED, Option, declared
from probsense.models.registry import model_options, model_schemes
from probsense.tasks.registry import task_options, task_type, tasks_with

HEAD = ("name", "meaning", "default")
"""The head of every table of arguments and options."""
TASKS, MODELS = "Options of tasks", "Options of models"
"""The sections for options that several commands share."""


class Commands(Page):
    """List each command with its purpose, arguments and options, then the options that commands share."""

    def lines(self) -> Iterator[str]:
        """Write the list in Markdown."""
        yield from _described(typer.main.get_command(app), "probsense")
        yield from (f"## {TASKS}", "", "Commands that ask the questions of a task take its options.", "")
        for name in tasks_with("items"):
            options = [one for key, one in task_options(name).items() if key not in ("limit", "seed")]
            yield from (f"### {name}", "", *_declared(options, _flag))
        yield from (
            f"## {MODELS}",
            "",
            "`-M KEY=VALUE` gives an option of the model; it may be repeated.",
            "",
        )
        for scheme in model_schemes():
            known = model_options(scheme).values()
            yield from (f"### {scheme}", "", *_declared(known, lambda one: code(f"{one.name}={one.metavar}")))


def _described(command: Any, name: str) -> Iterator[str]:
    """Describe a command, or those of a group."""
    if isinstance(command, TaskGroup):
        yield from _of_tasks(command, name)
        return
    for verb, own in _commands(command).items():
        yield from _described(own, f"{name} {verb}")
    if hasattr(command, "commands"):
        return
    yield from (f"## {name}", "", escaped((command.help or "").replace("\n\n", " ").replace("\n", " ")), "")
    yield from _parameters(command.params)
    if any(one.name == "model_options" for one in command.params):
        yield from (f"{code('-M')} takes the [options of models](#options-of-models).", "")


def _of_tasks(group: TaskGroup, name: str) -> Iterator[str]:
    """Describe a command that has a sub-command for each task."""
    made_by = group.made_by
    tasks = made_by.tasks()
    declarations = {task: declared(made_by.taker(task_type(task)), skip=made_by.skip) for task in tasks}  # type: ignore[arg-type]
    first = group.get_command(None, tasks[0])
    yield from (
        f"## {name} TASK",
        "",
        escaped((first.help or group.help or "").replace("\n\n", " ").replace("\n", " ")),
        "",
    )
    yield from _parameters(one for one in first.params if one.name not in declarations[tasks[0]])
    if not made_by.arguments:
        yield from (
            "It also takes the [options of tasks](#options-of-tasks) and [of models](#options-of-models).",
            "",
        )
        return
    for task, options in declarations.items():
        yield from (f"### {name} {task}", "", *_declared(options.values(), _argument))


def _parameters(params: Iterable[Any]) -> Iterator[str]:
    rows = [
        (
            _name(one),
            escaped(getattr(one, "help", None) or ""),
            _shown(REQUIRED if one.required else one.default),
        )
        for one in params
        if one.name != "help"
    ]
    yield from table(HEAD, rows)


def _commands(group: Any) -> Mapping[str, Any]:
    """Return the commands of a group; to those of the whole program belong the verbs of all tasks."""
    names = group.list_commands(None) if hasattr(group, "commands") else []
    if getattr(group, "name", None) == app.info.name:
        names = [*names, *(verb for task in tasks_with("verbs").values() for verb in task.verbs)]
    return {name: group.get_command(None, name) for name in dict.fromkeys(names)}


def _declared(options: Iterable[Option], named: Callable[[Option], str]) -> Iterator[str]:
    """Describe the options that a task or a model declares."""
    rows = [(named(option), escaped(option.help), _shown(option.default)) for option in options]
    yield from table(HEAD, rows) if rows else ("It has no options.", "")


def _flag(option: Option) -> str:
    flag = option.flag
    if option.kind is bool:
        return code(flag if option.default is False else f"{flag}/--no-{flag[2:]}")
    return code(f"{flag} {option.metavar}")


def _argument(option: Option) -> str:
    return code(option.name.upper()) if option.positional else _flag(option)


def _name(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        return code(parameter.metavar or parameter.name.upper())
    flags = "/".join((*parameter.opts, *parameter.secondary_opts))
    return code(
        flags if parameter.is_flag else f"{flags} {parameter.metavar or parameter.display_type(None)}"
    )


def _shown(value: Any) -> str:
    """Show a default; nothing for one that says nothing."""
    if value is REQUIRED:
        return "required"
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float | str | Path | Sequence)
        or value in ("", (), [])
    ):
        return ""
    return code(",".join(map(str, value)) if isinstance(value, list | tuple) else str(value))


def setup(app: Any) -> dict[str, bool]:
    """Add the directive to Sphinx."""
    app.add_directive("commands", Commands)
    return {"parallel_read_safe": True}
