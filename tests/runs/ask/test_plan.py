"""Tests of the choice of a method."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from probsense.core.errors import InputError
from probsense.core.records import PromptForm
from probsense.models.base import Capabilities
from probsense.runs.ask.forecast import forecast
from probsense.runs.ask.plan import plan
from probsense.runs.evaluate import evaluate, load_run
from probsense.tasks.base import Method
from support.run_fakes import Clerk, Quiz


@pytest.mark.parametrize(
    ("capabilities", "asked", "chosen"),
    [
        (Capabilities(score=True, labels="exact", sample=True), None, "options"),
        (Capabilities(labels="topk", sample=True), None, "labels"),
        (Capabilities(sample=True), None, "sample"),
        (Capabilities(score=True, sample=True), "sample", "sample"),
    ],
)
def test_the_best_method_or_the_wish(capabilities: Capabilities, asked: str | None, chosen: str) -> None:
    assert plan(Quiz(), Clerk(capabilities=capabilities), asked).method == chosen


def test_the_tasks_order_counts() -> None:
    assert plan(Quiz(methods=("sample", "options")), Clerk()).method == "sample"


@pytest.mark.parametrize(
    ("capabilities", "asked", "message"),
    [
        (Capabilities(sample=True), "options", "cannot answer the method 'options'.*can answer sample"),
        (Capabilities(), None, "quiz asks by options, labels, sample, and clerk: can answer none of them"),
        (
            Capabilities(score=True),
            "option",
            "no method 'option'; did you mean 'options'.*one of options, labels",
        ),
    ],
)
def test_what_cannot_be(capabilities: Capabilities, asked: str | None, message: str) -> None:
    with pytest.raises(InputError, match=message):
        plan(Quiz(), Clerk(capabilities=capabilities), asked)


@dataclass(frozen=True)
class Guest(Quiz):
    """A quiz that follows the model: in a chat it is another one, unless options are scored."""

    manner: str = "auto"
    methods: tuple[Method, ...] = ("sample", "options")

    @property
    def options(self) -> Mapping[str, Any]:
        return {**super().options, "manner": self.manner}

    @property
    def prompt_form(self) -> PromptForm:
        return "question" if self.manner == "chat" else "completion"

    def for_model(self, method: str | None, *, chat: bool) -> Guest:
        if self.manner != "auto":
            return self
        return replace(self, manner="chat" if chat and method != "options" else "text", seed=int(chat))


@dataclass
class Host(Clerk):
    """A model that asks questions as a chat, and remembers in which form it was asked for."""

    form: PromptForm = "question"

    @property
    def details(self) -> Mapping[str, Any]:
        return {"scheme": "host", "form": self.form}

    def for_form(self, form: PromptForm) -> Host:
        can = replace(self.capabilities, chat=form == "question")
        return Host(capabilities=can, form=form, asked=self.asked)


@pytest.mark.parametrize(
    ("model", "asked", "manner", "form", "method"),
    [
        (Host(), None, "chat", "question", "sample"),
        (Host(), "options", "text", "completion", "options"),
        (Clerk(), None, "text", None, "sample"),
        (Clerk(capabilities=Capabilities(sample=True, chat=True)), None, "chat", None, "sample"),
    ],
)
def test_a_task_may_follow_the_model(
    model: Clerk, asked: str | None, manner: str, form: PromptForm | None, method: Method
) -> None:
    found = plan(Guest(), model, asked)
    assert isinstance(found.task, Guest)
    assert (found.task.manner, found.method) == (manner, method)
    assert getattr(found.model, "form", None) == form
    assert plan(found.task, model, asked) == found
    assert plan(Guest(manner="text"), model).task == Guest(manner="text")


def test_a_run_records_what_the_task_became(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store, model = tmp_path / "s.db", Host()
    run = evaluate(Guest(), model, store=store, quiet=True)
    assert run.record.options["manner"] == "chat"
    assert run.details["form"] == "question"
    monkeypatch.setattr("probsense.runs.evaluate.load_task", lambda name, **options: Guest(**options))
    assert load_run(run.id, store=store).summary() == run.summary()
    known = forecast(plan(Guest(), Host()), store=store)
    assert (known.stored, known.wanted) == (run.asked, 0)
    assert forecast(plan(Guest(), Host(), "options"), store=store).stored == 0
