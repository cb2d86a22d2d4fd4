"""Damaged answers of a server: every parser gives what can be stored, or calls them malformed."""

import asyncio
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuzz.damage import EDITS, damaged, fuzzing, outcome
from probsense.core.errors import InputError, ModelError
from probsense.core.records import (
    LabelRequest,
    SampleRequest,
    ScoreRequest,
    response_from_json,
    response_to_json,
)
from probsense.models.openai import answers as parse
from probsense.models.openai.client import error_in, json_object
from probsense.models.openai.examination import examine
from probsense.models.openai.exchange import OpenAIBatch
from probsense.models.openai.keys import Key
from probsense.models.openai.requests import Abilities, label_post, sample_post, score_post
from probsense.models.openai.wire import Exhausted, Malformed, Refused, Unanswerable
from support.servers import hostile
from support.servers.asking import ECHO, manner

KEY = Key("sk-canary-0123456789abcdef")
VLLM = Abilities("completions", prompt_logprobs=True, top_logprobs=5)
CHAT, PLAIN, PROMPT = manner(), manner(ECHO), manner(VLLM)
SCORE = ScoreRequest("The sky is", (" blue", " 世"), " today")
LABEL = LabelRequest("Is it?", (("yes", ("Yes",)), ("no", ("No",))))
SAMPLE = SampleRequest("Say", n=2, stop=("\n",))
EXPECTED = (Malformed, Unanswerable, Refused, Exhausted, InputError, ModelError)
Answer = dict[str, Any]


def of_prompt(body):
    """An answer with vLLM's ``prompt_logprobs``."""
    tokens = hostile.tokens_of(body["prompt"])
    found = [None, *({str(i): {"logprob": x, "decoded_token": t}} for i, (t, x) in enumerate(tokens[1:]))]
    return {"model": "toy", "choices": [{"index": 0, "text": " end", "prompt_logprobs": found}]}


def score(how):
    return lambda answer: parse.option_score(how, SCORE, SCORE.options[0], answer)


def batch(answer):
    """Read an answer in a line of a batch file."""
    lines = OpenAIBatch(CHAT, key=KEY)
    body, _ = lines.answer({"response": {"status_code": 200, "body": answer}})
    return lines.response(SAMPLE, {0: body}) if isinstance(body, dict) else body


PARSERS = {
    "labels of a chat": (
        hostile.chat_answer(label_post(CHAT, LABEL)[1]),
        lambda answer: parse.label_response(CHAT, LABEL, answer),
    ),
    "labels": (
        hostile.completion_answer(label_post(PLAIN, LABEL)[1]),
        lambda answer: parse.label_response(PLAIN, LABEL, answer),
    ),
    "texts": (
        hostile.chat_answer(sample_post(CHAT, SAMPLE, 0, 2)[1]),
        lambda answer: (parse.texts(answer, SAMPLE.stop), parse.server(answer), parse.tokens_used(answer)),
    ),
    "options": (hostile.completion_answer(score_post(PLAIN, SCORE, " blue")[1]), score(PLAIN)),
    "options of vLLM": (of_prompt(score_post(PROMPT, SCORE, " blue")[1]), score(PROMPT)),
    "a batch": (hostile.chat_answer(sample_post(CHAT, SAMPLE, 0, 2)[1]), batch),
    "ids": ({"tokens": [1, 2], "count": 2}, parse.token_ids),
    "an error": ({"error": {"message": "slow down", "code": 7}}, lambda answer: answer),
}


def check(found):
    """What was read can be stored, and is read back."""
    if isinstance(found, parse.LabelResponse):
        assert response_from_json(found.kind, response_to_json(found)) == found
        assert all(0 <= mass <= 1 for mass in found.mass.values())
    elif found is not None:
        json.dumps(repr(found), allow_nan=False).encode()


@pytest.mark.parametrize("name", PARSERS)
def test_whole_answers_are_read(name):
    answer, read = PARSERS[name]
    assert read(answer)


@pytest.mark.parametrize("name", PARSERS)
@fuzzing
@given(edits=EDITS)
def test_damaged_answers(name, edits):
    answer, read = PARSERS[name]
    raw = damaged(json.dumps(answer).encode(), edits)
    check(outcome(lambda: read(json_object(raw, KEY)), EXPECTED))
    error_in(raw, KEY)


class Damaging:
    """A client whose server damages some of its answers."""

    base_url = "http://127.0.0.1:9/v1"

    def __init__(self, draw):
        self._draw = draw

    async def ask(self, path, body, read):
        answer = hostile.truth(f"/{path}", dict(body or {}))
        try:
            return read(json_object(damaged(json.dumps(answer).encode(), self._draw()), KEY))
        except Malformed as error:
            raise Exhausted(str(error), 1) from None

    async def post(self, path, body):
        return await self.ask(path, body, lambda answer: answer)


@fuzzing
@given(st.data())
def test_the_doctor_of_a_damaged_server(data):
    maybe = st.just([]) | st.just([]) | EDITS
    client = Damaging(lambda: data.draw(maybe))
    found = outcome(lambda: asyncio.run(examine(client, "toy", None, {})), EXPECTED)
    if found is not None:
        for finding in found.findings:
            json.dumps([finding.detail, dict(finding.data)], allow_nan=False)
