"""A server that goes on after a thought gives exact distributions there; behind any other, answers are counted."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import pytest

from probsense.core.errors import InputError
from probsense.core.records import LabelRequest, SampleRequest, ScoreRequest, Thought
from probsense.models.openai.answers import chain_of
from probsense.models.openai.load import load
from probsense.models.openai.requests import Abilities, label_post, sample_post, score_post
from probsense.runs.ask.plan import plan
from probsense.runs.ask.thinking import Wish, let_think, wished
from probsense.runs.evaluate import Terms, ask_plan
from support.run_fakes import Quiz
from support.servers.asking import manner, model
from support.servers.hostile import as_json, serving

YES = {"four has a half": 0.9, "odd things are rare": 0.6, "hm, hm": 0.05}
"""The thoughts of the model, one after the other, and the probability of "yes" after each."""


@dataclass
class Server:
    """A server whose model thinks, and that goes on after thoughts, or not."""

    goes_on: str = "honest"  # or refused, anew, deaf
    where: str = "reasoning_content"  # another field, several of them, or inline
    tokenizes: bool = True
    stops: bool = True
    between: str = "\n\n"
    posts: list[dict[str, Any]] = field(default_factory=list)
    thoughts: Iterator[int] = field(default_factory=count)

    def reply(self, path, head, body):
        body = json.loads(body) if isinstance(body, str | bytes) else body or {}
        if path.endswith("/tokenize"):
            one = self.tokenizes and body["prompt"] in ("<think>", "</think>")
            return as_json({"tokens": [1] if one else [1, 2]})
        if not path.endswith("/chat/completions"):
            return as_json({"error": {"message": "no such route"}}, 404)
        self.posts.append(body)
        last = body["messages"][-1]
        if last["role"] == "assistant":
            return self._after(last["content"], body)
        whole = [*YES][next(self.thoughts) % 3]
        thought = " ".join(whole.split()[: body["max_tokens"]])
        cut = len(whole.split()) > body["max_tokens"]
        answer = "" if cut or ("</think>" in body.get("stop", ()) and self.stops) else "yes"
        if self.where == "inline":
            message = {"content": f"<think>\n{thought}" + (f"\n</think>\n\n{answer}" if answer else "")}
        else:
            message = {"content": answer or None, **dict.fromkeys(self.where.split(), f"\n{thought}\n")}
        choice = {"message": message, "finish_reason": "length" if cut else "stop"}
        return as_json({"choices": [choice], "usage": {"completion_tokens": len(thought.split())}})

    def _after(self, said, body):
        if self.goes_on == "refused":
            return as_json({"error": {"message": "continue_final_message is not supported"}}, 400)
        assert body["add_generation_prompt"] is False
        assert body["continue_final_message"] is True
        _, _, thought = said.partition("<think>\n")
        thought, _, begun = thought.partition(f"\n</think>{self.between}")
        p = 0.5 if self.goes_on == "deaf" else YES.get(thought, (len(thought) % 7 + 1) / 9)
        words = {"yes": 0.9 * p, "no": 0.9 * (1 - p), "so": 0.1}
        if said.endswith("\nHm.\n</think>") and self.between:
            words = {self.between: 0.9, "!": 0.1}
        elif begun and self.goes_on != "anew":
            words = {"day": 0.9, " it": 0.1 * p, "!": 0.1 * (1 - p)}
        top = [
            {"token": w, "logprob": math.log(x)} for w, x in sorted(words.items(), key=lambda pair: -pair[1])
        ]
        shown = [top[0] | {"top_logprobs": top[: body.get("top_logprobs", 0)]}]
        message = {"content": None, "reasoning_content": top[0]["token"]}  # as vLLM misfiles it
        return as_json(
            {"choices": [{"message": message, "logprobs": {"content": shown}, "finish_reason": "length"}]}
        )


@pytest.mark.parametrize(
    "where", ["reasoning_content", "reasoning", "thinking", "reasoning reasoning_content", "inline"]
)
@pytest.mark.parametrize(("stops", "between"), [(True, "\n\n"), (False, "")])
def test_the_mean_over_chains_of_a_server_is_exact(where, stops, between):
    server = Server(where=where, stops=stops, between=between)
    with serving(reply=server.reply) as running:
        model = load("toy", base_url=running.url)
        assert model.asking.can.continues == 3
        assert model.asking.can.marks == ("<think>", "</think>", between)
        assert max(body["max_tokens"] for body in server.posts) == 256  # room to think
        server.thoughts = count()
        run = ask_plan(plan(Quiz(1), model, None, Wish("on", 3, (64,))), Terms(store=None, quiet=True))
    assert (run.method, run.model) == ("labels", "openai:toy (thinking)")
    (request,) = run.task.requests(run.items[0], "labels", {})
    answer = run.outcome.answers[request]
    assert answer.mass["yes"] == pytest.approx(0.9 * (0.9 + 0.6 + 0.05) / 3, abs=1e-12)
    coverage = run.results.coverage[0]
    assert [coverage[f"thoughts{how}"] for how in ("", "_closed", "_cut", "_ended")] == [3, 3, 0, 0]
    asked = [body for body in server.posts if body.get("stop") == ["</think>"]]
    assert len(asked) == 3
    assert all(body["max_tokens"] == 64 for body in asked)
    assert run.details["thinking"]["start"] == "<think>\n"


def test_thoughts_of_a_server_that_are_cut_are_closed_and_counted():
    server = Server()
    with serving(reply=server.reply) as running:
        model = load("toy", base_url=running.url)
        server.thoughts = count()
        run = ask_plan(plan(Quiz(1), model, "labels", Wish("on", 3, (3,))), Terms(store=None, quiet=True))
    coverage = run.results.coverage[0]
    assert [coverage[f"thoughts{how}"] for how in ("", "_closed", "_cut", "_ended")] == [3, 1, 2, 0]
    said = {
        body["messages"][-1]["content"]
        for body in server.posts
        if body["messages"][-1]["role"] == "assistant"
    }
    assert "<think>\nfour has a\n</think>\n\n" in said
    assert "<think>\nhm, hm\n</think>\n\n" in said


@pytest.mark.parametrize(
    ("goes_on", "said"),
    [
        ("honest", "cannot go on with a thought that was cut, as several budgets need.*prompt_format=plain"),
        ("refused", "several thinking budgets, though openai:toy thinks as its server has it"),
    ],
)
def test_a_curve_that_a_chat_cannot_draw_is_refused_before_it_is_asked(goes_on, said):
    server = Server(goes_on)
    with serving(reply=server.reply) as running:
        model = load("toy", base_url=running.url)
        before = len(server.posts)
        with pytest.raises(InputError, match=said):
            [plan(Quiz(1), model, None, wish) for wish in wished("on", 3, "0,2,64")]
        assert len(server.posts) == before
        if goes_on == "honest":
            for wish in wished("on", 3, "0,64"):
                run = ask_plan(plan(Quiz(1), model, None, wish), Terms(store=None, quiet=True))
            assert run.record.options["thinking"] == {"chains": 3, "budgets": [0, 64]}


@pytest.mark.parametrize(
    ("server", "reason"),
    [
        (Server("refused"), "does not go on after a thought: HTTP 400"),
        (Server("anew"), "it begins anew, with '"),
        (Server("deaf"), "it does not read the thought"),
    ],
)
def test_where_a_chat_does_not_go_on_answers_are_counted_and_the_reason_is_said(server, reason):
    with serving(reply=server.reply) as running:
        model = load("toy", base_url=running.url)
        (found,) = [one for one in model.findings if one.name == "thoughts"]
        assert reason in found.detail
        assert "counted" in found.detail
        assert not model.capabilities.thought
        assert let_think(model, Wish("on")) == (model, None)


def test_marks_that_nothing_tells_are_given_by_the_user():
    server = Server(tokenizes=False)
    with serving(reply=server.reply) as running:
        model = load("toy", base_url=running.url)
        assert "see -M think_start" in "".join(one.detail for one in model.findings if one.name == "thoughts")
        assert let_think(model, Wish("on")) == (model, None)
        _, chains = let_think(model, Wish("on", start="<think>", end="</think>"))
    assert (chains.manner.start, chains.manner.end) == ("<think>\n", "</think>\n\n")


def test_unless_it_is_asked_to_think_a_server_answers_as_it_did():
    with serving(reply=Server().reply) as running:
        model = load("toy", base_url=running.url)
        assert let_think(model, Wish()) == (model, None)
        assert model.capabilities.labels is None


CLOSED = Thought("So:\n", "it is hot.\n", "Answer:\n\n")


def test_completions_begin_an_answer_after_a_thought():
    """As a model in this process reads a prompt without a chat template."""
    asking = manner(Abilities("completions", echo=True, top_logprobs=5))
    begun = SampleRequest(
        "Is it?", max_tokens=9, stop=("Answer:",), thought=Thought("So:\n", "it "), top_k=20, min_p=0.1
    )
    _, body = sample_post(asking, begun, 0, 1)
    assert (body["prompt"], body["stop"], body["top_k"], body["min_p"]) == (
        "Is it?\nSo:\nit ",
        ["Answer:"],
        20,
        0.1,
    )
    _, body = label_post(asking, LabelRequest("Is it?", (("yes", ("yes",)),), thought=CLOSED))
    assert body["prompt"] == "Is it?\nSo:\nit is hot.\nAnswer:\n\n"
    _, body = score_post(asking, ScoreRequest("Is it?", ("yes",), "!", thought=CLOSED), "yes")
    assert body["prompt"] == "Is it?\nSo:\nit is hot.\nAnswer:\n\nyes!"


def test_a_chat_goes_on_with_no_thought_that_has_begun():
    with pytest.raises(InputError, match="one --thinking-budget"):
        sample_post(manner(), SampleRequest("Is it?", thought=Thought("<think>\n", "Hm")), 0, 1)


@pytest.mark.parametrize(
    ("choice", "text", "closed"),
    [
        ({"text": "it is.\n", "finish_reason": "stop"}, "it is.\n", True),
        ({"text": "it is.\n", "finish_reason": "stop", "stop_reason": None}, "it is.\n", False),
        ({"text": "it is", "finish_reason": "length"}, "it is", False),
        ({"text": "it is.</think>yes", "finish_reason": "length"}, "it is.", True),
        ({"message": {"content": "it is.\n</think>\n\nyes"}, "finish_reason": "stop"}, "it is.\n", True),
        ({"message": {"content": "<think>\nit is"}, "finish_reason": "length"}, "it is", False),
        ({"message": {"content": None, "reasoning": "it is"}, "finish_reason": "length"}, "it is", False),
        ({"message": {"content": "ye", "reasoning": "it is"}, "finish_reason": "length"}, "it is\n", True),
        ({"message": {"content": None}, "finish_reason": "length"}, "", False),
    ],
)
def test_chains_are_read_wherever_they_stand(choice, text, closed):
    assert chain_of({"choices": [choice]}, "<think>\n", "</think>") == (text, not closed, 0)


def test_options_are_not_scored_outside_the_chat_of_a_thought():
    can = {
        "prompt_logprobs": True,
        "top_logprobs": 5,
        "continues": 5,
        "marks": ("<think>", "</think>", "\n\n"),
    }
    for route, scores in (("chat", False), ("completions", True)):
        one = model("http://127.0.0.1:9/v1", Abilities(route=route, **can))
        assert one.capabilities.score
        assert one.in_thinking(one.manner).capabilities.score is scores
