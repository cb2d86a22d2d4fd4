"""The questions of a block, from the items of a task, which reads its own files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from probsense.collect.study import BlockKind, Question
from probsense.records import Item

ReadItems: TypeAlias = Callable[[str, Mapping[str, Any]], Sequence[Item]]
"""Reads the items of a task: called with the task's name and its options."""

TASKS: Final[Mapping[BlockKind, tuple[str, ...]]] = {
    "statement": ("judgments",),
    "frame": ("frames",),
    "choice": ("winogrande", "suite"),
    "worldsense": ("worldsense",),
}
"""The tasks whose items a kind of blocks asks; the first one unless the block names another."""


def questions_of(kind: BlockKind, items: Sequence[Item]) -> tuple[Question, ...]:
    """Turn the items of a task into questions for people."""
    return tuple(_MAKE[kind](item) for item in items)


def _statement(item: Item) -> Question:
    return Question(str(item.data["statement_id"]), item.data["statement"])


def _frame(item: Item) -> Question:
    data = {name: item.data[name] for name in ("context", "slot", "question")}
    text = "\n\n".join(part for part in (data["context"], data["question"]) if part)
    return Question(item.id, text, data=data)


def _choice(item: Item) -> Question:
    """Make a question of a sentence with a blank, or of a text with queries after it."""
    data = item.data
    parts = [data["sentence"]] if "sentence" in data else [data["instructions"], data["text"]]
    text = "\n\n".join(part.strip() for part in parts if part.strip())
    return Question(item.id, text, tuple(data["options"]), _right(item))


def _worldsense(item: Item) -> Question:
    options = tuple(item.data["expected"])
    return Question(item.id, item.data["text"].strip(), options, options.index(item.gold))


def _right(item: Item) -> int | None:
    return int(item.gold) if item.gold else None


_MAKE: Final[Mapping[BlockKind, Callable[[Item], Question]]] = {
    "statement": _statement,
    "frame": _frame,
    "choice": _choice,
    "worldsense": _worldsense,
}
