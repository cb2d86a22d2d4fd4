"""The model: verbs, failures and refusals, what is counted, loading."""

import json
import threading
import time
from collections import Counter
from math import exp

import pytest

from probsense.core.errors import InputError, ModelError
from probsense.core.records import Failure, LabelRequest, SampleRequest, ScoreRequest
from probsense.models.base import Capabilities, Usage
from probsense.models.openai.answers import AFTER_NOTE, BLANK_NOTE, ID_NOTE
from probsense.models.openai.load import load
from probsense.models.openai.prices import Price
from probsense.models.openai.requests import Abilities
from probsense.models.registry import fingerprint, load_model
from support.models.answers import collect
from support.servers import endpoints, hostile
from support.servers.asking import CHAT_20, ECHO, model
from support.servers.hostile import as_json, response, serving

LABELS = (("yes", ("yes",)), ("no", ("no",)))
ASK = [LabelRequest(f"Is {i} it?", LABELS) for i in range(40)]


def answered(reply, requests, verb="labels", can=CHAT_20, **more):
    """What a server with these replies answers to requests."""
    with serving(reply=reply) as server:
        return collect(getattr(model(server.url, can, **more), verb)(requests))


@pytest.mark.parametrize(
    ("can", "capabilities"),
    [
        (Abilities("chat"), Capabilities(sample=True, chat=True, system_prompt=True)),
        (Abilities("chat", top_logprobs=1), Capabilities(sample=True, chat=True, system_prompt=True)),
        (CHAT_20, Capabilities(labels="topk", sample=True, chat=True, system_prompt=True)),
        (ECHO, Capabilities(score=True, labels="topk", sample=True, thought="begun")),
        (
            Abilities("completions", prompt_logprobs=True, top_logprobs=20, label_ids="logprob_token_ids"),
            Capabilities(score=True, labels="exact", sample=True, thought="begun"),
        ),
    ],
)
def test_capabilities(can, capabilities):
    asked = model("http://127.0.0.1:9/v1", can)
    assert asked.capabilities == capabilities
    if not capabilities.score:
        with pytest.raises(ModelError, match="prompts"):
            asked.score([])
    if not capabilities.labels:
        with pytest.raises(ModelError, match="alternatives"):
            asked.labels([])


def test_no_requests():
    assert [*model("http://127.0.0.1:9/v1").labels([])] == []


def test_answers_come_one_by_one():
    gate = threading.Event()

    def reply(path, head, body):
        if "Is 1 it?" in str(body):
            gate.wait(10)
        return as_json(hostile.chat_answer(body))

    with serving(reply=reply) as server:
        batches = model(server.url, concurrency=1).labels(ASK[:2])
        assert [index for index, _ in next(batches)] == [0]
        gate.set()
        assert [index for batch in batches for index, _ in batch] == [1]


@pytest.mark.parametrize("counts", [True, False])
def test_usage_and_prices(counts):
    """What a server does not count is estimated, so that budgets hold."""

    def reply(path, head, body):
        answer = hostile.chat_answer(body)
        return as_json(answer if counts else answer | {"usage": None})

    with serving(reply=reply) as server:
        asked = model(server.url)
        asked.price = Price(input=2.0, output=10.0)
        collect(asked.labels(ASK[:10]))
        used = asked.usage
    read = sum(len(request.prompt) if counts else -(-len(request.prompt) // 4) for request in ASK[:10])
    assert (used.requests, used.tokens, used.written) == (10, read, 10)
    assert used.cost == pytest.approx((2 * read + 10 * 10) / 1e6)
    assert used.seconds > 0


def test_a_forecast_asks_nothing():
    asked = model("http://127.0.0.1:9/v1", ECHO)
    assert not asked.priced
    asked.price = Price(1.0, 4.0)
    assert asked.priced
    found = asked.forecast(
        [ScoreRequest("abcd", ("efgh", "e"), "i"), LabelRequest("a" * 40, LABELS), SampleRequest("ab", 10, 8)]
    )
    tokens, written = 3 + 2 + 10 + 1 + 1, 1 + 1 + 1 + 80
    assert found == Usage(
        tokens=tokens, written=written, requests=5, cost=pytest.approx((tokens + 4 * written) / 1e6)
    )
    assert asked.usage == Usage()


def test_a_key_that_is_withdrawn_ends_all_but_keeps_what_came():
    count = Counter()

    def reply(path, head, body):
        count["all"] += 1
        return (
            as_json(hostile.chat_answer(body)) if count["all"] <= 20 else as_json({"error": "expired"}, 401)
        )

    found = []
    with serving(reply=reply) as server, pytest.raises(ModelError, match="expired"):
        found.extend(one for batch in model(server.url).labels(ASK) for one in batch)
    assert len(dict(found)) == 20
    assert not any(isinstance(answer, Failure) for _, answer in found)


def test_one_request_that_the_server_does_not_take_is_a_failure():
    def reply(path, head, body):
        if "Is 3 it?" in str(body):
            return as_json({"error": {"message": "too long"}}, 400)
        return as_json(hostile.chat_answer(body))

    found = answered(reply, ASK[:10])
    assert found.pop(3) == Failure("HTTP 400: too long", 1)
    assert [answer.server["system_fingerprint"] for answer in found.values()] == ["fp_1"] * 9


def test_when_the_server_takes_none_it_is_not_the_words():
    with serving(reply=lambda *_: as_json({"error": "bad parameter"}, 400)) as server:
        with pytest.raises(ModelError, match="bad parameter; it does not take this request"):
            collect(model(server.url).labels(ASK))
        assert sum(server.asked.values()) <= 16
        with pytest.raises(ModelError, match="bad parameter"):
            collect(model(server.url).labels(ASK[:1]))


@pytest.mark.parametrize(("given", "posts"), [(3, 3), (9, 1)])
def test_fewer_texts_than_asked_are_topped_up_with_other_seeds_and_more_are_left(given, posts):
    seeds = []

    def reply(path, head, body):
        seeds.append(body["seed"])
        return as_json(hostile.chat_answer(body | {"n": given}))

    found = answered(reply, [SampleRequest("Say", n=8)], "sample")
    assert len(set(found[0].texts)) == len(found[0].texts) == 8
    assert len(set(seeds)) == len(seeds) == posts


def blank_first(body, second):
    answer = hostile.chat_answer(body)
    top = [{"token": t, "logprob": x} for t, x in (("\n", -0.1), ("yes", -3.0))]
    then = [{"token": t, "logprob": x} for t, x in (("yes", -0.5), ("no", -1.5))]
    content = [{"top_logprobs": top}, {"top_logprobs": then}]
    answer["choices"][0]["logprobs"]["content"] = content[: 2 if second and body["max_tokens"] == 2 else 1]
    return answer


@pytest.mark.parametrize(("second", "note"), [(True, AFTER_NOTE), (False, BLANK_NOTE)])
def test_labels_are_read_after_white_space_where_they_can_be(second, note):
    found = answered(lambda p, h, body: as_json(blank_first(body, second)), ASK[:1], tries=2)[0]
    assert found.note == note
    assert found.mass["yes"] > 0.5 if second else found.other > 0.9


IDS = {"yes": [11], "Yes": [12], "YES": [1, 2], "no": [13], " no": [14], "No": [14]}


def by_ids(path, head, body):
    if path == "/tokenize":
        return as_json({"tokens": IDS.get(body["prompt"], [1, 2])})
    logprobs = {11: -1.0, 12: -2.0, 13: -1.5, 14: -4.0}
    top = [{"token": f"token_id:{i}", "logprob": logprobs[i]} for i in body["logprob_token_ids"]]
    return as_json({"choices": [{"logprobs": {"content": [{"top_logprobs": top}]}}]})


BY_IDS = Abilities("chat", top_logprobs=5, label_ids="logprob_token_ids")


def test_labels_by_the_ids_of_their_tokens():
    found = answered(by_ids, ASK[:5], can=BY_IDS)
    assert len(found) == 5
    assert found[0].mass == pytest.approx({"yes": exp(-1) + exp(-2), "no": exp(-1.5) + exp(-4)})
    assert (found[0].source, found[0].note) == ("exact", ID_NOTE)


def test_labels_without_tokens_of_their_own_are_read_from_the_most_probable():
    def reply(path, head, body):
        if path == "/tokenize":
            return response(b"{}", 404)
        assert "logprob_token_ids" not in body
        return as_json(hostile.chat_answer(body))

    assert answered(reply, ASK[:1], can=BY_IDS)[0].source == "topk"


def test_another_model_may_not_answer():
    count = Counter()

    def reply(path, head, body):
        count["all"] += 1
        name = "deployment-7" if count["all"] % 2 else "another-one"
        return as_json(hostile.chat_answer(body) | {"model": name})

    found = answered(reply, ASK[:6], concurrency=1)
    assert {answer.server["model"] for answer in found.values()} == {"deployment-7"}


def test_interrupting_stops_at_once():
    with serving(delay=0.05) as server:
        batches = model(server.url, concurrency=4).labels(ASK)
        next(batches)
        batches.close()
        asked = sum(server.asked.values())
        time.sleep(0.2)
        assert sum(server.asked.values()) <= asked + 4


# Loading


def test_loading_without_an_examination_asks_nothing(monkeypatch, tmp_path):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary-0123456789abcdef")
    table = tmp_path / "prices.yaml"
    table.write_text("toy*: {input: 1, output: 2}")
    url = "http://127.0.0.1:9/v1"
    found = load_model("openai:toy-1", base_url=url + "/", abilities=CHAT_20, prices=table, concurrency=3)
    assert (found.name, found.price, found.client.concurrency) == ("openai:toy-1", Price(1, 2), 3)
    assert fingerprint(found) == "38f79f414dccf7220044f80e6b0236da"  # so that stored answers are found
    for shown in (repr(found), json.dumps(found.details), repr(vars(found.client))):
        assert "canary" not in shown


def test_the_fingerprint_is_of_what_changes_numbers():
    def key(**more):
        return fingerprint(load("toy", **{"base_url": "http://h/v1", "abilities": CHAT_20} | more))

    same = [{"max_tries": 3}, {"timeout": 1.0}, {"concurrency": 2}, {"api_key_env": "X"}]
    other = [
        {"base_url": "http://g/v1"},
        {"system_prompt": "x"},
        {"prompt_format": "gpt-5"},
        {"reasoning_effort": "low"},
        {"abilities": ECHO},
        {"extra_body": '{"top_k": 0}'},
    ]
    assert {key(**more) for more in same} == {key()}
    plain, by_ids = Abilities("chat", top_logprobs=1), Abilities("chat", top_logprobs=20, label_ids="x")
    # Answers of servers without tables of tokens stay stored.
    versions = [
        load("toy", base_url="http://h/v1", abilities=can).details["version"]
        for can in (CHAT_20, plain, by_ids)
    ]
    assert versions == [2, 1, 1]
    assert len({key(), *(key(**more) for more in other)}) == 7


def test_abilities_in_words():
    found = load("toy", base_url="http://h/v1", abilities="completions, top_logprobs=5,echo,many,seed")
    assert found.asking.can == ECHO
    said = load("toy", base_url="http://h/v1", abilities="prompt_logprobs,reasoning,many=4").asking.can
    assert said == Abilities("chat", prompt_logprobs=True, reasoning=True, many=4)


def test_what_is_asked_besides_is_asked_always():
    habits = endpoints.Habits(label_ids=False)
    with endpoints.serving(habits) as url:
        asked = load("toy", base_url=url, extra_body={"top_k": 0, "repeat_penalty": 1})
        collect(asked.labels(ASK[:2]))
        collect(asked.sample([SampleRequest("Say it")]))
        collect(asked.score([ScoreRequest("a", (" b",))]))
    bodies = [body for _, body in habits.asked if body]
    assert len(bodies) > 10
    assert all((body["top_k"], body["repeat_penalty"]) == (0, 1) for body in bodies)


def test_a_request_that_cannot_be_answered_fails_alone():
    requests = [ScoreRequest("", ("nothing before",)), ScoreRequest("a", (" b",))]
    found = answered(None, requests, "score", ECHO)
    assert "nothing stands before the first token of 'nothing before'" in found[0].reason
    assert len(found[1].options) == 1


def test_formats_and_efforts():
    def manner(**more):
        return load("toy", **{"base_url": "http://h/v1", "abilities": CHAT_20} | more).asking

    thinks = Abilities("chat", reasoning=True)
    assert manner().format.name == "chat"
    assert manner(abilities=ECHO).format.name == "plain"
    assert manner(abilities=ECHO, prompt_format="falcon").format.name == "falcon"
    assert (manner(abilities=thinks).format.name, manner(abilities=thinks).reasoning_effort) == (
        "gpt-5",
        "minimal",
    )
    assert manner(abilities=thinks, prompt_format="chat").format.name == "chat"
    forced = manner(reasoning_effort="high")
    assert (forced.can.reasoning, forced.reasoning_effort) == (True, "high")


@pytest.mark.parametrize(
    ("more", "part"),
    [
        ({"argument": ""}, "names no model"),
        ({"base_url": "nowhere"}, "the base URL"),
        ({"prompt_format": "olmo"}, "cannot be given the prompt format olmo: its template cannot be changed"),
        ({"prompt_format": "chat-answer"}, "format chat-answer: its chat begins each answer itself"),
        ({"prompt_format": "nothing"}, "no such prompt format"),
        ({"prompt_format": "plain"}, "the route completions, but the abilities of chat"),
        ({"abilities": ECHO, "system_prompt": "x"}, "a system prompt needs the route chat"),
        ({"reasoning_effort": "much"}, "no such reasoning_effort: 'much'"),
        ({"abilities": "chat,telepathy"}, "the ability 'telepathy'"),
        ({"abilities": "chat=1"}, "the ability 'chat=1'"),
        ({"abilities": "many=9"}, "the ability 'many=9'"),
        ({"abilities": "top_logprobs=many"}, "the ability 'top_logprobs=many'"),
        ({"abilities": ""}, "the ability ''"),
        ({"extra_body": "{"}, "extra_body is no JSON object"),
        ({"extra_body": "[1]"}, "extra_body is no JSON object"),
        ({"extra_body": {"top_k": 0, "stream": True}}, "'stream', which is sent anyway"),
        ({"max_tries": 0}, "max_tries 0"),
        ({"timeout": -1.0}, "timeout -1"),
        ({"timeout": float("nan")}, "timeout"),
        ({"concurrency": 0}, "concurrency 0"),
    ],
)
def test_wrong_options(more, part):
    options = {"argument": "toy", "base_url": "http://127.0.0.1:9/v1", "abilities": CHAT_20} | more
    with pytest.raises(InputError, match=part):
        load(options.pop("argument"), **options)


def test_a_model_without_a_price(tmp_path):
    table = tmp_path / "prices.yaml"
    table.write_text("other: {input: 1, output: 2}")
    with pytest.raises(InputError, match=r"no price for 'toy' \(expected one of other\)"):
        load("toy", base_url="http://h/v1", abilities=CHAT_20, prices=table)
