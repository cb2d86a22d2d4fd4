"""The forms in which people are asked the questions of the installed tasks."""

from __future__ import annotations

from functools import cache
from typing import get_args

from probsense.core.errors import InputError
from probsense.tasks.people_forms import FormKind, PeopleForm
from probsense.tasks.registry import task_types


def task_forms() -> list[tuple[str, PeopleForm]]:
    """List the tasks that can be asked of people with their forms, those with the same form side by side."""
    found = [(name, form) for name, task in task_types(named=True).items() if (form := task.people_form())]
    order = get_args(FormKind)
    return sorted(found, key=lambda entry: (order.index(entry[1].form), entry[0]))


@cache
def form_of(kind: str) -> PeopleForm:
    """Return the form of a kind of blocks.

    Raises
    ------
    InputError
        If no task that is installed, or whose file the user has named, has it.
    """
    forms = [form for _, form in task_forms() if form.kind == kind]
    if not forms:
        raise InputError(
            f"no installed task asks people {kind!r}",
            expected="its package, or its file, named once: probsense run FILE.py",
        )
    return forms[0]
