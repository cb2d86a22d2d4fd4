from dataclasses import replace

import numpy as np
import pytest

from probsense.models.doctor import beginning
from probsense.models.small.random import RandomModel

TWICE = "{{ bos_token }}{{ bos_token }}{% for m in messages %}{{ m['content'] }}{% endfor %}"


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


def test_without_a_tokenizer_nothing_is_known():
    assert beginning(RandomModel("random", 0)) == []
