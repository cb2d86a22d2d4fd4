"""The directive ``{commands}``: what every command takes, from the commands, tasks, models and readers themselves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, get_args, get_type_hints

import typer.main
from pages import Page, code, escaped, table

from probsense.cli import app
from probsense.cli.declared_options import Owner, metavar
from probsense.cli.owners import (
    MODEL,
    MODELS,
    READERS,
    TASKS_AND_MODEL,
    TASKS_AND_MODELS,
    all_models,
    all_readers,
    all_tasks,
)
from probsense.core.options import REQUIRED, Option
from probsense.tasks.registry import tasks_with

HEAD = ("name", "meaning", "default")
"""The head of every table of arguments and options."""

SECTIONS = {
    "Options of tasks": (
        "Commands that name tasks take the options of these tasks. Where two tasks mean different things by one flag, "
        "put the task's name before it: `--TASK.FLAG`. This long form always works.",
        all_tasks,
    ),
    "Options of models": (
        "Commands that name a model take the options of its kind, which is the word before the colon.",
        all_models,
    ),
    "Options of readers": (
        "A command that compares results recognises each file by its content. These options go to the reader of that "
        "format.",
        all_readers,
    ),
}
"""Sections for options that several commands share, and who declares them."""

SHARED = {
    TASKS_AND_MODELS: ("Options of tasks", "Options of models"),
    TASKS_AND_MODEL: ("Options of tasks", "Options of models"),
    MODEL: ("Options of models",),
    MODELS: ("Options of models",),
    READERS: ("Options of readers",),
}
"""The sections from which commands take options, by who owns these."""


class Commands(Page):
    """List each command with its purpose, arguments and options, then the options that commands share."""

    def lines(self) -> Iterator[str]:
        """Write the list in Markdown."""
        yield from _described(typer.main.get_command(app), "probsense")
        for title, (words, owners) in SECTIONS.items():
            yield from (f"## {title}", "", words, "")
            for owner in owners():
                yield from (f"### {owner.name}", "", *_declared(owner))


def _described(command: Any, name: str) -> Iterator[str]:
    """Describe a command, or those of a group."""
    for verb, own in _commands(command).items():
        yield from _described(own, f"{name} {verb}")
    if hasattr(command, "commands"):
        return
    yield from (f"## {name}", "", escaped((command.help or "").replace("\n", " ")), "")
    types = get_type_hints(command.callback)
    yield from table(
        HEAD,
        [
            (
                _name(one, types.get(one.name)),
                escaped(getattr(one, "help", None) or ""),
                _shown(REQUIRED if one.required else one.default),
            )
            for one in command.params
            if one.name != "help"
        ],
    )
    owners = getattr(command, "owners", None)
    shared = SHARED.get(owners)
    if shared:
        links = " and ".join(f"[{title[0].lower()}{title[1:]}](#{_anchor(title)})" for title in shared)
        yield from (f"It also takes {links}.", "")
    elif owners is not None:
        for owner in owners.everyone():
            yield from (f"### {name} {owner.name}", "", *_declared(owner, arguments=True))


def _commands(group: Any) -> Mapping[str, Any]:
    """Return the commands of a group; to those of the whole program belong the verbs of all tasks."""
    found = dict(getattr(group, "commands", {}))
    if getattr(group, "name", None) == app.info.name:
        verbs = [verb for task in tasks_with("verbs").values() for verb in task.verbs]
        found |= {verb: group.get_command(None, verb) for verb in verbs if verb not in found}
    return found


def _declared(owner: Owner, *, arguments: bool = False) -> Iterator[str]:
    """Describe the options that a task, a model or a reader declares."""
    rows = [
        (_flag(option, arguments), escaped(option.help), _shown(option.default))
        for option in owner.options.values()
    ]
    yield from table(HEAD, rows) if rows else ("It has no options.", "")


def _flag(option: Option, arguments: bool) -> str:
    flag = option.flag
    if option.kind is bool and option.default is not False:
        flag += f"/--no-{flag[2:]}"
    flag = code(f"{flag} {metavar(option)}".strip())
    return f"{code(option.name.upper())} or {flag}" if arguments and option.positional else flag


def _name(parameter: Any, kind: Any) -> str:
    if parameter.param_type_name == "argument":
        return code(parameter.metavar or parameter.name.upper())
    named = next((name for type_, name in _VALUES.items() if type_ in (kind, *_parts(kind))), "")
    value = "" if named == "" else f" {parameter.metavar or named}"
    return code("/".join((*parameter.opts, *parameter.secondary_opts)) + value)


_VALUES = {int: "<int>", float: "<float>", Path: "<path>", str: "<str>"}


def _parts(kind: Any) -> set[Any]:
    """Return the types of which a type is made."""
    own = get_args(kind)
    return {*own, *(part for one in own for part in _parts(one))}


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


def _anchor(title: str) -> str:
    return title.lower().replace(" ", "-")


def setup(app: Any) -> dict[str, bool]:
    """Add the directive to Sphinx."""
    app.add_directive("commands", Commands)
    return {"parallel_read_safe": True}
