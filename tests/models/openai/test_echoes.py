import math

import pytest

from probsense.models.openai.answers import HIDDEN, Token, tokens_of
from probsense.models.openai.echoes import _beginning, read_echo, shown_tokens
from probsense.models.openai.wire import Malformed


def shown(tokens, logprobs):
    return [Token(text, logprob) for text, logprob in zip(tokens, logprobs, strict=True)]


def test_the_prompt_is_told_from_what_stands_around_it():
    tokens = ["<s>", "The", " cat", " sat", " down"]
    echo = read_echo(shown(tokens, [None, -1.0, -2, -3.5, -4.0]), "The cat sat")
    assert (echo.before, echo.tokens, echo.logprobs) == (
        ("<s>",),
        ("The", " cat", " sat"),
        (-1.0, -2.0, -3.5),
    )
    assert echo.after == ((" down", -4.0),)


def test_tokens_that_are_only_counted_stand_before_the_prompt():
    echo = read_echo(shown(["The", " cat"], [None, -1.0]), "The cat")
    assert _beginning(echo, 3).detail == "not shown, but 1 more than the prompt's tokens are counted"


FAULTS = {
    "another text": (["A", " dog"], [-1.0, -2.0], "characters that were sent"),
    "missing": (["The", " cat", " sat"], [None, None, -1.0], "missing"),
    "infinite": (["The", " cat", " sat"], [None, -1.0, -math.inf], "not finite"),
    "all alike": (["The", " ", "cat", " sat"], [None, 0.0, 0.0, 0.0], "the same log-probability, 0"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_what_cannot_be_true(fault):
    tokens, logprobs, words = FAULTS[fault]
    with pytest.raises(Malformed, match=words):
        read_echo(shown(tokens, logprobs), "The cat sat")


def test_columns_that_are_none_and_columns_that_do_not_match():
    for nothing in ({}, {"logprobs": None}, {"logprobs": {"tokens": None}}, {"logprobs": 3}):
        assert tokens_of(nothing) is None
    with pytest.raises(Malformed, match="do not match"):
        tokens_of({"logprobs": {"tokens": ["a", "b"], "token_logprobs": [None]}})


def test_prompt_logprobs_of_vllm():
    told = [
        None,
        {"7": {"logprob": -2.0, "decoded_token": " cat"}, "8": {"logprob": -0.1, "decoded_token": " dog"}},
        {"9": {"logprob": -3.0, "decoded_token": " sat"}},
    ]
    written = {"tokens": [" down"], "token_logprobs": [-4.0]}
    choice = {"prompt_logprobs": told, "logprobs": written}
    found = shown_tokens("prompt_logprobs", choice, "The cat sat")
    expected = [("The", None), (" cat", -2.0), (" sat", -3.0), (" down", -4.0)]
    assert [token[:2] for token in found] == expected
    special = shown_tokens("prompt_logprobs", choice, " cat sat")
    assert [token[:2] for token in special] == [(HIDDEN, None), *expected[1:]]
    assert read_echo(special, " cat sat").before == (HIDDEN,)
    for nothing in ({}, {"prompt_logprobs": None}, {"prompt_logprobs": [None]}, {"prompt_logprobs": {}}):
        assert shown_tokens("prompt_logprobs", nothing, "The cat sat") is None
    bad = shown_tokens("prompt_logprobs", {"prompt_logprobs": [None, 3]}, "a b")
    assert bad == shown(["a b", None], [None, None])
