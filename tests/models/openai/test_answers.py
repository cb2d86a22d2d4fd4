"""What answers say: masses, options, texts, and what is no answer."""

import json
import math

import numpy as np
import pytest

from probsense.core.errors import InputError, ModelError
from probsense.core.records import (
    LabelRequest,
    SampleResponse,
    ScoreRequest,
    response_from_json,
    response_to_json,
)
from probsense.models.openai import answers as parse
from probsense.models.openai.requests import Abilities, score_post
from probsense.models.openai.wire import Malformed, Passing
from probsense.models.prompts.thoughts import without_thoughts
from support.servers import hostile
from support.servers.asking import CHAT_20, ECHO, manner

LABELS = (("yes", ("yes",)), ("no", ("no",)))
ASK = LabelRequest("Is it?", LABELS)


def chat(tops, **more):
    content = [
        {
            "token": "x",
            "logprob": -1,
            "top_logprobs": [{"token": t, "logprob": x, "bytes": b} for t, x, b in top],
        }
        for top in tops
    ]
    return {"choices": [{"logprobs": {"content": content}, **more}], "model": "toy"}


def top(*pairs):
    return [(token, math.log(p), [*token.encode()]) for token, p in pairs]


def mass(*pairs, can=CHAT_20, labels=LABELS, **more):
    return parse.label_response(manner(can), LabelRequest("Is it?", labels), chat([top(*pairs)]), **more)


def test_the_mass_and_its_bounds_are_what_a_plain_loop_finds():
    """What is not among the tokens is "other", unlike in the publication (judgments specification, section 2.3)."""
    rng = np.random.default_rng(3)
    words = ["yes", " Yes", "no", "NO", "maybe", "perhaps", "I", "the"]
    for i in range(300):
        names = ("yes", "no", "maybe")[: 2 + i % 2]
        k = int(rng.integers(1, 6))
        shares = rng.dirichlet(np.ones(k + 1))[:k] if i % 5 else np.full(k, 1 / k)
        pairs = [*zip(rng.choice(words, k, replace=False).tolist(), shares.tolist(), strict=True)]
        found = mass(*pairs, labels=tuple((name, (name,)) for name in names))
        said = {name: [p for word, p in pairs if word.strip().lower() == name] for name in names}
        rest = max(1 - shares.sum(), 0)
        unsaid = min(rest / max(sum(not own for own in said.values()), 1), *shares, 1.0)
        expected = {name: sum(own) if own else unsaid for name, own in said.items()}
        assert found.mass == pytest.approx(expected, abs=1e-12)
        assert found.other == pytest.approx(1 - sum(expected.values()), abs=1e-12)
        assert (found.source, found.note, found.server) == ("topk", "", {"model": "toy"})
        for name, own in said.items():
            assert found.bounds[name] == pytest.approx((sum(own), sum(own) + rest), abs=1e-12)
        assert response_from_json("labels", response_to_json(found)) == found


def test_a_token_that_comes_twice_counts_once_but_another_of_the_same_text_counts_too():
    one, other = top(("yes", 0.3))[0], ("yes", math.log(0.1), [1])
    found = parse.label_response(manner(), ASK, chat([[one, one, other, *top(("no", 0.6))]]))
    assert found.mass == pytest.approx({"yes": 0.4, "no": 0.6})


def test_what_is_beyond_the_k_most_probable_does_not_count():
    can = Abilities("chat", top_logprobs=2)
    assert mass(("yes", 0.5), ("no", 0.3), ("yes!", 0.1), can=can) == mass(("yes", 0.5), ("no", 0.3), can=can)


@pytest.mark.parametrize("blank", [" ", "\n\n", "▁", ""])
def test_white_space_that_comes_first_is_reported(blank):
    found = mass((blank, 0.6), ("yes", 0.3), ("no", 0.1))
    assert found.note == parse.BLANK_NOTE
    assert found.other == pytest.approx(0.6)


def test_labels_after_white_space():
    answer = chat([top(("\n", 0.6)), top(("yes", 0.75), ("no", 0.25))])
    found = parse.label_response(manner(), ASK, answer, after_blank=True)
    assert found.mass == pytest.approx({"yes": 0.75, "no": 0.25})
    assert found.note == parse.AFTER_NOTE
    for wrong in (chat([top(("yes", 0.6)), top(("yes", 1.0))]), chat([top(("\n", 0.6))])):
        with pytest.raises(Malformed, match="white space"):
            parse.label_response(manner(), ASK, wrong, after_blank=True)


def test_labels_by_ids():
    ids = {7: 0, 8: 0, 9: 1}
    found = mass(
        ("token_id:7", 0.5), ("token_id:8", 0.25), ("token_id:9", 0.125), ("token_id:3", 0.1), ids=ids
    )
    assert found.mass == pytest.approx({"yes": 0.75, "no": 0.125})
    assert (found.source, found.other) == ("exact", pytest.approx(0.125))
    with pytest.raises(Malformed, match="1 of 3 tokens that were asked for by their ids are missing"):
        mass(("token_id:7", 0.5), ("token_id:8", 0.25), ids=ids)


def log(value):
    return chat([[("yes", value, None), *top(("no", 0.1))]])


@pytest.mark.parametrize(
    ("answer", "part"),
    [
        ({}, "no choices"),
        ({"choices": [3]}, "no JSON object"),
        ({"choices": [{"logprobs": None}]}, "no log-probabilities"),
        (
            {"choices": [{"logprobs": {"content": [{"token": "yes"}]}}]},
            "no log-probabilities of alternatives",
        ),
        ({"choices": [{"logprobs": {"content": [{"top_logprobs": [{"logprob": -1}]}]}}]}, "has no token"),
        (log(None), "is missing"),
        (log(math.nan), "is nan"),
        (log(json.loads("1e400")), "is inf, above 0"),
        (log(-(10**400)), r"is -10{9}.*\.\.\.$"),
        (log(-1e308), "is -1e\\+308"),
        (chat([top(("yes", 0.7), ("no", 0.6))]), "sum to 1.3"),
    ],
)
def test_what_is_no_distribution(answer, part):
    with pytest.raises(Malformed, match=part):
        parse.label_response(manner(), ASK, answer)


def test_rounding_above_0_is_forgiven():
    found = parse.label_response(manner(), ASK, chat([[("yes", 1e-6, None), ("no", -20.0, None)]]))
    assert found.mass["yes"] == pytest.approx(1.0)
    answer = {"choices": [{"logprobs": {"tokens": ["a", "b"], "token_logprobs": [None, 1e-6]}}]}
    assert score(answer, ScoreRequest("a", ("b",))).option.logprobs == (0.0,)


# Options


REQUEST = ScoreRequest("The sky is", (" blue",), " they say")


def score(answer, request=REQUEST, can=ECHO):
    return parse.option_score(manner(can), request, request.options[0], answer)


@pytest.mark.parametrize(
    ("prefix", "option", "suffix", "tokens", "parts", "straddles"),
    [
        ("The sky is", " blue", "", ["The", " sky", " is", " blue"], ((" blue",), ()), False),
        ("Answer: ", "yes", "", ["Answer", ":", " yes"], ((" yes",), ()), True),
        ("a", "bb", "c", ["a", "b", "bc"], (("b",), ("bc",)), True),
        ("x", "é!", "", ["x", "�", "�", "!"], (("�", "�", "!"), ()), False),
    ],
)
def test_a_token_across_a_join_belongs_to_the_later_part(prefix, option, suffix, tokens, parts, straddles):
    request = ScoreRequest(prefix, (option,), suffix)
    logprobs = [None, *(-0.5 * i for i in range(1, len(tokens)))]
    more = {"tokens": [*tokens, " end"], "token_logprobs": [*logprobs, -9.0]}
    for dressed in (more, {"tokens": tokens, "token_logprobs": logprobs}):
        found = score({"choices": [{"logprobs": dressed}]}, request)
        assert (found.option.tokens, found.suffix.tokens, found.straddles) == (*parts, straddles)
        assert [*found.option.logprobs, *found.suffix.logprobs] == logprobs[-sum(map(len, parts)) :]
        assert found.option.chars == len(option)
        assert found.option.bytes == len(option.encode())


VLLM = Abilities("completions", prompt_logprobs=True, top_logprobs=5)


def entries(*tokens):
    return [None, *({"17": {"logprob": -float(i), "decoded_token": t}} for i, t in enumerate(tokens, 1))]


@pytest.mark.parametrize("tokens", [("The", " sky", " is", " blue"), (" sky", " is", " blue")])
def test_log_probabilities_of_a_prompt(tokens):
    """With a beginning-of-sequence token before the text, and without."""
    request = ScoreRequest("The sky is", (" blue",))
    found = score({"choices": [{"prompt_logprobs": entries(*tokens)}]}, request, VLLM)
    assert found.option.tokens == (" blue",)
    assert found.option.logprobs == (-float(len(tokens)),)


def test_nothing_stands_before_the_first_token():
    answer = {"choices": [{"logprobs": {"tokens": ["yes"], "token_logprobs": [None]}}]}
    with pytest.raises(ModelError, match="nothing stands before the first token") as caught:
        score(answer, ScoreRequest("", ("yes",)))
    assert not isinstance(caught.value, Passing)
    answer = {"choices": [{"logprobs": {"tokens": ["<s>", "yes"], "token_logprobs": [None, -1.0]}}]}
    assert score(answer, ScoreRequest("", ("yes",))).option.logprobs == (-1.0,)
    with pytest.raises(ModelError, match="nothing stands before"):
        score({"choices": [{"prompt_logprobs": [None]}]}, ScoreRequest("", ("yes",)), VLLM)


def test_an_option_without_a_token():
    answer = {"choices": [{"logprobs": {"tokens": ["a", "b"], "token_logprobs": [None, -1.0]}}]}
    with pytest.raises(InputError, match=r"the option '' adds no token to its prefix \(item 7\)"):
        score(answer, ScoreRequest("ab", ("",), item="7"))


@pytest.mark.parametrize(
    ("change", "part"),
    [
        ({"token_logprobs": [None, -1, -1, math.nan, -1, -1, -1]}, "is nan"),
        ({"tokens": None}, "no log-probabilities of the prompt"),
        ({"tokens": ["The", " sky", " is", 3, " they", " say", " end"]}, "has no text"),
    ],
)
def test_what_is_no_echo(change, part):
    answer = hostile.completion_answer(score_post(manner(ECHO), REQUEST, " blue")[1])
    answer["choices"][0]["logprobs"] |= change
    with pytest.raises(Malformed, match=part):
        score(answer)


# Texts


@pytest.mark.parametrize(
    ("choices", "found"),
    [
        ([{"text": "a"}, {"text": "b"}], ["a", "b"]),
        ([{"message": {"content": "a"}}], ["a"]),
        ([{"message": {"content": ""}}], [""]),
        ([{"message": {"content": [{"type": "text", "text": "a"}, {"type": "x"}, {"text": "b"}]}}], ["ab"]),
        ([{"message": {"content": None, "refusal": "I will not"}}], ["I will not"]),
        ([{"text": "one\ntwo STOP three"}], ["one\ntwo "]),
        ([{"text": "half \ud83d a character"}], ["half \ufffd a character"]),
        ([{"text": "\ud83d\ude42"}], ["🙂"]),
    ],
)
def test_texts(choices, found):
    assert [one.text for one in parse.texts({"choices": choices}, ("STOP", "never"))] == found


@pytest.mark.parametrize(
    ("choices", "cut"),
    [
        ([{"text": "a", "finish_reason": "length"}, {"text": "b", "finish_reason": "stop"}], (True, False)),
        ([{"text": "a STOP b", "finish_reason": "length"}], (False,)),
        ([{"text": "a", "finish_reason": "length"}, {"text": "b", "finish_reason": None}], None),
    ],
)
def test_whether_texts_were_cut(choices, cut):
    said = {"model": "toy"}
    response = parse.sample_response(parse.texts({"choices": choices}, ("STOP",)), said, sized=False)
    assert response.cut == cut
    assert response.server == said


THOUGHTS = [
    {"reasoning_content": "Hm. STOP"},
    {"reasoning": "Hm. STOP"},
    {"thinking": "Hm. STOP"},
    {"reasoning": "Hm. STOP", "reasoning_content": "Hm. STOP"},
]


@pytest.mark.parametrize("thought", THOUGHTS)
def test_a_thought_that_the_server_keeps_apart_is_no_answer(thought):
    def answer(content, reason="stop"):
        return {"message": {"content": content, **thought}, "finish_reason": reason}

    given = [answer("yes STOP no"), answer("", "length"), answer(None, "length"), answer("no", "length")]
    found = parse.sample_response(parse.texts({"choices": given}, ("STOP",)), {}, sized=False)
    assert without_thoughts(found) == SampleResponse(
        ("yes", "no"), cut=(False, True), thoughts=("Hm. STOP", "Hm. STOP"), unfinished=2
    )


def test_texts_of_a_model_that_thinks_keep_the_tokens_that_they_took():
    """Thoughts that are not shown are counted, too; the texts of one answer share its tokens."""
    said = {"message": {"content": "Yes"}, "finish_reason": "stop"}
    answer = {"choices": [said, said], "usage": {"prompt_tokens": 9, "completion_tokens": 501}}
    assert parse.sample_response(parse.texts(answer), {}, sized=True).sizes == (251, 251)
    assert parse.sample_response(parse.texts(answer | {"usage": None}), {}, sized=True).sizes is None
    assert parse.sample_response(parse.texts(answer), {}, sized=False).sizes is None


@pytest.mark.parametrize(
    ("choice", "part"),
    [
        ({}, "no text"),
        ({"message": {"content": []}}, "no text"),
        ({"message": {"content": None, "reasoning": "Hm."}, "finish_reason": "stop"}, "a thought without"),
        ({"text": "a", "finish_reason": "content_filter"}, "filter"),
    ],
)
def test_what_is_no_text(choice, part):
    with pytest.raises(Malformed, match=part):
        parse.texts({"choices": [choice]})


@pytest.mark.parametrize(
    ("usage", "used"),
    [
        ({"prompt_tokens": 3, "completion_tokens": 2}, (3, 2)),
        ({"prompt_tokens": -3, "completion_tokens": "x"}, (0, 0)),
        ([], (0, 0)),
        ({"prompt_tokens": 10**30}, (0, 0)),
    ],
)
def test_tokens_used(usage, used):
    assert parse.tokens_used({"usage": usage}) == used


@pytest.mark.parametrize(
    ("served", "asked", "first", "same"),
    [
        ("gpt-4o-2024-08-06", "gpt-4o", "x", True),
        ("/models/Tiny.gguf", "tiny", "x", True),
        ("org/name", "name", "x", True),
        ("x", "deployment", "x", True),
        ("gpt-3.5", "gpt-4o", "gpt-4o", False),
        ("", "gpt-4o", "gpt-4o", False),
    ],
)
def test_names_of_a_model(served, asked, first, same):
    assert parse.same_model(served, asked, first) is same
