"""Whatever is asked together, in whatever order and with whatever budget: the numbers of one text at a time."""

import pytest
import torch
from hypothesis import example, given
from hypothesis import strategies as st

from probsense.core.errors import InputError
from probsense.core.records import ScoreRequest
from probsense.models.transformers import attention as stream
from probsense.models.transformers import batches
from support.models.answers import answers

PIECES = st.sampled_from(["The", " garden", " is", " wet", "yes", " no", *":\n \t1é世🙂.", "  ", "👍🏽"])
TEXT = st.lists(PIECES, max_size=7).map("".join)
OPTIONS = st.lists(st.lists(PIECES, min_size=1, max_size=3).map("".join), min_size=1, max_size=4)
REQUEST = st.builds(ScoreRequest, TEXT.map("The".__add__), OPTIONS.map(tuple), st.just("") | TEXT)
YES_NO = (("yes", ("yes",)), ("no", ("no",)))


@pytest.fixture(scope="module", params=[("gpt2", "gpt2"), ("llama", "llama3"), ("llama", "llama2")])
def model(request, loaded):
    made = loaded(*request.param, dtype="float64")
    assert made.runner.read is stream.read
    return made


def scorable(model, request):
    try:
        model.split([request])
    except InputError:  # an option that has no token of its own
        return False
    return True


@pytest.mark.parametrize("reader", [stream.read, batches.read], ids=["trie", "plain"])
@given(
    requests=st.lists(REQUEST, min_size=1, max_size=6),
    tokens=st.one_of(st.integers(1, 30), st.just(10**6)),
    rows=st.integers(1, 40),
)
@example(requests=[ScoreRequest("Pick:\n", ("yes", " no"))] * 2, tokens=1, rows=1)
@example(requests=[ScoreRequest("The", (" garden", " garden is", " garden is wet"))], tokens=2, rows=1)
def test_scores_are_those_of_one_text_at_a_time(model, reader, requests, tokens, rows):
    requests = [request for request in requests if scorable(model, request)]
    model.runner.read = reader
    model.runner.tokens, model.runner.cells = tokens, rows * model.runner.vocabulary
    for request, response in zip(requests, answers(model.score(requests)), strict=True):
        for option, score in zip(request.options, response.options, strict=True):
            mine = score.option.logprobs + score.suffix.logprobs
            assert all(type(value) is float for value in mine)
            assert (score.option.chars, score.option.bytes) == (len(option), len(option.encode()))
            ids = model.encoder.tokenizer(request.prefix + option + request.suffix)["input_ids"]
            with torch.inference_mode():
                rows = model.runner.network(torch.tensor([ids])).logits[0].log_softmax(-1)
            last = range(len(ids) - len(mine), len(ids))
            names = model.encoder.tokenizer.convert_ids_to_tokens([ids[i] for i in last])
            assert tuple(names) == score.option.tokens + score.suffix.tokens
            assert mine == pytest.approx([float(rows[i - 1, ids[i]]) for i in last], abs=1e-9)
