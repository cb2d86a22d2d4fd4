"""The forms in which people are asked the questions of the installed tasks."""

from __future__ import annotations

from functools import cache
from typing import get_args

from probsense.core.errors import InputError
from probsense.tasks.people_forms import AsksPeople, FormKind, PeopleForm
from probsense.tasks.registry import tasks_with


def task_forms() -> list[tuple[str, PeopleForm]]:
    """List the tasks that can be asked of people with their forms, those with the same form side by side."""
    found = [(name, task.asks_people) for name, task in tasks_with(AsksPeople).items()]
    order = get_args(FormKind)
    return sorted(found, key=lambda entry: (order.index(entry[1].form), entry[0]))


@cache
def form_of(kind: str) -> PeopleForm:
    """Return the form of a kind of blocks.

    Raises
    ------
    InputError
        If no installed task has it.
    """
    forms = [form for _, form in task_forms() if form.kind == kind]
    if not forms:
        raise InputError(f"no installed task asks people {kind!r}", expected="the package of the task")
    return forms[0]
