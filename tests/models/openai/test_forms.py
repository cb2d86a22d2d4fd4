"""Texts to continue by completions, questions by chat, from one model behind a server."""

import pytest

from probsense.core.records import LabelRequest, SampleRequest, ScoreRequest
from probsense.models.base import in_form
from probsense.models.openai.load import load
from probsense.models.registry import fingerprint
from support.servers.endpoints import Habits, serving

LABELS = (("yes", ("yes",)), ("no", ("no",)))
PLAIN_NOTE = "asked in plain text by completions, not by chat"
CHAT_NOTE = "texts to continue go by chat, too, as completions do not answer"


def ask_all(model):
    """One answer of each kind."""
    return [
        *model.score([ScoreRequest("The cat", (" sat", " lay"))]),
        *model.labels([LabelRequest("Is fire hot?", LABELS)]),
        *model.sample([SampleRequest("The cat", seed=1)]),
    ]


@pytest.mark.parametrize("route", ["completions", "chat"])
def test_the_form_decides_the_route(route):
    habits = Habits()
    with serving(habits) as url:
        model = in_form(load("toy", base_url=url), "completion" if route == "completions" else "question")
        wished = load("toy", base_url=url, prompt_format="plain" if route == "completions" else "chat")
        assert model.details["route"] == route
        if route == "completions":
            assert (model.details, model.asking) == (wished.details, wished.asking)
            assert ask_all(model) == ask_all(wished)
            assert model.findings[-1].detail == PLAIN_NOTE
        habits.asked.clear()
        list(model.sample([SampleRequest("The cat", seed=1)]))
    assert {path for path, _ in habits.asked} == {f"/v1/{'chat/' * (route == 'chat')}completions"}


def test_formats_go_by_the_route_that_they_need():
    with serving(Habits()) as url:
        model = load("toy", base_url=url)
        assert model.prompt_formats() == ["chat", "chat-brief", "plain", "question-answer"]
        found = model.in_prompt_format("question-answer")
        wished = load("toy", base_url=url, prompt_format="question-answer")
        assert (found.details, found.asking) == (wished.details, wished.asking)
        assert list(found.labels([LabelRequest("Is fire hot?", LABELS)]))
        alone = load("toy", base_url=url, prompt_format="plain")
        assert alone.prompt_formats() == ["plain", "question-answer"]
    with serving(Habits(routes=("chat",))) as url:
        assert load("toy", base_url=url).prompt_formats() == ["chat", "chat-brief"]


def test_the_other_route_is_examined_once_and_when_it_is_needed():
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


@pytest.mark.parametrize("options", [{"prompt_format": "chat"}, {"system_prompt": "Be brief."}])
def test_a_wish_decides_for_every_form(options):
    with serving(Habits()) as url:
        model = load("toy", base_url=url, **options)
        assert in_form(model, "completion") is model


@pytest.mark.parametrize("habits", [Habits(routes=("chat",)), Habits(reasoning=True)], ids=["chat", "thinks"])
def test_where_completions_do_not_answer_a_chat_does(habits):
    with serving(habits) as url:
        model = load("toy", base_url=url)
        found = in_form(model, "completion")
        assert fingerprint(found) == fingerprint(model)
        assert found.findings[-1].detail == CHAT_NOTE
        assert list(found.sample([SampleRequest("The cat")]))


@pytest.mark.parametrize(
    ("abilities", "route"),
    [("chat,top_logprobs=5,echo,many", "completions"), ("chat,top_logprobs=5,many", "chat")],
)
def test_stated_abilities_are_not_examined(abilities, route):
    model = load("toy", base_url="http://127.0.0.1:9/v1", abilities=abilities)
    found = in_form(model, "completion")
    assert found.details["route"] == route
    assert found.details["top_logprobs"] == 5
    if route == "completions":
        stated = abilities.replace("chat", "completions")
        assert found.details == load("toy", base_url="http://127.0.0.1:9/v1", abilities=stated).details
