"""Tests of the choice of a method."""

from __future__ import annotations

import pytest
from run_fakes import Clerk, Quiz

from probsense.errors import InputError
from probsense.models.base import Capabilities
from probsense.run.plan import choose_method


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
    assert choose_method(Quiz(), Clerk(capabilities=capabilities), asked) == chosen


def test_the_tasks_order_counts() -> None:
    assert choose_method(Quiz(methods=("sample", "options")), Clerk()) == "sample"


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
        choose_method(Quiz(), Clerk(capabilities=capabilities), asked)
