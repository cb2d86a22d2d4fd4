"""Makes an installed task ready to ask inside another program."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from probsense.core.options import Option
from probsense.core.records import Item, PromptForm, canonical_json
from probsense.interop.recorded_rounds import Asked
from probsense.models.base import Capabilities
from probsense.runs.ask.plan import fitting_method
from probsense.tasks.registry import load_task, task_options
from probsense.tasks.shared.items import known_items

METHOD = "method"
"""The option that says how to ask, beside those that the task declares."""


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
    declared = task_options(name)
    given = {
        key: _read(value, declared[key]) if key in declared else value
        for key, value in options.items()
        if key != METHOD
    }
    task, wish = load_task(name, **given), options.get(METHOD)
    if wish is None and usual in task.methods:
        wish = usual
    task = task.for_model(wish, chat=capabilities("question").chat)
    method = fitting_method(task, wish, who, capabilities(task.prompt_form))
    for item in task.questions:
        task.requests(item, method, {})
    return Asked(name, task.version, canonical_json(dict(task.options)), method)


def documents(items: Collection[Item]) -> list[dict[str, str]]:
    """Describe items to a program that shows them: id, cluster, right answer and text; "" for what is not known."""
    known = known_items([*items], [None] * len(items)).rename({"item": "id"})
    return known.select("id", "cluster", "gold", "text").fill_null("").to_dicts()


def _read(value: Any, option: Option) -> Any:
    """Read a text as the command line of ProbSense would; several values may come as one."""
    if isinstance(value, str):
        return option.parse(value)
    several = isinstance(value, Sequence)
    return [value] if option.many and value is not None and not several else value
