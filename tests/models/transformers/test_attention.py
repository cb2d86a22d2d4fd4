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
REQUEST = st.builds(ScoreRequest, TEXT, OPTIONS.map(tuple), st.one_of(st.just(""), TEXT))
YES_NO = (("yes", ("yes",)), ("no", ("no",)))


@pytest.fixture(scope="module", params=[("gpt2", "gpt2"), ("llama", "llama3"), ("llama", "llama2")])
def model(request, loaded):
    made = loaded(*request.param, dtype="float64")
    assert made.runner.read is stream.read
    return made


def alone(model, text, *, start):
    """The tokens of a text and log p of each after all before it, by a plain forward pass."""
    ids = model.encoder.tokenizer(text)["input_ids"]
    if start:
        ids = [model.encoder.start, *ids]
    with torch.inference_mode():
        rows = model.runner.network(torch.tensor([ids])).logits[0].log_softmax(-1)
    return ids, [0.0, *(float(rows[i, token]) for i, token in enumerate(ids[1:]))]


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
@example(
    requests=[ScoreRequest("", ("yes", "👍🏽"), "\n"), ScoreRequest(" ", ("yes",), "🏽")], tokens=3, rows=2
)
def test_scores_are_those_of_one_text_at_a_time(model, reader, requests, tokens, rows):
    requests = [request for request in requests if scorable(model, request)]
    model.runner.read = reader
    model.runner.tokens, model.runner.cells = tokens, rows * model.runner.vocabulary
    for request, response in zip(requests, answers(model.score(requests)), strict=True):
        # Where one option melts with an empty prefix, all get a token to begin with.
        for option, score in zip(request.options, response.options, strict=True):
            mine = score.option.logprobs + score.suffix.logprobs
            assert all(type(value) is float for value in mine)
            assert (score.option.chars, score.option.bytes) == (len(option), len(option.encode()))
            whole = request.prefix + option + request.suffix
            fits = []
            for start in (False,) if len(model.encoder.head) else (False, True):
                ids, expected = alone(model, whole, start=start)
                names = model.encoder.tokenizer.convert_ids_to_tokens(ids[-len(mine) :])
                assert tuple(names) == score.option.tokens + score.suffix.tokens or len(ids) == len(mine)
                fits.append(mine == pytest.approx(expected[-len(mine) :], abs=1e-9))
            assert any(fits)
