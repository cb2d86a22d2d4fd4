"""Tests of how our requests are put to lm-evaluation-harness."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probsense.core.errors import ModelError
from probsense.core.records import (
    LabelRequest,
    LabelResponse,
    SampleRequest,
    SampleResponse,
    ScoreRequest,
    ScoreResponse,
    continued,
    response_from_json,
    response_to_json,
)
from probsense.models.lm_eval import Piece, pieces, response
from probsense.models.next_token.label_mass import spellings

WORDS = st.text("ab c", min_size=1, max_size=6)


def answer(piece: Piece) -> tuple[float, bool]:
    """Score a text by its last letters and its length, so that no two pieces are worth the same by chance."""
    before, text = piece.arguments
    return -len(text) - (hash(before) % 97) / 100, False


@given(WORDS, st.lists(WORDS, min_size=1, max_size=4), st.text("xyz", max_size=3), st.booleans())
def test_options_get_their_own_results(prefix, options, suffix, reply):
    request = ScoreRequest(prefix, tuple(options), suffix)
    asked = pieces(request, continued, reply=reply)
    left = iter([answer(piece) for piece in asked])
    found = response(request, left, reply=reply)
    assert isinstance(found, ScoreResponse)
    assert next(left, None) is None
    for option, score in zip(options, found.options, strict=True):
        told = option.removeprefix(" ") if reply else option
        expected = [answer(Piece("", (prefix, told)))[0]] if told else []
        assert list(score.option.logprobs) == expected
        assert score.option.chars == len(told)
        after = [answer(Piece("", (prefix + told, suffix)))[0]] if suffix else []
        assert list(score.suffix.logprobs) == after


def test_an_impossible_text_can_be_recorded_and_one_without_a_number_is_refused():
    request = ScoreRequest("It is", (" hot", " cold"))
    found = response(request, iter([(-math.inf, False), (-1.0, False)]))
    assert response_from_json("score", response_to_json(found)) == found
    with pytest.raises(ModelError, match="' hot' has a log-likelihood of nan"):
        response(request, iter([(math.nan, False), (-1.0, False)]))


@pytest.mark.parametrize(("reply", "spelled"), [(False, 6), (True, 3)])
def test_labels_are_spelled_out_and_summed(reply, spelled):
    """As a reply, a spelling with a blank is the one without."""
    request = LabelRequest("Do you agree?", (("yes", ("yes",)), ("no", ("no",))))
    told = [piece.arguments[1] for piece in pieces(request, continued, reply=reply)]
    every = {*spellings(["yes"]), *spellings(["no"])}
    assert {*told} == {text.removeprefix(" ") if reply else text for text in every}
    results = iter([(math.log(0.01 if "y" in text.lower() else 0.02), False) for text in told])
    found = response(request, results, reply=reply)
    assert isinstance(found, LabelResponse)
    assert found.mass == pytest.approx({"yes": 0.01 * spelled, "no": 0.02 * spelled})
    assert found.other == pytest.approx(1 - 0.03 * spelled)


def test_texts_are_drawn_as_often_as_wanted():
    request = SampleRequest("Say", n=3, temperature=0.7, top_p=0.9, stop=("\n",), turns=(("Hi", "Ho"),))
    asked = pieces(request, continued)
    assert [piece.kind for piece in asked] == ["generate_until"] * 3
    assert asked[0].arguments == (
        "Hi Ho\nSay",
        {"until": ["\n"], "max_gen_toks": 16, "do_sample": True, "temperature": 0.7, "top_p": 0.9},
    )
    assert response(request, iter("abc")) == SampleResponse(("a", "b", "c"))
    (greedy,) = pieces(SampleRequest("Say"), continued)
    assert greedy.arguments[1] == {"until": [], "max_gen_toks": 16, "do_sample": False}


def test_what_stands_before_a_conversation_begins_it():
    spoken = SampleRequest("Say", turns=(("Hi", "Ho"),), system="Be old.")
    (piece,) = pieces(spoken, continued)
    assert piece.arguments[0] == "Be old.\n\nHi Ho\nSay"
    labels = LabelRequest("Is it?", (("yes", ("yes",)),), system="Be old.")
    assert {piece.arguments[0] for piece in pieces(labels, continued)} == {"Be old.\n\nIs it?"}
