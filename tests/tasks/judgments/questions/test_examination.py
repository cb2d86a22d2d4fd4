"""Which prompt format judgments recommend."""

from __future__ import annotations

from typing import Any

import pytest

from probsense.core.records import LabelRequest, LabelResponse, SampleRequest, SampleResponse
from probsense.tasks.base import Examines
from probsense.tasks.judgments.questions.first_words import STATEMENTS, TRIALS, Answer, examined
from probsense.tasks.judgments.task import Judgments


def answers(*masses: float) -> list[Answer]:
    """Answers in which yes and no have these masses, and one other word the rest."""
    return [
        Answer(question, (mass / 2, mass / 2, 1 - mass), {"Well": 1 - mass})
        for mass in masses
        for question in ("q1", "q2")
    ]


DROP = {"other": "drop"}
HALF = [Answer("q1", (1.0, 0.0, 0.0), {}), Answer("q2", (0.0, 0.0, 1.0), {})]
CASES: dict[str, tuple[dict[str, list[Answer]], str | None, dict[str, str], str]] = {
    "its own is good enough": ({"chat": answers(0.8), "plain": answers(0.95)}, "chat", {}, "at least 80.0 %"),
    "another is better": ({"chat": answers(0.3), "plain": answers(0.9)}, "plain", {}, "at least 90.0 %"),
    "other words come first": (
        {"chat": answers(0.3), "plain": answers(0.2)},
        "chat",
        DROP,
        "drop the other words",
    ),
    "none": ({"chat": answers(0.03), "plain": answers(0.09)}, None, {}, "no prompt format fits: in the best"),
    "the question with less counts": ({"chat": HALF, "plain": answers(0.8)}, "plain", {}, "80.0 %"),
}


@pytest.mark.parametrize("case", CASES)
def test_the_format_that_fits_is_recommended(case: str) -> None:
    given, best, options, words = CASES[case]
    found = examined(given)
    assert (found.best, found.options) == (best, options)
    assert words in found.advice
    assert found.tried.keys() == given.keys()


def test_what_was_seen_is_said() -> None:
    tried = examined({"chat": answers(0.25, 0.75), "plain": answers(0.05)}).tried
    assert tried["chat"].fits
    assert tried["chat"].detail.startswith(
        "yes or no is the first word with a probability of 50.0 % (q1) and 50.0 % (q2); other first words: “Well” 50"
    )
    assert tried["chat"].data == {"mass": {"q1": 0.5, "q2": 0.5}, "other_first_words": {"Well": 0.5}}
    assert not tried["plain"].fits


@pytest.mark.parametrize("method", ["labels", "sample"])
def test_a_dozen_statements_are_asked_about(method: Any) -> None:
    task = Judgments()
    assert isinstance(task, Examines)
    asked = task.examination(method)
    assert len(asked) == 2 * STATEMENTS
    given: dict[Any, Any] = {}
    for request in asked:
        if isinstance(request, SampleRequest):
            assert request.n == TRIALS
            given[request] = SampleResponse(("Yes.", "Yes.", "No.", "I do", "I do not"))
        else:
            assert isinstance(request, LabelRequest)
            given[request] = LabelResponse({"yes": 0.4, "no": 0.2}, 0.4, others=(("I", 0.4),))
    found = task.examined(method, {"chat": given})
    assert found.best == "chat"
    assert found.tried["chat"].data["mass"] == pytest.approx({"q1": 0.6, "q2": 0.6})
    assert found.tried["chat"].data["other_first_words"] == pytest.approx({"I": 0.4})
