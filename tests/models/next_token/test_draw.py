"""Drawn tokens follow the distribution, and the nucleus is that of transformers."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import AddedToken, Tokenizer, decoders, models
from transformers import (
    MinPLogitsWarper,
    PreTrainedTokenizerFast,
    TemperatureLogitsWarper,
    TopKLogitsWarper,
    TopPLogitsWarper,
)

from probsense.core.records import SampleRequest
from probsense.models.next_token import texts
from probsense.models.next_token.texts import draw_tokens, sample
from support.models.answers import answers

LOGITS = st.lists(st.floats(-30, 30, width=32), min_size=2, max_size=40)


def expected(logits, temperature, top_p, top_k=0, min_p=0.0):
    """The distribution by the library's own warpers, in its order."""
    scores = TemperatureLogitsWarper(temperature)(None, torch.tensor([logits], dtype=torch.float64))
    if top_k:
        scores = TopKLogitsWarper(top_k)(None, scores)
    if top_p < 1:
        scores = TopPLogitsWarper(top_p)(None, scores)
    if min_p:
        scores = MinPLogitsWarper(min_p)(None, scores)
    return scores.softmax(-1)[0].numpy()


@given(
    LOGITS,
    st.sampled_from([0.3, 1.0, 2.0]),
    st.sampled_from([0.2, 0.55, 0.9, 1.0]),
    st.sampled_from([0, 1, 3, 100]),
    st.sampled_from([0.0, 0.013, 0.37]),
    st.data(),
)
def test_the_draw_is_the_inverse_of_the_librarys_distribution(logits, temperature, top_p, top_k, min_p, data):
    # Distinct values with gaps: at ties and at the very edge of the nucleus both ways are right.
    logits = [round(value, 1) + 0.01 * i for i, value in enumerate(logits)]
    p = expected(logits, temperature, top_p, top_k, min_p)
    uniform = data.draw(st.floats(0, 1, exclude_max=True))
    edges = p.cumsum()
    (token,) = draw_tokens(
        torch.tensor([logits], dtype=torch.float64),
        np.array([uniform]),
        SampleRequest("", temperature=temperature, top_p=top_p, top_k=top_k, min_p=min_p),
    )
    assert p[token] > 0
    assert edges[token] - p[token] - 1e-9 <= uniform <= edges[token] + 1e-9


def test_a_wide_nucleus_is_found_by_looking_again(monkeypatch):
    rng = np.random.default_rng(0)
    logits = torch.from_numpy(rng.normal(0, 1, (50, 700)))
    uniforms, how = rng.random(50), SampleRequest("", temperature=1.0, top_p=0.9)
    monkeypatch.setattr(texts, "FIRST_LOOK", 700)
    at_once = draw_tokens(logits, uniforms, how)
    monkeypatch.setattr(texts, "FIRST_LOOK", 3)
    np.testing.assert_array_equal(draw_tokens(logits, uniforms, how), at_once)


@pytest.mark.parametrize("top_p", [1.0, 0.9999999])
def test_the_last_number_below_one_draws_a_possible_token(top_p):
    logits = torch.tensor([[0.0, -1000.0, 1.0, -1000.0], [-1000.0, 0.0, -1000.0, -1000.0]])
    how = SampleRequest("", temperature=1.0, top_p=top_p)
    found = draw_tokens(logits, np.array([1 - 2**-53] * 2), how)
    assert found.tolist() == [2, 1]


# Special tokens that mark a thought stay in texts, and others do not.


def with_marks():
    """A tokenizer of letters, with markers that are special tokens."""
    known = Tokenizer(models.BPE(vocab={letter: i for i, letter in enumerate("abc")}, merges=[]))
    known.decoder = decoders.Fuse()
    names = ("<think>", "</think>", "<e>", "<|image|>")
    known.add_special_tokens([AddedToken(name, special=True) for name in names])
    return PreTrainedTokenizerFast(tokenizer_object=known, eos_token="<e>")


def test_marks_stay_in_texts():
    def write(_runner, draws, _how, _stopped):
        yield [(k, [3, 0, 1, 6, 4, 2, 5]) for k in range(len(draws))]

    runner = None
    (answer,) = answers(sample(runner, write, with_marks(), [[0]], [SampleRequest("a")]))
    assert answer.texts == ("<think>ab</think>c",)
