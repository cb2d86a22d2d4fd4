"""A stand-in for the package vllm: the few names that ProbSense uses, with the pitfalls of the real one.

Its cache keeps whole blocks of tokens. A request for the most probable tokens gets nonsense beside one that names
tokens. It writes what is dictated, without the class that dictates to the real one.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from transformers import AutoModelForCausalLM, AutoTokenizer

Predict = Callable[[Sequence[int]], NDArray[np.float64]]
"""Gives log-probabilities of the token after each token of a text, shape (n, vocabulary)."""


class SamplingParams(SimpleNamespace):
    """Parameters of a request, some of them with the usual values of ``vllm.SamplingParams``."""

    def __init__(self, max_tokens, temperature, **named):
        usual = {"seed": None, "stop": (), "stop_token_ids": (), "detokenize": True, "extra_args": None}
        usual |= {"logprobs": None, "logprob_token_ids": None, "max_tokens": max_tokens}
        super().__init__(**usual | {"temperature": temperature} | named)
        if self.temperature > 2:
            raise ValueError(f"temperature must be in [0, 2], got {self.temperature}.")
        if self.logprob_token_ids is not None:
            assert len(self.logprob_token_ids) <= 128
            assert self.logprobs in (None, len(self.logprob_token_ids))
        assert self.detokenize or not self.stop


class Engine:
    """Answers as ``vllm.LLM`` does; ``asked`` keeps every prompt with its parameters and what was cached of it."""

    def __init__(self, predict, *, block=4, context=96):
        self.predict = predict
        self.block = block
        self.context = context
        self.kept: set[tuple[int, ...]] = set()
        self.asked: list[tuple[tuple[int, ...], SamplingParams, int]] = []
        self.text: Callable[[list[int]], str] = str

    def generate(self, prompts, parameters, *, use_tqdm):
        assert not use_tqdm
        named = any(one.logprob_token_ids for one in parameters)
        pairs = zip(prompts, parameters, strict=True)
        return [self._answer(tuple(prompt["prompt_token_ids"]), one, named) for prompt, one in pairs]

    def _answer(self, ids, one, named):
        assert 0 < len(ids) <= self.context - one.max_tokens
        cached = 0
        while cached + self.block < len(ids) and ids[: cached + self.block] in self.kept:
            cached += self.block
        self.kept |= {ids[:n] for n in range(self.block, len(ids) + 1, self.block)}
        self.asked.append((ids, one, cached))
        written = self._written(ids, one)
        rows = self.predict([*ids, *written[:-1]])[len(ids) - 1 :]
        tokens = one.logprob_token_ids or rows[0].argsort()[::-1][: one.logprobs or 0].tolist()
        if named and not one.logprob_token_ids:
            tokens, rows = [0], np.full_like(rows, -np.inf)
        return SimpleNamespace(
            num_cached_tokens=cached,
            outputs=[
                SimpleNamespace(
                    token_ids=written,
                    logprobs=[
                        {token: SimpleNamespace(logprob=float(row[token])) for token in (best, *tokens)}
                        for row, best in zip(rows, written, strict=True)
                    ],
                )
            ],
        )

    def _written(self, ids, one):
        if one.extra_args:
            return list(one.extra_args["dictated"])
        rng = np.random.default_rng(one.seed)
        written = []
        while len(written) < one.max_tokens:
            p = np.exp(self.predict([*ids, *written])[-1])
            written.append(int(rng.choice(len(p), p=p / p.sum()) if one.temperature else p.argmax()))
            if written[-1] in one.stop_token_ids or any(stop in self.text(written) for stop in one.stop):
                break
        return written


class LLM(Engine):
    """Reads its model as ``vllm.LLM`` does, by its options."""

    def __init__(self, *, model, dtype, **options):
        network = AutoModelForCausalLM.from_pretrained(model, dtype=dtype).eval()
        tokenizer = AutoTokenizer.from_pretrained(model)

        def predict(ids):
            with torch.inference_mode():
                logits = network(torch.tensor([list(ids)])).logits[0]
            return logits.double().log_softmax(-1).numpy()

        longest = options["max_model_len"] or network.config.max_position_embeddings
        super().__init__(predict, context=longest)
        self.text = lambda ids: str(tokenizer.decode(ids, skip_special_tokens=True))
        self.options = options
        self.llm_engine = SimpleNamespace(
            vllm_config=SimpleNamespace(
                model_config=SimpleNamespace(dtype=network.dtype, max_model_len=longest),
                scheduler_config=SimpleNamespace(max_num_batched_tokens=2048),
            )
        )


@pytest.fixture
def vllm(monkeypatch):
    """Puts the stand-in in the place of the package, on a CPU."""
    package, platforms = ModuleType("vllm"), ModuleType("vllm.platforms")
    package.LLM, package.SamplingParams, package.__version__ = LLM, SamplingParams, "0.0"
    platforms.current_platform = SimpleNamespace(is_cpu=lambda: True, device_type="cpu")
    monkeypatch.setitem(sys.modules, "vllm", package)
    monkeypatch.setitem(sys.modules, "vllm.platforms", platforms)
    return package
