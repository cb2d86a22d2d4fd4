"""What a task understood of a file, for ``probsense data check``."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Generic, NamedTuple, TypeVar

from probsense.core.records import Item, Json, ScoreRequest
from probsense.tasks.results import Note, voiding

if TYPE_CHECKING:
    from probsense.tasks.base import Task

Found = TypeVar("Found")

SHOWN: Final = 3
"""How many rows or questions are shown."""


@dataclass(frozen=True)
class Understood:
    """What a task understood of a file.

    Attributes
    ----------
    summary : str
        What the file holds, in a line.
    counts : Mapping of str to JSON
        The same as figures, and further ones.
    read : str
        How the file was read.
    shown : sequence of (str, str)
        Some rows or questions as the task sees them: a name and a text.
    command : sequence of str
        The words of the command to go on with.
    dropped, notes, warnings : sequence of str
        What counts for nothing, and what a run would say.
    more : sequence of str
        Further lines about what the file holds.
    """

    summary: str
    counts: Mapping[str, Json]
    read: str
    shown: Sequence[tuple[str, str]]
    command: Sequence[str]
    dropped: Sequence[str] = ()
    notes: Sequence[str] = ()
    warnings: Sequence[str] = ()
    more: Sequence[str] = ()

    def to_json(self) -> dict[str, Json]:
        """Return all of it as a JSON document."""
        return {
            "schema": 1,
            **self.counts,
            "read": self.read,
            "dropped": [*self.dropped],
            "notes": [*self.notes],
            "warnings": [*self.warnings],
            "shown": [{"item": name, "text": text} for name, text in self.shown],
            "command": shlex.join(self.command),
        }

    def __str__(self) -> str:
        said = [
            self.summary,
            f"read as {self.read}",
            *(f"left out: {what}" for what in self.dropped),
            *(f"note: {note}" for note in self.notes),
            *(f"warning: {warning}" for warning in self.warnings),
            *self.more,
        ]
        for name, text in self.shown:
            said += ["", f"── {name} ──", text]
        return "\n".join([*said, "", f"go on with: {shlex.join(self.command)}"])


class Read(NamedTuple, Generic[Found]):
    """What a file was understood to be.

    Attributes
    ----------
    found : object
        What it holds, in the form that the task needs.
    said : str
        How it was read.
    dropped : sequence of str
        What of it counts for nothing.
    usual : bool
        Whether the file is of the usual form, so that a run need not tell how it was read.
    """

    found: Found
    said: str
    dropped: Sequence[str] = ()
    usual: bool = False

    @property
    def frame(self) -> Found:
        """The same, where that is a table."""
        return self.found

    def notes(self, path: Path) -> list[Note]:
        """Tell how a file was read, unless it is of the usual form, and what of it counts for nothing."""
        left = f"; left out: {'; '.join(self.dropped)}" if self.dropped else ""
        return [] if self.usual and not left else [voiding(f"{path} is read as {self.said}{left}")]


def items_understood(
    items: Sequence[Item], summary: str, read: str, text: str, command: Sequence[str]
) -> Understood:
    """Tell of items with options, whose texts stand under a key of their data (none for "")."""
    shown = []
    for one in items[:SHOWN]:
        lines = [one.data[text]] if text else []
        shown.append((one.id, "\n".join([*lines, *(f"- {option}" for option in one.data["options"])])))
    return Understood(summary, {"items": len(items)}, read, shown, command)


def prompt_of(task: Task, item: Item) -> str:
    """Show what a model sees of an item: what stands before the prompt in brackets, and the prompt."""
    request: Any = task.requests(item, task.methods[0], {})[0]
    prompt = request.prefix if isinstance(request, ScoreRequest) else request.prompt
    return f"[{request.system}]\n{prompt}" if request.system else str(prompt)


def run_command(task: str, **options: object) -> list[str]:
    """Return the words of the command that runs a task with the small model of the package.

    Parameters
    ----------
    task : str
    **options
        Those that were given, by name: a value, or several; those without a value are left out.
    """
    words = ["probsense", "run", task, "--model", "builtin:tiny"]
    for name, value in options.items():
        several = [*value] if isinstance(value, list | tuple) else [] if value is None else [value]
        words += [word for one in several for word in (f"--{name.replace('_', '-')}", str(one))]
    return words
