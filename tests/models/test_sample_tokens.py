from dataclasses import replace

import numpy as np
import pytest

from probsense.models.doctor import SAMPLES, beginning, sample_tokens
from probsense.models.small.builtin import load
from probsense.models.small.random import RandomModel
from probsense.models.small.recorded import load as recorded

TWICE = "{{ bos_token }}{{ bos_token }}{% for m in messages %}{{ m['content'] }}{% endfor %}"


def test_the_tokens_are_those_of_one_tokenisation():
    model = load("tiny")
    tokenizer = model.encoder.tokenizer
    for request, shown in zip(SAMPLES, sample_tokens(model), strict=True):
        text = request.prefix + request.options[0] + request.suffix
        assert [row.id for row in shown.rows] == tokenizer(text)["input_ids"]
        assert tokenizer.convert_tokens_to_ids([row.token for row in shown.rows]) == [
            r.id for r in shown.rows
        ]
        ((response,),) = ([r for _, r in batch] for batch in model.score([request]))
        scored = [
            x for part in (response.options[0].option, response.options[0].suffix) for x in part.logprobs
        ]
        assert [row.logprob for row in shown.rows if row.part != "prefix"] == pytest.approx(scored, abs=1e-5)
        assert all(row.logprob is None for row in shown.rows if row.part == "prefix")
    whole, across = sample_tokens(model)
    assert (whole.straddles, whole.text) == (False, "The capital of France is| Paris|, and")
    assert (across.straddles, across.text[-12:]) == (True, "Answer: |yes")


def test_without_a_tokenizer_the_prefix_is_not_known():
    first, _ = sample_tokens(RandomModel("random", 0))
    assert [(row.part, row.token, row.id) for row in first.rows] == [
        ("option", " Paris", None),
        ("suffix", ", and", None),
    ]
    assert beginning(RandomModel("random", 0)) == []


def test_a_model_that_scores_nothing_shows_nothing(tmp_path):
    path = tmp_path / "answers.jsonl"
    path.write_text('{"id": "1", "response": "x"}\n')
    assert sample_tokens(recorded(str(path))) == []


@pytest.mark.parametrize(
    ("kind", "template", "ok", "count"),
    [
        ("gpt2", None, None, 0),
        ("llama3", None, True, 1),
        ("llama2", None, True, 1),
        ("llama3", TWICE, False, 2),
    ],
)
def test_beginnings(loaded, kind, template, ok, count):
    (found,) = beginning(loaded("llama", kind, template))
    assert (found.ok, found.data["count"]) == (ok, count)


def test_a_beginning_that_the_tokenizer_knows_but_does_not_put(loaded):
    model = loaded("llama", "llama3")
    bare = replace(model, encoder=replace(model.encoder, head=model.encoder.head[:0]))
    (found,) = beginning(bare)
    assert (found.ok, found.data["count"]) == (None, 0)
    assert "the tokenizer adds none" in found.detail


def test_a_decoder_begins_with_its_own(loaded):
    model = loaded("llama", "llama3")
    (found,) = beginning(replace(model, writer=replace(model.encoder, head=np.array([0], np.int32))))
    assert (found.ok, found.detail) == (None, "the decoder begins with '<|end|>'")
