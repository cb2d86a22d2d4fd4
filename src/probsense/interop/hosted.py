"""Our tasks inside other programs: made ready, asked in rounds, and measured from what a program recorded.

Samples of a program's own tasks become scores, too.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple

import polars as pl

from probsense.analysis.comparison.scores import Scores
from probsense.core.errors import InputError, check_name
from probsense.core.options import Option
from probsense.core.records import (
    Item,
    PromptForm,
    Request,
    Response,
    canonical_json,
    response_from_json,
    response_to_json,
)
from probsense.models.base import Capabilities
from probsense.results.comparisons import named_scores
from probsense.runs.ask.plan import fitting_method
from probsense.tasks.base import Answered, Answers, Method, Task, answered_by
from probsense.tasks.registry import load_task, named_in_data, task_options
from probsense.tasks.shared.items import known_items

METHOD: Final = "method"
"""The option that says how to ask, beside those that the task declares."""
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


def ready_task(
    name: str,
    options: Mapping[str, Any],
    *,
    who: str,
    capabilities: Callable[[PromptForm], Capabilities],
    usual: str | None = None,
) -> Asked:
    """Make a task, and choose how it asks.

    Parameters
    ----------
    name : str
    options : Mapping
        Those of the task, as a program read them from its own command line, and "method", if the user chose one.
    who : str
        How errors call the one who answers.
    capabilities : callable
        What the one who answers can do with prompts of a form.
    usual : str, optional
        The method to prefer where the user chose none and the task has it.

    Raises
    ------
    InputError
        For an unknown task or option, a method that cannot be had, and an item that cannot be asked about.
    """
    declared, given = task_options(name), {**options}
    wish = given.pop(METHOD, None)
    task = load_task(
        name, **{key: _read(one, declared[key]) if key in declared else one for key, one in given.items()}
    )
    if wish is None and usual in task.methods:
        wish = usual
    task = task.for_model(wish, chat=capabilities("question").chat)
    method = fitting_method(task, wish, who, capabilities(task.prompt_form))
    for item in task.questions:
        task.requests(item, method, {})
    return Asked(name, task.version, canonical_json(dict(task.options)), method)


def _read(value: Any, option: Option) -> Any:
    """Read a text as the command line of ProbSense would; several values may come as one."""
    if isinstance(value, str):
        return option.parse(value)
    several = isinstance(value, Sequence)
    return [value] if option.many and value is not None and not several else value


def documents(items: Collection[Item]) -> list[dict[str, str]]:
    """Describe items to a program that shows them: id, cluster, right answer and text; "" for what is not known."""
    known = known_items([*items], [None] * len(items)).rename({"item": "id"})
    return known.select("id", "cluster", "gold", "text").fill_null("").to_dicts()


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
    check_name(f"method of {asked.task}", asked.method, task.methods)
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


def measure_kept(kept: Mapping[str, Any], model: str = ASKED) -> tuple[Task, Answered]:
    """Measure what a program kept under :data:`KEY` about items of one of our tasks, by their ids.

    Raises
    ------
    InputError
        As :func:`answered_again` does.
    """
    asked = Asked(*next(iter(kept.values()))["asked"])
    answered = answered_again(asked, {item: own["answers"] for item, own in kept.items()}, model)
    return task_again(asked)[0], answered


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
        task, answered = measure_kept(kept, model)
    except (TypeError, ValueError, KeyError) as error:
        raise InputError(
            f"answers that cannot be read: {type(error).__name__}",
            path=path,
            expected="what our tasks keep there",
        ) from None
    except InputError as error:
        raise InputError(str(error), path=path) from None
    return named_scores(task, answered, str(path), nothing=f"the record {path}", notes=notes)


class Sample(NamedTuple):
    """What a program recorded of a sample of one of its own tasks.

    Attributes
    ----------
    task, id : str
        The sample is an item, and a cluster of its own.
    gold, label, text : str or None
        The right answer, the given one, and the question.
    values : Mapping of str to float or None
        By measure: NaN where a value is missing, and None for a value that is no number.
    """

    task: str
    id: str
    gold: str | None
    label: str | None
    text: str
    values: Mapping[str, float | None]


def number(value: Any) -> float | None:
    """Return the value of a measure as a sample has it: NaN where there is none, None for one that is no number."""
    if value is None or value != value:
        return math.nan
    return float(value) if isinstance(value, int | float) and abs(value) <= sys.float_info.max else None


def sample_scores(
    model: str, task: str, path: Path, samples: Iterable[Sample], kind: str, notes: tuple[str, ...] = ()
) -> Scores:
    """Score samples by the measures whose values all are numbers, as means over the samples of the same id.

    Parameters
    ----------
    model, task : str
    path : Path
    samples : iterable of Sample
    kind : str
        What the program's values have to be, such as "numbers".
    notes : tuple of str
        What to note besides.

    Raises
    ------
    InputError
        If there is no such measure.
    """
    samples = [*samples]
    measures = dict.fromkeys(name for one in samples for name in one.values)
    columns = {name: [one.values.get(name, math.nan) for one in samples] for name in measures}
    values = pl.DataFrame(columns, dict.fromkeys(measures, pl.Float64))
    odd = [one.name for one in values if one.has_nulls()]
    numbers = values.drop(odd).fill_nan(None)
    compared = [one.name for one in numbers if one.count()]
    if not compared:
        raise InputError(f"no measure has {kind} alone", path=path, expected=f"values that are {kind}")
    if odd:
        notes = (f"not compared, because not all values are {kind}: {', '.join(odd)}", *notes)
    rows = [(f"{one.task}/{one.id}",) * 2 + (one.task, one.gold, one.label, one.text) for one in samples]
    # JSON can spell text that is not Unicode.
    texts = [[text and text.encode("utf-8", "replace").decode() for text in row] for row in rows]
    kinds = dict.fromkeys(("item", "cluster", "part", "gold", "label", "text"), pl.String)
    table = pl.DataFrame(texts, kinds, orient="row").hstack(numbers)
    items = table.group_by("item", maintain_order=True).agg(
        pl.col([*kinds][1:]).first(), pl.col(compared).mean()
    )
    return Scores(model, task, str(path), task, items.select([*kinds]), items.select(compared), notes)
