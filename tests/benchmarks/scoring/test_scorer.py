"""What the benchmark of the scorer counts and compares; it times nothing here, and asks no peer."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import peers
import scorer
import shapes
from floor import Shape, Split, Work, gemm_speed, operations, shape, work
from probsense import ScoreRequest, load_model
from probsense.tasks.worldsense.task import WorldSense
from workloads import few_shot, pairs, statements, texts, unshared, winogrande, workloads, worldsense


@pytest.fixture(autouse=True, scope="module")
def small_sets() -> Iterator[None]:
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


def test_work_of_two_sequences_that_branch() -> None:
    # Fed: 5 6 7 and 5 6 8 9; the second one twice.
    twice = Split((5, 6, 8, 9, 1), 3)
    found = work([Split((5, 6, 7, 1), 3), twice, twice])
    assert found == Work(naive=11, unique=5, depths=1 + 2 + 3 + 3 + 4, rows=3)


def test_options_of_one_token_need_one_row() -> None:
    assert work([Split((4, 3, option), 2) for option in (7, 8, 9)]) == Work(6, 2, 1 + 2, 1)


@given(sequences)
def test_work_against_sets_of_prefixes(splits: list[Split]) -> None:
    prefixes = {s.ids[:k] for s in splits for k in range(1, len(s.ids))}
    asked = {s.ids[:k] for s in splits for k in range(s.first, len(s.ids))}
    naive = sum(len(s.ids) - 1 for s in splits)
    assert work(splits) == Work(naive, len(prefixes), sum(map(len, prefixes)), len(asked))


def test_operations() -> None:
    # Each of 3 tokens meets 10 parameters; 2 layers attend to 6 keys of 4 numbers; 2 rows of 7 logits.
    found = operations(Work(naive=9, unique=3, depths=6, rows=2), Shape(10, 4, 2, 7))
    assert found == 2 * 10 * 3 + 2 * 2 * (2 * 4 * 6) + 2 * (2 * 4 * 7)


def test_shapes_are_the_promised_ones() -> None:
    import torch

    with torch.device("meta"):
        networks = {name: make() for name, make in shapes.NETWORKS.items()}
    count = {name: sum(p.numel() for p in network.parameters()) for name, network in networks.items()}
    assert count["gpt2"] == 124_439_808
    assert 12e6 < count["llama"] < 15e6
    assert shape(networks["gpt2"].config) == Shape(12 * 12 * 768**2, 768, 12, 50_257)
    assert shape(networks["llama"].config) == Shape(8 * (4 * 256**2 + 3 * 256 * 688), 256, 8, 32_000)


def test_worldsense() -> None:
    requests = worldsense(40)
    assert 30 < len(requests) <= 40
    assert {len(request.options) for request in requests} == {2, 3}


def test_statements() -> None:
    requests = statements(5)
    assert len({request.prefix for request in requests}) == 15
    assert all(request.options == (" yes", " no") for request in requests)
    assert statements(8)[:15] == requests


def test_few_shot() -> None:
    requests = few_shot(20)
    shared = requests[0].prefix.rpartition("\n\n")[0]
    assert all(request.prefix.startswith(shared) for request in requests)
    assert len({request.prefix for request in requests}) == 20
    assert all(len(set(request.options)) == 4 for request in requests)


def test_unshared(words: dict[str, Any]) -> None:
    found = work(map(peers.ours(None, words["gpt2"]).split, pairs(unshared(80))))
    assert len(pairs(unshared(80))) == 80
    assert found.unique > 0.85 * found.naive
    assert unshared(90)[:80] == unshared(80)


def test_winogrande_asks_for_what_follows_each_option(tmp_path: Path) -> None:
    path = tmp_path / "schemas.jsonl"
    lines = [
        {"qID": f"x{i}-1", "sentence": "Cups hold tea if _ are whole.", "option1": "cups", "option2": "they"}
        for i in range(3)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    asked = pairs(winogrande(path, 2))
    tea = "Cups hold tea if "
    assert asked == [(tea + "cups", " are whole."), (tea + "they", " are whole.")] * 2
    assert len(winogrande(path, 100)) == 6


@pytest.fixture(scope="module")
def words() -> dict[str, Any]:
    asked = texts({"few": workloads()["statements"]}) + [p + o for p, o in pairs(worldsense(200))]
    return {name: shapes.tokenizer(name, asked) for name in shapes.NAMES}


@pytest.mark.parametrize("name", shapes.NAMES)
def test_tokenizers_cut_capitals_only(words: dict[str, Any], name: str) -> None:
    def count(text: str) -> int:
        return len(words[name](text, add_special_tokens=False)["input_ids"])

    assert [count(text) for text in (" yes", " no", " TRUE", " POSSIBLE", " IMPOSSIBLE")] == [1, 1, 1, 2, 3]
    assert (words[name].bos_token_id in words[name]("a")["input_ids"]) == (name == "llama")


def test_ours_answers_in_order_and_computes_unique_tokens_once() -> None:
    model = load_model("builtin:tiny", dtype="float32")
    ours = peers.ours(model, model.encoder.tokenizer)  # type: ignore[attr-defined]
    requests = [*worldsense(12), ScoreRequest("The sky is", (" blue", " yellow-pink"))]
    before = model.usage.tokens
    found = ours.run(requests, 0)
    assert model.usage.tokens - before == work(map(ours.split, pairs(requests))).unique
    alone = [score for request in requests for score in ours.run([request], 0)]
    np.testing.assert_allclose(found, alone, atol=1e-4)


def test_only_requests_that_are_split_alike_are_compared() -> None:
    a, b, c = Split((1, 2, 3), 2), Split((1, 2, 3), 1), Split((1, 2, 4), 2)
    found = scorer.compare([a, a, a], [a, b, c], [-1.0, -1.0, -1.0], [[-1.0, -9.0, -9.0], [-1.0001, 0, 0]])
    assert (found.compared, found.left_out) == (1, 2)
    assert found.largest == pytest.approx(1e-4)


@pytest.mark.parametrize("wrong", [-1.1, float("nan")])
def test_a_disagreement_ends_the_benchmark(wrong: float) -> None:
    with pytest.raises(SystemExit, match="differ"):
        scorer.compare(
            [Split((1, 2), 1)] * 2, [Split((1, 2), 1)] * 2, [-1.0, -1.0], [[-1.0, -1.0], [wrong, -1]]
        )


def test_the_speed_is_that_of_the_fastest_product() -> None:
    ticks = iter(range(10**6))
    assert gemm_speed(lambda: float(next(ticks))) == 2 * 1024 * 768 * 3072


def test_runs_take_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    called, speeds = list[str](), iter([1.0, 3.0, 2.0, 2.0, 2.0, 2.0])
    monkeypatch.setattr(scorer, "gemm_speed", lambda now: next(speeds))

    def run(name: str) -> Callable[[], list[float]]:
        return lambda: called.append(name) or [float(len(called))]  # type: ignore[func-returns-value]

    ticks = iter(range(10**6))
    seconds, found, speed = scorer.in_turns([run("a"), run("b")], 3, lambda: float(next(ticks)))
    assert called == ["a", "b"] * 3
    assert seconds == [1.0, 1.0]
    assert found == [[5.0], [6.0]]
    assert speed == 3
