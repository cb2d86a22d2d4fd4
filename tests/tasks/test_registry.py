"""Tests of finding tasks by name."""

from __future__ import annotations

from importlib.metadata import EntryPoint, EntryPoints
from typing import Any

import pytest

from probsense.core import registry
from probsense.core.errors import InputError, ProbSenseError
from probsense.core.records import Item
from probsense.show.words import Words
from probsense.tasks.base import Task
from probsense.tasks.registry import load_task, task_names, task_options, task_types, tasks_with, words_named

DECLARED = {
    "strict": "strict",
    "lax": "lax",
    "worded": "worded",
    "broken": "no.such.module:thing",
    "empty": "probsense.core.errors:nothing_of_that_name",
}


class Strict(Task):
    def __init__(self, size: int, *, seed: int = 0) -> None:
        self.size = size


class Lax(Task):
    def __init__(self, **options: Any) -> None: ...


class Worded(Task):
    """A task with words and recorded results."""

    words = Words(title="The Worded One")
    analyse = staticmethod(Strict)


@pytest.fixture(autouse=True)
def installed(monkeypatch):
    """Registers the factories above; the other two entries are as broken plug-ins are."""
    load = EntryPoint.load
    local = {"strict": Strict, "lax": Lax, "worded": Worded}
    monkeypatch.setattr(EntryPoint, "load", lambda entry: local.get(entry.value) or load(entry))

    def entry_points(group: str) -> EntryPoints:
        assert group == "probsense.tasks"
        return EntryPoints(EntryPoint(name, value, group) for name, value in DECLARED.items())

    monkeypatch.setattr(registry, "entry_points", entry_points)


def test_tasks_are_found_by_name_and_a_broken_one_leaves_the_others_alone():
    assert task_names() == ["broken", "empty", "lax", "strict", "worded"]
    assert [*task_types()] == ["lax", "strict", "worded"]
    found = task_options("strict")
    assert [(one.name, one.kind, one.default) for one in found.values()][1] == ("seed", int, 0)
    assert task_options("lax") == {}
    made = load_task("strict", size=3)
    assert (made.size, made.options) == (3, {"size": 3, "seed": 0})
    assert (tasks_with("analyse"), tasks_with("verbs")) == ({"worded": Worded}, {})
    assert words_named("worded") is Worded.words
    assert [words_named(name).title for name in ("lax", "elsewhere")] == ["Lax", "Elsewhere"]


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        (
            "strickt",
            {},
            r"no such task: 'strickt'; did you mean 'strict'\? \(expected one of broken, empty, ",
        ),
        ("strict", {"seed": 2}, "the task 'strict' needs the option 'size'"),
        ("lax", {"anything": 1}, "the task 'lax' takes no option 'anything'"),
    ],
)
def test_wrong_names_and_options(name, options, message):
    with pytest.raises(InputError, match=message):
        load_task(name, **options)


@pytest.mark.parametrize("name", ["broken", "empty"])
def test_a_broken_plug_in(name):
    for find in (load_task, task_options):
        with pytest.raises(ProbSenseError, match=f"the task '{name}' cannot be loaded"):
            find(name)


def test_people_of_whom_nobody_answered_are_none():
    assert Lax().people(Item("a", "a", "", {"people": {"yes": 0, "no": 0}})) is None
