"""The directive ``{commands}``: what every verb of the command takes, from the command itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args, get_type_hints

import typer.main
from docutils import nodes
from docutils.parsers.rst import Directive
from docutils.statemachine import StringList

from probsense.cli import app


class Commands(Directive):
    """Each verb with its purpose, arguments and options."""

    def run(self) -> list[nodes.Node]:
        text = StringList(list(_described(typer.main.get_command(app), "probsense")))
        found = nodes.Element()
        self.state.nested_parse(text, self.content_offset, found, match_titles=True)
        return found.children


def _described(command: Any, name: str) -> Iterator[str]:
    """Markdown about a command, or about those of a group."""
    for verb, own in getattr(command, "commands", {}).items():
        yield from _described(own, f"{name} {verb}")
    if hasattr(command, "commands"):
        return
    yield from (f"## {name}", "", _escaped((command.help or "").replace("\n", " ")), "")
    types = get_type_hints(command.callback)
    rows = [
        (_name(one, types.get(one.name)), _escaped(getattr(one, "help", None) or ""), _default(one))
        for one in command.params
        if one.name != "help"
    ]
    if rows:
        yield from ("| | | default |", "|---|---|---|", *(f"| {' | '.join(row)} |" for row in rows), "")


def _name(parameter: Any, kind: Any) -> str:
    if parameter.param_type_name == "argument":
        return _code(parameter.metavar or parameter.name.upper())
    named = next((name for type_, name in _VALUES.items() if type_ in (kind, *_parts(kind))), "")
    value = "" if named == "" else f" {parameter.metavar or named}"
    return _code("/".join((*parameter.opts, *parameter.secondary_opts)) + value)


_VALUES = {int: "N", float: "X", Path: "PATH", str: "TEXT"}


def _parts(kind: Any) -> set[Any]:
    """The types of which a type is made."""
    own = get_args(kind)
    return {*own, *(part for one in own for part in _parts(one))}


def _code(text: str) -> str:
    return f"`{text}`".replace("|", r"\|")


def _default(parameter: Any) -> str:
    value = parameter.default
    return f"`{value}`" if isinstance(value, int | float | str) and value not in (False, True, "") else ""


def _escaped(text: str) -> str:
    plain = "".join(f"\\{char}" if char in "|*_<[`" else char for char in text)
    return re.sub(r"--[a-z-]+", r"`\g<0>`", plain)


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx."""
    app.add_directive("commands", Commands)
    return {"parallel_read_safe": True}
