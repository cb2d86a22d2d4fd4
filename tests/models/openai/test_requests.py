"""What is sent for a request."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from probsense.core.records import LabelRequest, SampleRequest, ScoreRequest, Thought
from probsense.models.openai.exchange import exchange
from probsense.models.openai.requests import ROOM, Abilities, sent_options, size, trial_seed
from probsense.models.prompts.formats import FORMATS
from support.servers.asking import ECHO, manner

LABELS = (("yes", ("yes",)), ("no", ("no",)))


def posts(asking, request):
    """Path and body of each post of a request."""
    return [(post.path, post.body) for post in next(exchange(asking, request))]


def only(manner, request):
    ((path, body),) = posts(manner, request)
    return path, body


def test_an_option_each():
    request = ScoreRequest("The sky is", (" blue", " red"), " today")
    shared = {"model": "toy", "max_tokens": 1, "temperature": 0}
    found = posts(manner(ECHO), request)
    assert found == [
        ("completions", {**shared, "prompt": f"The sky is{o} today", "echo": True, "logprobs": 1})
        for o in request.options
    ]
    # Options go by completions, as plain text, also where all else goes by chat.
    vllm = Abilities("chat", prompt_logprobs=True)
    assert posts(manner(vllm), request) == [
        ("completions", {**shared, "prompt": f"The sky is{o} today", "prompt_logprobs": 0, "logprobs": 1})
        for o in request.options
    ]


def test_labels_by_chat():
    path, body = only(manner(system_prompt="Be brief."), LabelRequest("Is it?", LABELS))
    assert path == "chat/completions"
    assert body == {
        "model": "toy",
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Is it?"}],
        "max_tokens": 1,
        "temperature": 1,
        "seed": 0,
        "logprobs": True,
        "top_logprobs": 5,
    }


def test_labels_by_completions():
    can = Abilities("completions", top_logprobs=5)
    assert only(manner(can, format=FORMATS["falcon"]), LabelRequest("Is it?", LABELS)) == (
        "completions",
        {"model": "toy", "prompt": "User: Is it?\nFalcon:", "max_tokens": 1, "temperature": 1, "logprobs": 5},
    )


def test_texts():
    request = SampleRequest(
        "Say", n=3, max_tokens=9, temperature=0.7, top_p=0.9, stop=tuple("abcdef"), seed=4
    )
    assert only(manner(), request)[1] == {
        "model": "toy",
        "messages": [{"role": "user", "content": "Say"}],
        "max_tokens": 9,
        "temperature": 0.7,
        "top_p": 0.9,
        "stop": [*"abcd"],
        "n": 3,
        "seed": trial_seed(4, 0),
    }


def test_turns_are_messages_in_a_chat_and_lines_of_a_text():
    request = SampleRequest("And C?", turns=(("Is A?", "yes"), ("Is B?", "no")))
    body = only(manner(system_prompt="Be brief."), request)[1]
    assert [(m["role"], m["content"]) for m in body["messages"]] == [
        ("system", "Be brief."),
        ("user", "Is A?"),
        ("assistant", "yes"),
        ("user", "Is B?"),
        ("assistant", "no"),
        ("user", "And C?"),
    ]
    body = only(manner(ECHO), request)[1]
    assert body["prompt"] == "Is A? yes\nIs B? no\nAnd C?"
    assert size(body)[0] == len(body["prompt"])


@given(st.integers(1, 60), st.integers(1, 8), st.integers(0, 3))
def test_every_trial_has_a_seed_of_its_own(n, many, seed):
    can = Abilities("chat", many=many, seed=True)
    found = posts(manner(can), SampleRequest("Say", n=n, seed=seed))
    assert sum(body.get("n", 1) for _, body in found) == n
    seeds = [body["seed"] for _, body in found]
    assert len(set(seeds)) == len(seeds)
    assert all(0 <= one < 2**31 for one in seeds)
    other = posts(manner(can), SampleRequest("Say", n=n, seed=seed + 1))
    assert not {*seeds} & {body["seed"] for _, body in other}


def test_no_seed_where_it_decides_nothing():
    assert all("seed" not in body for _, body in posts(manner(Abilities()), SampleRequest("Say", n=4)))


def test_what_stands_before_a_conversation_follows_the_system_prompt():
    requests = (
        LabelRequest("Is it?", LABELS, system="You are old."),
        SampleRequest("Is it?", system="You are old."),
    )
    for request in requests:
        user = {"role": "user", "content": "Is it?"}
        for own, text in ((None, "You are old."), ("Be brief.", "Be brief.\n\nYou are old.")):
            _, body = only(manner(system_prompt=own), request)
            assert body["messages"] == [{"role": "system", "content": text}, user]
        _, body = only(manner(format=FORMATS["chat-brief"]), request)
        assert body["messages"][0]["content"] == "Answer with one word.\n\nYou are old."
        can = Abilities("completions", top_logprobs=5)
        _, body = only(manner(can, format=FORMATS["falcon"]), request)
        assert body["prompt"] == "You are old.\n\nUser: Is it?\nFalcon:"
    scored = posts(manner(ECHO), ScoreRequest("Is it", (" so",), system="You are old."))
    assert [body["prompt"] for _, body in scored] == ["You are old.\n\nIs it so"]


def test_a_model_that_thinks_is_asked_as_far_as_its_server_takes_it():
    """A server of open weights takes a temperature; others name the tokens in another way."""
    request = SampleRequest("a", max_tokens=4, temperature=0.7, top_p=0.9, stop=("\n",))
    thinks = Abilities("chat", reasoning=True)
    _, body = only(manner(thinks, reasoning_effort="low"), request)
    assert body["max_completion_tokens"] == 4 + ROOM["low"]
    assert body["reasoning_effort"] == "low"
    assert not {"temperature", "top_p", "max_tokens", "stop"} & body.keys()
    _, body = only(manner(replace(thinks, temperature=True)), request)
    assert (body["max_tokens"], body["temperature"], body["top_p"]) == (4 + ROOM["medium"], 0.7, 0.9)
    assert not {"stop", "reasoning_effort", "max_completion_tokens"} & body.keys()


def test_after_a_closed_thought_an_option_is_sent_without_its_blank_in_batches_too():
    thought = Thought("<think>", "It is white.", "</think>\n\n")
    request = ScoreRequest("Is snow white?", (" yes", " no"), thought=thought)
    bodies = [body for _, body in posts(manner(ECHO), request)]
    assert [body["prompt"].rpartition("</think>")[2] for body in bodies] == ["\n\nyes", "\n\nno"]
    assert sent_options(replace(request, thought=None)) == [" yes", " no"]
