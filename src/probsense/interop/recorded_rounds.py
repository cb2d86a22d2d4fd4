"""Answers to a task that another program recorded: how they are written, and what they amount to."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from probsense.analysis.comparison.scores import Scores
from probsense.core.errors import InputError
from probsense.core.records import Item, Request, Response, response_from_json, response_to_json
from probsense.results.comparisons import named_scores
from probsense.tasks.base import Answered, Answers, Method, Task, answered_by
from probsense.tasks.registry import load_task, named_in_data

KEY: Final = "probsense"
"""Where the records of other programs keep what is ours: "asked", an :class:`Asked`, and "answers"."""
ASKED: Final = "model"
"""What estimates call the model while a program asks it; some estimates are about constant answers instead."""

Written = Sequence[Sequence[str]]
"""Answers about an item in the order in which they came: the kind of each, and the response as JSON."""


class Asked(NamedTuple):
    """What was asked.

    Attributes
    ----------
    task : str
        The name of the task.
    version : int
        Its version.
    options : str
        Its options, as JSON.
    method : Method
        How it asked.
    """

    task: str
    version: int
    options: str
    method: Method


@lru_cache(maxsize=8)
def task_again(asked: Asked) -> tuple[Task, Mapping[str, Item]]:
    """Make the task that asked, with its items by their ids.

    Raises
    ------
    InputError
        If the installed task has another version, or no such method.
    """
    task = load_task(named_in_data(asked.task), **json.loads(asked.options))
    if task.version != asked.version:
        raise InputError(
            f"asked by version {asked.version} of {asked.task}", expected=f"this version, {task.version}"
        )
    if asked.method not in task.methods:
        raise InputError(
            f"{asked.task} has no method {asked.method!r}", expected=f"one of {', '.join(task.methods)}"
        )
    return task, {item.id: item for item in task.questions}


def open_requests(task: Task, item: Item, method: Method, answers: Answers) -> list[Request]:
    """Return the requests of an item that have no answer yet, each once."""
    wanted = dict.fromkeys(task.requests(item, method, answers))
    return [request for request in wanted if request not in answers]


def written(answers: Mapping[Request, Response]) -> Written:
    """Write the answers about an item."""
    return [[response.kind, response_to_json(response)] for response in answers.values()]


def answered_again(asked: Asked, recorded: Mapping[str, Written], model: str = ASKED) -> Answered:
    """Measure the recorded answers about items, by their ids.

    Raises
    ------
    InputError
        If the task has no such item, or asks for more or fewer answers.
    """
    task, known = task_again(asked)
    if strange := [key for key in recorded if key not in known]:
        raise InputError(f"{asked.task} has no item {strange[0]!r} with these options")
    items = [item for key, item in known.items() if key in recorded]
    found: dict[Request, Response] = {}
    for item in items:
        found |= _matched(task, item, asked.method, recorded[item.id])
    return answered_by(model, task, asked.method, items, found)


def recorded_scores(kept: Mapping[str, Any], model: str, path: Path, notes: tuple[str, ...] = ()) -> Scores:
    """Score what a program kept under :data:`KEY` about items of one of our tasks, as a run of it.

    Parameters
    ----------
    kept : Mapping of str to Any
        By the ids of the items.
    model : str
    path : Path
        Where it was kept.
    notes : tuple of str
        What to note besides.

    Raises
    ------
    InputError
        For anything that is not what was kept, and where the task cannot be had again.
    """
    try:
        asked = Asked(*next(iter(kept.values()))["asked"])
        recorded = {item: own["answers"] for item, own in kept.items()}
        answered, (task, _) = answered_again(asked, recorded, model), task_again(asked)
    except (TypeError, ValueError, KeyError) as error:
        raise InputError(
            f"answers that cannot be read: {type(error).__name__}",
            path=path,
            expected="what our tasks keep there",
        ) from None
    except InputError as error:
        raise InputError(str(error), path=path) from None
    return named_scores(task, answered, str(path), nothing=f"the record {path}", notes=notes)


def _matched(task: Task, item: Item, method: Method, recorded: Written) -> dict[Request, Response]:
    """Match answers with the requests of the item, which come again as they came."""
    found: dict[Request, Response] = {}
    left = iter(recorded)
    while wanted := open_requests(task, item, method, found):
        for request in wanted:
            kind, text = next(left, ("", ""))
            if kind != request.kind:
                raise InputError(f"item {item.id!r} lacks the answer to a request of kind {request.kind!r}")
            found[request] = response_from_json(kind, text)
    if next(left, None) is not None:
        raise InputError(f"item {item.id!r} has more answers than {task.name} asks for")
    return found
