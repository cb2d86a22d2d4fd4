"""Reads the rows of a store: a cell that is not as it was written gives one error, whatever stands there."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Final, Generic, TypeAlias, TypeVar

from msgspec import Meta

from probsense.core.errors import InputError, brief
from probsense.core.files.typed import Text, Word
from probsense.core.records import (
    Failure,
    Item,
    Response,
    canonical_json,
    digest,
    digest_of_texts,
    response_from_json,
)
from probsense.models.base import Finding, Usage
from probsense.tasks.base import Method

T = TypeVar("T")
Answer: TypeAlias = Response | Failure
"""Answer to a request, or its failure."""
DAMAGE = (ValueError, TypeError, LookupError, AttributeError, OverflowError, RecursionError)
"""The errors of reading a text that is not as it was written."""

THINKING: Final = "thinking"
"""The option of a run that says how the model thought before its answers."""
ITEMS: Final = "items"
"""The option of a run that says which of its task's items it asked: a file with their ids, or the ids."""
ALL_ITEMS: Final = "all_items"
"""The option of such a run that says how many items its task has."""
OF_RUN: Final = (THINKING, ITEMS, ALL_ITEMS)
"""Options that are not the task's own."""


@dataclass(frozen=True, slots=True)
class RunRecord:
    """Hold what is known of a run, by a store or by a recipe; nothing in it depends on the machine.

    Attributes
    ----------
    id : str
        Content key of the task with its options, the method, the seed, the model's fingerprint and the items:
        the same command finds the same run again.
    task, version, options
        The task's name, version and options, with those of :data:`OF_RUN`.
    method : Method
    seed : int
    model, details, fingerprint
        The model's name, everything that can change its numbers, and its key in the store.
    versions : Mapping[str, str]
        Versions of the packages that made the run.
    files : Mapping[str, str]
        The paths that the options name, with the SHA-256 of each when the run began.
    by_item : bool
        Whether the model's answers depend on the item that asks.
    started, finished : str
        UTC, ISO 8601; ``finished`` is None while answers are missing, including those to failed requests. No recipe
        tells these, nor what follows.
    name : str or None
        The name that a user gave the run. No other run of the same task and method in the store has it.
    usage : Usage
        The cost of its answers so far.
    """

    id: Word
    task: Word
    version: int
    options: Mapping[str, Any]
    method: Method
    seed: Annotated[int, Meta(ge=0)]
    model: Text
    details: Mapping[str, Any]
    versions: Mapping[str, Any]
    files: Mapping[str, Text] = field(default_factory=dict)
    fingerprint: Text = ""
    by_item: bool = False
    started: str = ""
    finished: str | None = None
    name: str | None = None
    usage: Usage = field(default_factory=Usage)

    @property
    def label(self) -> str:
        """Return what tells the run from others: its name, or the beginning of its id."""
        return self.name or self.id[:8]


@dataclass(frozen=True, slots=True)
class Row(Generic[T]):
    """What a row of a table holds.

    Attributes
    ----------
    table : str
    columns : Mapping of str to type
        The columns that are read, each with the type of its values; the first one names the row.
    make : callable
        Takes the values. It raises one of :data:`DAMAGE` for values that were never written.
    """

    table: str
    columns: Mapping[str, type | UnionType]
    make: Callable[..., T]

    @property
    def select(self) -> str:
        """The columns, as SQL selects them."""
        return ", ".join(f"{self.table}.{name}" for name in self.columns)

    def read(self, path: Path | None, *values: object) -> T:
        """Read the values of a row.

        Raises
        ------
        InputError
            If the row is damaged.
        """
        try:
            if not all(map(isinstance, values, self.columns.values())):
                raise TypeError("a value of another type")
            return self.make(*values)
        except DAMAGE as error:
            raise self.damaged(path, values[0], str(error)) from None

    def damaged(self, path: Path | None, name: object, why: str) -> InputError:
        """Make the error about a damaged row."""
        return InputError(
            f"row {brief(name)} of the table {self.table} is damaged: {brief(why)}",
            path=path,
            expected="a row as it was written; 'probsense runs check' says what can be read",
        )


def _object(text: str) -> dict[str, Any]:
    """Read a JSON object."""
    found = json.loads(text)
    if not isinstance(found, dict):
        raise TypeError(f"{type(found).__name__} where an object should stand")
    canonical_json(found)  # refuses numbers that are not finite
    return found


def _model(fingerprint: str, name: str, details: str, by_item: int) -> dict[str, Any]:
    known = _object(details)
    if digest(known) != fingerprint:
        raise ValueError("the details are not those that were written")
    return {"fingerprint": fingerprint, "model": name, "details": known, "by_item": (False, True)[by_item]}


def _run(*values: Any) -> dict[str, Any]:
    found = dict(zip(RUN.columns, values, strict=True))
    return found | {name: _object(found[name]) for name in ("options", "versions", "files")}


def _item(key: str, text: str) -> Item:
    if digest_of_texts([text]) != key:
        raise ValueError("the text is not the one that was written")
    return Item(**json.loads(text))


def _finding(name: str, ok: int | None, detail: str, data: str) -> Finding:
    return Finding(name, None if ok is None else bool(ok), detail, _object(data))


MODEL: Final = Row("models", {"fingerprint": str, "name": str, "details": str, "by_item": int}, _model)
RUN: Final = Row(
    "runs",
    {
        **{"id": str, "task": str, "version": int, "options": str, "method": str, "seed": int},
        **{"versions": str, "started": str, "finished": str | None, "name": str | None, "files": str},
    },
    _run,
)
ITEM: Final = Row("items", {"digest": str, "body": str}, _item)
FINDING: Final = Row("findings", {"name": str, "ok": int | None, "detail": str, "data": str}, _finding)
FAILURE: Final = Row(
    "failures", {"key": str, "reason": str, "tries": int}, lambda _, reason, tries: Failure(reason, tries)
)
RESPONSE: Final = Row(
    "responses", {"key": str, "kind": str, "body": str}, lambda _, kind, body: response_from_json(kind, body)
)
ROWS: Final[Sequence[Row[Any]]] = (MODEL, RUN, FINDING, FAILURE, RESPONSE)
"""Rows that can be read by themselves; items are read with their run, whose id depends on them."""
