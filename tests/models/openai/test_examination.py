import asyncio
import math
from dataclasses import replace

import pytest

from probsense.core.errors import ModelError
from probsense.models.openai.answers import ScoredToken
from probsense.models.openai.client import Client, run_sync
from probsense.models.openai.examination import examine, rescaled
from probsense.models.openai.keys import Key
from probsense.models.openai.requests import Abilities
from probsense.models.openai.wire import Refused
from support.servers.endpoints import Habits, serving

ALL = Abilities("chat", echo=True, top_logprobs=20, label_ids="logprob_token_ids", many=8, seed=True)


def examined(habits, *, model="toy", route=None, key=""):
    async def main(url):
        async with Client(
            url, Key(key) if key else None, 10, 2, 4, sleep=lambda _: asyncio.sleep(0)
        ) as client:
            return await examine(client, model, route, {})

    with serving(habits) as url:
        return run_sync(main(url))


def by_name(found):
    named = {finding.name: finding for finding in found.findings}
    assert len(named) == len(found.findings)
    return named


def test_a_server_that_does_everything_as_it_should():
    habits = Habits()
    found = examined(habits)
    assert found.can == ALL
    assert all(finding.ok for finding in found.findings)
    assert by_name(found)["options"].data["largest_difference"] == pytest.approx(0, abs=1e-12)
    assert by_name(found)["labels"].data["top_logprobs"] == 20
    assert len(habits.asked) <= 14


def test_the_route_that_was_asked_for_is_the_only_one():
    habits = Habits()
    chat = examined(habits, route="chat")
    assert (chat.can.route, chat.can.echo) == ("chat", False)
    assert by_name(chat)["options"].ok is None
    assert "/v1/completions" not in {path for path, _ in habits.asked}
    habits = Habits()
    plain = examined(habits, route="completions")
    assert (plain.can.route, plain.can.echo) == ("completions", True)
    assert "/v1/chat/completions" not in {path for path, _ in habits.asked}


def test_without_a_chat_the_other_route_is_used():
    found = examined(Habits(routes=("completions",)))
    assert (found.can.route, found.can.echo, found.can.top_logprobs) == ("completions", True, 20)


NO_PROMPTS = {"prompt_logprobs": "ignored"}
NO_ECHO, VLLM = {"echo": False}, {"echo": False, "prompt_logprobs": True}
NO_LABELS = {"top_logprobs": 0, "label_ids": None}
BEGINNING = "beginning of sequence"

ECHO_IGNORED = {"echo": "ignored", **NO_PROMPTS}
CHANCE = "every option would come out at chance"

LIES = {
    "echo ignored": (ECHO_IGNORED, NO_ECHO, "options", False, CHANCE),
    "of the next token": ({"echo": "shifted", **NO_PROMPTS}, NO_ECHO, "options", False, "nats apart"),
    "rows one place late": ({"echo": "late", **NO_PROMPTS}, NO_ECHO, "options", False, "one place too late"),
    "a probability above 1": ({"factor": 1.5}, NO_LABELS, "labels", False, "above 0"),
    "scaled to sum to 1": ({"rescaled": True}, NO_LABELS, "alternatives", False, "sum to 1 at every place"),
}
LIMITS = {
    "echo refused": ({"echo": "refused", **NO_PROMPTS}, NO_ECHO, "options", None, "echo is not supported"),
    "vLLM's way": ({"echo": "ignored"}, VLLM, "options", True, "prompt_logprobs gives"),
    "vLLM's way, something before": ({"echo": "refused"}, VLLM, BEGINNING, True, "not shown"),
    "five alternatives": ({"most": 5}, {"top_logprobs": 5}, "labels", True, "5 alternatives"),
    "white space first": ({"blank": True}, {}, "first token", None, "white space"),
    "ids not served": ({"label_ids": False}, {"label_ids": None}, "label ids", None, "not served"),
    "n ignored": ({"n": "ignored"}, {"many": 1}, "n", None, "gives 1"),
    "n copies": ({"n": "copied"}, {"many": 1}, "n", None, "one and the same"),
    "four slots": ({"slots": 4}, {"many": 1}, "n", None, "one by one, not 8 at once: HTTP 400: n_cmpl"),
    "seed ignored": ({"seed": "ignored"}, {"seed": False}, "seed", None, "does not give the same text"),
    "one seed for all": ({"seed": "fixed"}, {"seed": False}, "seed", None, "another seed gives the same"),
    "two beginnings": ({"bos": ("<s>", "<s>")}, {}, BEGINNING, False, "'<s>' '<s>'"),
    "nothing before": ({"bos": ()}, {}, BEGINNING, None, "nothing is seen"),
    "a penalty": ({"penalty": 5.0}, {}, "texts, the most probable", False, "nats less probable"),
    "no rare tokens": ({"cut": 3.0}, {}, "texts, rare tokens", None, "leave them out"),
}


@pytest.mark.parametrize("habit", LIES | LIMITS)
def test_what_it_does_is_seen_whatever_it_says(habit):
    habits, changed, name, ok, words = (LIES | LIMITS)[habit]
    found = examined(Habits(**habits))
    finding = by_name(found)[name]
    assert finding.ok is ok
    assert words in finding.detail
    assert found.can == replace(ALL, **changed)
    assert [other.name for other in found.findings if other.ok is False] == [name] * (ok is False)


def test_rounding_is_no_lie():
    found = examined(Habits(noise=0.1))
    assert found.can.echo
    assert 0 < by_name(found)["options"].data["largest_difference"] < 0.1


def test_no_log_probabilities_leave_texts():
    found = examined(Habits(most=0, prompt_logprobs="ignored"))
    assert found.can == Abilities(route="chat", many=8, seed=True)
    assert by_name(found)["labels"].ok is None


def test_a_server_that_breaks_down_over_log_probabilities():
    habits = Habits(breaks=True)
    found = examined(habits)
    assert found.can == Abilities(route="chat", many=8, seed=True)
    assert "logits were not kept" in by_name(found)["options"].detail
    assert len([body for _, body in habits.asked if body.get("logprobs")]) == 2 * 3


def test_a_model_that_thinks_first():
    habits = Habits(reasoning=True, routes=("chat",))
    found = examined(habits)
    assert found.can == Abilities(route="chat", many=8, reasoning=True)
    assert habits.asked[-1][1]["max_completion_tokens"] > 0


def test_what_cannot_work_is_refused_with_a_sentence():
    with pytest.raises(Refused, match="the name of the model and prompt_format"):
        examined(Habits(), model="none")
    with pytest.raises(Refused, match=r"HTTP 401.*check the key"):
        examined(Habits(key="a-very-secret-key"), key="sk-canary-0123456789")
    with pytest.raises(Refused, match="prompt_format"):
        examined(Habits(routes=()))
    with pytest.raises(ModelError, match="not with choices"):
        examined(Habits(choices=False))


def table(*shares):
    return [ScoredToken(f"w{i}", math.log(p)) for i, p in enumerate(shares)]


def test_a_table_that_sums_to_1_is_suspicious_only_where_no_token_has_most():
    flat, peaked, honest = table(0.4, 0.35, 0.2495), table(0.9, 0.1), table(0.4, 0.3)
    assert rescaled([flat] * 8)
    assert rescaled([flat] * 8 + [peaked] * 5)
    assert not rescaled([flat] * 7)
    assert not rescaled([peaked] * 30)
    assert not rescaled([flat] * 20 + [honest])
    assert not rescaled([])
