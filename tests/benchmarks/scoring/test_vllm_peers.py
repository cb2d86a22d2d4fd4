"""vLLM as a peer is asked what the benchmark says; engine and process are stand-ins."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import pytest

import peers
import vllm_runner
from floor import Split
from peers import Scorer
from probsense.core.records import ScoreRequest
from support.models.fake_vllm import Engine
from support.models.fake_vllm import vllm as vllm

ROWS = np.log(np.array([[0.5, 0.3, 0.2], [0.1, 0.8, 0.1], [0.25, 0.25, 0.5]]))
"""Log-probabilities of the next token after each token."""


def test_each_distinct_context_is_asked_once(vllm: ModuleType) -> None:
    engine = Engine(lambda ids: ROWS[list(ids)])
    splits = [([2, 0, 1, 2], 2), ([2, 0, 1, 0], 2), ([2, 1], 1)]
    scores, outputs = vllm_runner.by_contexts(engine, splits)
    assert scores == pytest.approx([ROWS[0, 1] + ROWS[1, 2], ROWS[0, 1] + ROWS[1, 0], ROWS[2, 1]])
    assert [(ids, one.logprob_token_ids) for ids, one, _ in engine.asked] == [
        ((2,), [1]),
        ((2, 0), [1]),
        ((2, 0, 1), [0, 2]),
    ]
    assert len(outputs) == 3


class Answering:
    """Stands for the process."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []

    def ask(self, **question: Any) -> dict[str, Any]:
        self.asked.append(question)
        return {"scores": [-1.0, -2.0], "computed": 7, "splits": [[[1, 2], 1]]}


def test_the_harness_gets_texts_and_the_others_our_tokens() -> None:
    ours = Scorer("probsense", lambda *_: [], lambda pair: Split(tuple(map(len, pair)), 1))
    runner: Any = Answering()
    found = peers.vllm(runner, ours)
    request = ScoreRequest("Yes", (" a", " bc"))
    for one in found:
        assert one.run([request], 0) == [-1.0, -2.0]
        assert (one.computed(2), one.computed(3)) == (7, None)
    texts = [("Yes", " a"), ("Yes", " bc")]
    splits = [Split((3, 2), 1), Split((3, 3), 1)]
    assert [one.name for one in found if one.shares] == ["vllm"]
    assert runner.asked == [
        {"way": "contexts", "splits": splits},
        {"way": "prompts", "splits": splits},
        {"way": "harness", "texts": texts},
    ]
    assert found[2].split(("Yes", " a")) == Split((1, 2), 1)
