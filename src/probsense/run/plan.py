"""Chooses how a task asks a model: in the form of its prompts, by its best method that the model can answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from probsense.errors import InputError, did_you_mean
from probsense.models.base import Capabilities, Model, in_form
from probsense.models.findings import findings_of
from probsense.tasks.base import Following, Method, Task, form_of

NEEDS: Final[dict[Method, str]] = {"options": "score", "labels": "labels", "sample": "sample"}
"""Capability of a model that each method needs."""


def answerable(methods: Sequence[Method], capabilities: Capabilities) -> list[Method]:
    """List the methods that a model with these capabilities can answer, in their order."""
    return [method for method in methods if getattr(capabilities, NEEDS[method])]


WORDS: Final[dict[str, tuple[Method, ...]]] = {"exact": ("options",), "both": ("sample", "options")}
"""Words that users may say for methods: option scores are exact, without the noise of samples."""


class Plan(NamedTuple):
    """A task as it asks a model, the model as it is asked, and the method."""

    task: Task
    model: Model
    method: Method


def plan(task: Task, model: Model, asked: str | None = None) -> Plan:
    """Fit a task and a model to each other, and choose the method by :func:`choose_method`.

    A task that follows the model learns first whether that takes questions as a chat. Then the model takes the form of
    the task's prompts, which are texts to continue or questions.
    """
    if isinstance(task, Following):
        task = task.for_model(asked, chat=in_form(model, "question").capabilities.chat)
    model = in_form(model, form_of(task))
    return Plan(task, model, _method(task, model, asked))


def choose_methods(task: Task, model: Model, asked: str | None = None) -> list[Method]:
    """Choose the methods that a wish stands for, which may be one of :data:`WORDS`, by :func:`choose_method`."""
    return [choose_method(task, model, method) for method in WORDS.get(asked or "", (asked,))]


def choose_method(task: Task, model: Model, asked: str | None = None) -> Method:
    """Choose how the task asks the model.

    Parameters
    ----------
    task : Task
    model : Model
    asked : str, optional
        The user's wish.

    Returns
    -------
    Method
        The wish or, without one, the task's best method that the model can answer.

    Raises
    ------
    InputError
        If the task does not know the wished method, or the model cannot answer it or any.
    """
    return plan(task, model, asked).method


def _method(task: Task, model: Model, asked: str | None) -> Method:
    """Choose the method for a task and a model that fit each other already."""
    able = answerable(task.methods, model.capabilities)
    can = f"{model.name} can answer {', '.join(able) or 'none of them'}"
    if asked is None:
        if able:
            return able[0]
        whys = "".join(why_not(model, method) for method in task.methods)
        raise InputError(f"{task.name} asks by {', '.join(task.methods)}, and {can}{whys}")
    for method in task.methods:
        if method == asked:
            if method in able:
                return method
            why = why_not(model, method)
            raise InputError(f"{model.name} cannot answer the method {asked!r}{why}", expected=can)
    raise InputError(
        f"{task.name} has no method {asked!r}{did_you_mean(asked, task.methods)}",
        expected=f"one of {', '.join(task.methods)}",
    )


def why_not(model: Model, method: Method) -> str:
    """Say what the examination of a model found to prevent a method."""
    return "".join(
        f": {found.detail}" for found in findings_of(model) if found.name == method and not found.ok
    )
