"""The questions of a block, from the items of a task, which reads its own files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from probsense.core.records import Item, Json
from probsense.studies.collect.study import BlockKind, Question

ReadItems: TypeAlias = Callable[[str, Mapping[str, Any]], Sequence[Item]]
"""Reads the items of a task: called with the task's name and its options."""

TASKS: Final[Mapping[BlockKind, tuple[str, ...]]] = {
    "statement": ("judgments",),
    "frame": ("frames",),
    "choice": ("winogrande", "suite"),
    "worldsense": ("worldsense",),
}
"""The tasks whose items a kind of blocks asks; the first one unless the block names another."""


def questions_of(kind: BlockKind, task: str, items: Sequence[Item]) -> tuple[Question, ...]:
    """Turn the items of a task into questions for people."""
    return tuple(_MAKE[kind](task, item) for item in items)


def _statement(task: str, item: Item) -> Question:
    return Question(str(item.data["statement_id"]), item.data["statement"])


def _frame(task: str, item: Item) -> Question:
    data = {name: item.data[name] for name in ("context", "slot", "question")}
    text = "\n\n".join(part for part in (data["context"], data["question"]) if part)
    return Question(item.id, text, data=data)


def _choice(task: str, item: Item) -> Question:
    """Make a question of a sentence with a blank, or of a text with queries after it."""
    data = item.data
    parts = [data["sentence"]] if "sentence" in data else [data["instructions"], data["text"]]
    text = "\n\n".join(part.strip() for part in parts if part.strip())
    return Question(item.id, text, tuple(data["options"]), _right(item), _whole(task, item))


def _worldsense(task: str, item: Item) -> Question:
    options = tuple(item.data["expected"])
    right = options.index(item.gold)
    return Question(item.id, item.data["text"].strip(), options, right, _whole(task, item))


def _whole(task: str, item: Item) -> dict[str, Json]:
    """Keep all of an item, so that its task can judge what people chose."""
    return {"task": task, "cluster": item.cluster, "gold": item.gold, "data": dict(item.data)}


def _right(item: Item) -> int | None:
    return int(item.gold) if item.gold else None


_MAKE: Final[Mapping[BlockKind, Callable[[str, Item], Question]]] = {
    "statement": _statement,
    "frame": _frame,
    "choice": _choice,
    "worldsense": _worldsense,
}
