"""The lines of batch files: what is asked, whose the lines are that come back, and what they amount to."""

import pytest

from probsense.core.errors import InputError
from probsense.core.records import (
    Failure,
    LabelRequest,
    LabelResponse,
    SampleRequest,
    SampleResponse,
    ScoreRequest,
    ScoreResponse,
)
from probsense.models.base import Usage
from probsense.models.openai.exchange import BLANK, FEWER, OpenAIBatch, posts
from probsense.models.openai.prices import Price
from probsense.models.openai.requests import Abilities
from support.servers.asking import CHAT_20, ECHO, manner, model
from support.servers.endpoints import Habits

SCORE = ScoreRequest("The sky is", (" blue", " red"), " today")
LABEL = LabelRequest("Is it?", (("yes", ("Yes",)), ("no", ("No",))))
SAMPLE = SampleRequest("Say", n=11, max_tokens=3)
NOWHERE = "http://127.0.0.1:9/v1"
KEY = "0123456789abcdef" * 2


def came_back(line, habits=None):
    """What a batch endpoint makes of a line."""
    status, body = (habits or Habits()).reply(line["url"], line["body"])
    return {"custom_id": line["custom_id"], "response": {"status_code": status, "body": body}, "error": None}


def answers_of(lines, request, habits=None):
    """The answers to all parts of a request, as they are read."""
    found = {}
    for line in lines.ask(KEY, request):
        back = came_back(line, habits)
        part = lines.part_of(back)
        answer, _ = lines.answer(back)
        found[part[1]] = answer
    return found


def test_tokens_by_their_ids_have_no_place_in_them():
    asked = model(NOWHERE)
    assert asked.batch_lines == OpenAIBatch(asked.asking, None)
    asked = model(NOWHERE, Abilities("chat", top_logprobs=5, label_ids="logprob_token_ids"))
    with pytest.raises(InputError, match="by their ids, which have to be asked for at once"):
        _ = asked.batch_lines


@pytest.mark.parametrize(("can", "request_"), [(ECHO, SCORE), (CHAT_20, LABEL), (CHAT_20, SAMPLE)])
def test_a_line_asks_what_a_server_is_asked(can, request_):
    lines = OpenAIBatch(manner(can))
    asked = lines.ask(KEY, request_)
    sent = [("POST", f"/v1/{post.path}", post.body) for post in posts(manner(can), request_)]
    assert [(line["method"], line["url"], line["body"]) for line in asked] == sent
    assert [lines.part_of(line) for line in asked] == [(KEY, i) for i in range(len(asked))]
    assert all(len(line["custom_id"]) <= 64 for line in asked)
    assert len(asked) == {SCORE: 2, LABEL: 1, SAMPLE: 2}[request_]


@pytest.mark.parametrize(
    "name", [None, 3, "", "x-1", f"{'g' * 32}-0", f"{'0' * 32}-", f"{'0' * 32}-0 ", f"{'0' * 31}-0"]
)
def test_lines_of_other_programs_have_no_part(name):
    assert OpenAIBatch(manner()).part_of({"custom_id": name}) is None
    assert OpenAIBatch(manner()).part_of({}) is None


@pytest.mark.parametrize(("can", "request_"), [(ECHO, SCORE), (CHAT_20, LABEL), (CHAT_20, SAMPLE)])
def test_answers_to_all_parts_are_a_response_and_missing_ones_are_waited_for(can, request_):
    lines = OpenAIBatch(manner(can))
    whole = answers_of(lines, request_)
    match lines.response(request_, whole):
        case ScoreResponse(options=options):
            assert len(options) == 2
        case LabelResponse(mass=mass):
            assert mass["yes"] > 0.5
        case SampleResponse(texts=texts):
            assert len(texts) == 11
    for part in whole:
        assert lines.response(request_, {k: v for k, v in whole.items() if k != part}) is None
    assert lines.response(request_, {7: whole[0]}) is None


def test_white_space_first_is_asked_for_again_behind_it():
    lines, blank = OpenAIBatch(manner()), Habits(blank=True)
    first = lines.response(LABEL, answers_of(lines, LABEL, blank))
    assert first == Failure(BLANK, 1)
    (again,) = lines.ask(KEY, LABEL, first)
    assert lines.part_of(again) == (KEY, 1)
    assert again["body"]["max_tokens"] == 2
    answer, _ = lines.answer(came_back(again, blank))
    assert isinstance(lines.response(LABEL, {1: answer}), LabelResponse)
    assert lines.ask(KEY, LABEL, Failure("HTTP 500", 1)) == lines.ask(KEY, LABEL)
    assert lines.ask(KEY, SAMPLE, Failure(BLANK, 1)) == lines.ask(KEY, SAMPLE)


def test_too_few_texts_are_a_failure():
    lines = OpenAIBatch(manner())
    few = answers_of(lines, SAMPLE, Habits(n="ignored"))
    assert lines.response(SAMPLE, few) == Failure(FEWER, 1)


FAULTS = {
    "expired": ({"error": {"code": "batch_expired", "message": "not in\n time"}}, "not in time"),
    "a code alone": ({"error": {"code": "batch_expired"}}, "batch_expired"),
    "status": (
        {"response": {"status_code": 429, "body": {"error": {"message": "too  many"}}}},
        "HTTP 429: too many",
    ),
    "no body": ({"response": {"status_code": 500, "body": None}}, "HTTP 500"),
    "nothing": ({"response": None, "error": None}, "the line has no answer"),
    "nobody said why": (
        {"response": {"status_code": 400, "body": {"error": {"message": ""}}}},
        "HTTP 400: no reason is given",
    ),
    "another model": (
        {"response": {"status_code": 200, "body": {"model": "gpt", "choices": []}}},
        "another model answered, 'gpt'",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_line_without_an_answer_says_why_and_costs_nothing(fault):
    line, reason = FAULTS[fault]
    assert OpenAIBatch(manner(), Price(1, 2)).answer(line) == (Failure(reason, 1), Usage())


def test_an_answer_says_what_it_cost():
    body = {"model": "toy", "usage": {"prompt_tokens": 10, "completion_tokens": 3}}
    line = {"response": {"status_code": 200, "body": body}}
    assert OpenAIBatch(manner(), Price(1e6, 2e6)).answer(line) == (
        body,
        Usage(requests=1, tokens=10, written=3, cost=16.0),
    )
    assert OpenAIBatch(manner()).answer(line)[1].cost == 0
