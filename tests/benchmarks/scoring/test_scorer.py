"""What the benchmark of the scorer counts and compares; it times nothing here, and asks no peer."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import peers
from floor import Shape, Split, Work, operations, work
from probsense import ScoreRequest, load_model
from probsense.tasks.worldsense.task import WorldSense
from workloads import pairs, worldsense


@pytest.fixture(autouse=True, scope="module")
def small_sets():
    """Sets of WorldSense of a few of its problems, in one size: a set is made whole before trials are chosen."""
    problems = ("Infer.trivial", "Consist.normal", "Compl.trivial")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("workloads.WorldSense", partial(WorldSense, sizes=(3,), problems=problems))
        yield


sequences = st.lists(
    st.lists(st.integers(0, 2), min_size=2, max_size=7).flatmap(
        lambda ids: st.builds(Split, st.just(tuple(ids)), st.integers(1, len(ids) - 1))
    ),
    max_size=8,
)


@given(sequences)
def test_work_against_sets_of_prefixes(splits):
    prefixes = {s.ids[:k] for s in splits for k in range(1, len(s.ids))}
    asked = {s.ids[:k] for s in splits for k in range(s.first, len(s.ids))}
    naive = sum(len(s.ids) - 1 for s in splits)
    assert work(splits) == Work(naive, len(prefixes), sum(map(len, prefixes)), len(asked))


def test_operations():
    # Each of 3 tokens meets 10 parameters; 2 layers attend to 6 keys of 4 numbers; 2 rows of 7 logits.
    found = operations(Work(naive=9, unique=3, depths=6, rows=2), Shape(10, 4, 2, 7))
    assert found == 2 * 10 * 3 + 2 * 2 * (2 * 4 * 6) + 2 * (2 * 4 * 7)


def test_ours_answers_in_order_and_computes_unique_tokens_once():
    model = load_model("builtin:tiny", dtype="float32")
    ours = peers.ours(model, model.encoder.tokenizer)
    requests = [*worldsense(12), ScoreRequest("The sky is", (" blue", " yellow-pink"))]
    before = model.usage.tokens
    found = ours.run(requests, 0)
    assert model.usage.tokens - before == work(map(ours.split, pairs(requests))).unique
    alone = [score for request in requests for score in ours.run([request], 0)]
    np.testing.assert_allclose(found, alone, atol=1e-4)
