"""Texts to continue by completions, questions by chat, from one model behind a server."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from probsense.core.errors import InputError
from probsense.core.records import LabelRequest, SampleRequest, ScoreRequest
from probsense.models.base import in_form
from probsense.models.doctor import examine
from probsense.models.openai.load import load
from probsense.models.registry import fingerprint
from probsense.runs.evaluate import evaluate
from probsense.tasks.frames.task import Frames
from probsense.tasks.judgments.task import Judgments
from probsense.tasks.winogrande.task import Winogrande
from support.run_fakes import Quiz
from support.servers.endpoints import Habits, serving

LABELS = (("yes", ("yes",)), ("no", ("no",)))
PLAIN_NOTE = "asked in plain text by completions, not by chat"
CHAT_NOTE = "texts to continue go by chat, too, as completions do not answer"


def ask_all(model: Any) -> list[Any]:
    """One answer of each kind."""
    return [
        *model.score([ScoreRequest("The cat", (" sat", " lay"))]),
        *model.labels([LabelRequest("Is fire hot?", LABELS)]),
        *model.sample([SampleRequest("The cat", seed=1)]),
    ]


@pytest.mark.parametrize("route", ["completions", "chat"])
def test_the_form_decides_the_route(route: str) -> None:
    habits = Habits()
    with serving(habits) as url:
        model = in_form(load("toy", base_url=url), "completion" if route == "completions" else "question")
        wished = load("toy", base_url=url, route=route)
        assert model.details["route"] == route
        if route == "completions":
            assert (model.details, model.asking) == (wished.details, wished.asking)
            assert ask_all(model) == ask_all(wished)
            assert model.findings[-1].detail == PLAIN_NOTE
        habits.asked.clear()
        list(model.sample([SampleRequest("The cat", seed=1)]))
    assert {path for path, _ in habits.asked} == {f"/v1/{'chat/' * (route == 'chat')}completions"}


def test_formats_go_by_the_route_that_they_need() -> None:
    with serving(Habits()) as url:
        model = load("toy", base_url=url)
        assert model.prompt_formats() == {
            "chat": "",
            "chat-answer": "its chat begins each answer itself",
            "chat-brief": "",
            "plain": "",
            "question-answer": "",
        }
        found = model.in_prompt_format("question-answer")
        wished = load("toy", base_url=url, prompt_format="question-answer")
        assert (found.details, found.asking) == (wished.details, wished.asking)
        assert list(found.labels([LabelRequest("Is fire hot?", LABELS)]))
        alone = load("toy", base_url=url, route="completions").prompt_formats()
        assert (alone["chat"], alone["plain"]) == ("the route is completions", "")
    with serving(Habits(routes=("chat",))) as url:
        reason = load("toy", base_url=url).prompt_formats()["plain"]
    assert reason == "completions do not answer, or a wish excludes them"


def test_the_other_route_is_examined_once_and_when_it_is_needed() -> None:
    habits = Habits()
    with serving(habits) as url:
        model = load("toy", base_url=url)
        before = len(habits.asked)
        assert in_form(model, "question") is model
        assert len(habits.asked) == before
        plain = in_form(model, "completion")
        assert len(habits.asked) > before
        after = len(habits.asked)
        assert in_form(model, "completion") is plain is in_form(plain, "completion")
        assert len(habits.asked) == after
        ask_all(plain)
        # A budget counts what all forms have cost together.
        assert plain.usage == model.usage
        assert model.usage.seconds > 0


@pytest.mark.parametrize("options", [{"chat": True}, {"route": "chat"}, {"system_prompt": "Be brief."}])
def test_a_wish_decides_for_every_form(options: dict[str, Any]) -> None:
    with serving(Habits()) as url:
        model = load("toy", base_url=url, **options)
        assert in_form(model, "completion") is model


@pytest.mark.parametrize("habits", [Habits(routes=("chat",)), Habits(reasoning=True)], ids=["chat", "thinks"])
def test_where_completions_do_not_answer_a_chat_does(habits: Habits) -> None:
    with serving(habits) as url:
        model = load("toy", base_url=url)
        found = in_form(model, "completion")
        assert fingerprint(found) == fingerprint(model)
        assert found.findings[-1].detail == CHAT_NOTE
        assert list(found.sample([SampleRequest("The cat")]))


def test_completions_alone_need_no_choice() -> None:
    with serving(Habits(routes=("completions",))) as url:
        model = load("toy", base_url=url)
        assert in_form(model, "completion") is model


@pytest.mark.parametrize(
    ("abilities", "route"),
    [("chat,top_logprobs=5,echo,many", "completions"), ("chat,top_logprobs=5,many", "chat")],
)
def test_stated_abilities_are_not_examined(abilities: str, route: str) -> None:
    model = load("toy", base_url="http://127.0.0.1:9/v1", abilities=abilities)
    found = in_form(model, "completion")
    assert found.details["route"] == route
    assert found.details["top_logprobs"] == 5
    if route == "completions":
        stated = abilities.replace("chat", "completions")
        assert found.details == load("toy", base_url="http://127.0.0.1:9/v1", abilities=stated).details


def test_tasks_of_both_kinds_with_one_model(tmp_path: Path) -> None:
    habits, store = Habits(), tmp_path / "store.db"
    with serving(habits) as url:
        model = load("toy", base_url=url)
        for task, path in (
            (Winogrande(limit=2), "/v1/completions"),
            (Judgments(limit=3), "/v1/chat/completions"),
            (Frames(limit=2, answers=2, style="published"), "/v1/completions"),
            (Frames(limit=2, answers=2), "/v1/chat/completions"),
        ):
            evaluate(task, model, store=None, quiet=True)  # examines what it needs
            habits.asked.clear()
            run = evaluate(task, model, store=store, quiet=True)
            assert {asked for asked, _ in habits.asked} - {"/tokenize"} == {path}
            assert (f"{run.model}: {task.name}: {PLAIN_NOTE}" in run.results.notes) is (
                path == "/v1/completions"
            )
            assert run.details["route"] == ("completions" if path == "/v1/completions" else "chat")
            assert evaluate(task, model, store=store, quiet=True).asked == 0


def test_the_doctor_says_how_texts_are_continued() -> None:
    for habits, said in ((Habits(), PLAIN_NOTE), (Habits(routes=("chat",)), CHAT_NOTE)):
        with serving(habits) as url:
            found = {one.name: one for one in examine(load("toy", base_url=url))}
        assert found["texts to continue"].detail == said
        assert ("texts to continue: options, asked twice" in found) is (said == PLAIN_NOTE)


@pytest.mark.parametrize("where", ["reasoning_content", "reasoning", "thinking", "inline"])
def test_a_server_that_thinks_by_itself_is_asked_by_texts(where: str) -> None:
    """Its answers are counted: nothing can be read after a thought that it does not take."""
    with serving(Habits(thoughts=where, routes=("chat",))) as url:
        model = load("toy", base_url=url)
        run = evaluate(Quiz(2), model, thinking="on", store=None, quiet=True)
    assert (run.method, run.model) == ("sample", model.name)
    (note,) = [one for one in run.results.notes if "thoughts before" in one]
    assert note.endswith("answers are no part of them")
    with serving(Habits()) as url, pytest.raises(InputError, match="cannot be asked after a thought"):
        evaluate(Quiz(1), load("toy", base_url=url), thinking="on", store=None, quiet=True)
