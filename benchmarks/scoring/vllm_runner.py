"""Asks vLLM in a process and an environment of its own, for ``peers.py``; knows nothing of ProbSense.

    python benchmarks/scoring/vllm_runner.py FOLDER

Each line that comes in is a question in JSON, and each line that goes out an answer. One engine serves the three ways
to ask: by contexts, by the log-probabilities of prompts, and inside lm-evaluation-harness.
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import sys
import time
from collections.abc import Sequence
from typing import Any

os.environ |= {"VLLM_ENABLE_V1_MULTIPROCESSING": "0", "VLLM_LOGGING_LEVEL": "ERROR", "HF_HUB_OFFLINE": "1"}
os.environ |= {"VLLM_CPU_OMP_THREADS_BIND": "nobind", "VLLM_CPU_KVCACHE_SPACE": "2"}
BLOCK = 32
"""The smallest block of the cache on a CPU: it shares the most."""
MOST_TOKENS = 128
"""How many next tokens one request may name."""


def load(folder: str) -> Any:
    """Load a model of lm-evaluation-harness that has the engine."""
    known = importlib.metadata.version
    # The harness asks for the version of the package vllm, and the build for CPUs has another name.
    importlib.metadata.version = lambda name: known("vllm-cpu") + "+cpu" if name == "vllm" else known(name)
    from lm_eval.models.vllm_causallms import VLLM

    return VLLM(
        pretrained=folder,
        dtype="float32",
        batch_size="auto",
        block_size=BLOCK,
        enable_prefix_caching=True,
        max_logprobs=MOST_TOKENS,
    )


def by_contexts(engine: Any, splits: Sequence[tuple[list[int], int]]) -> tuple[list[float], list[Any]]:
    """Ask one request for each distinct beginning that a scored token follows, in the order of beginnings."""
    from vllm import SamplingParams

    wanted: dict[tuple[int, ...], set[int]] = {}
    for ids, first in splits:
        for n in range(first, len(ids)):
            wanted.setdefault(tuple(ids[:n]), set()).add(ids[n])
    assert max(map(len, wanted.values())) <= MOST_TOKENS
    asked = sorted(wanted)
    found = engine.generate(
        [{"prompt_token_ids": list(context)} for context in asked],
        [
            SamplingParams(
                max_tokens=1,
                temperature=0.0,
                detokenize=False,
                logprobs=len(wanted[context]),
                logprob_token_ids=sorted(wanted[context]),
            )
            for context in asked
        ],
        use_tqdm=False,
    )
    rows = {context: one.outputs[0].logprobs[0] for context, one in zip(asked, found, strict=True)}
    scores = [
        sum(rows[tuple(ids[:n])][ids[n]].logprob for n in range(first, len(ids))) for ids, first in splits
    ]
    return scores, found


def by_prompts(engine: Any, splits: Sequence[tuple[list[int], int]]) -> tuple[list[float], list[Any]]:
    """Ask one request for each text, for the log-probabilities of its own tokens."""
    from vllm import SamplingParams

    found = engine.generate(
        [{"prompt_token_ids": ids} for ids, _ in splits],
        SamplingParams(max_tokens=1, temperature=0.0, detokenize=False, prompt_logprobs=0),
        use_tqdm=False,
    )
    scores = [
        sum(one.prompt_logprobs[n][ids[n]].logprob for n in range(first, len(ids)))
        for (ids, first), one in zip(splits, found, strict=True)
    ]
    return scores, found


def in_harness(model: Any, texts: Sequence[tuple[str, str]]) -> tuple[list[float], list[Any]]:
    """Ask as the harness does."""
    from lm_eval.api.instance import Instance

    found: list[Any] = []
    own = model.model.generate

    def generate(*words: Any, **more: Any) -> list[Any]:
        outputs: list[Any] = own(*words, **more)
        found.extend(outputs)
        return outputs

    model.model.generate = generate
    asked = [Instance("loglikelihood", {}, tuple(pair), i) for i, pair in enumerate(texts)]
    try:
        return [logprob for logprob, _ in model.loglikelihood(asked, disable_tqdm=True)], found
    finally:
        del model.model.generate


def answer(model: Any, question: dict[str, Any]) -> dict[str, Any]:
    """Score texts in one of the ways, from an empty cache, or split them as the harness does."""
    if question["way"] == "split":
        pairs = (model._encode_pair(*pair) for pair in question["texts"])
        return {"splits": [[[*prefix, *option], len(prefix)] for prefix, option in pairs]}
    model.model.reset_prefix_cache()
    started = time.process_time()
    if question["way"] == "harness":
        scores, outputs = in_harness(model, question["texts"])
    else:
        way = {"contexts": by_contexts, "prompts": by_prompts}[question["way"]]
        scores, outputs = way(model.model, question["splits"])
    seconds = time.process_time() - started
    computed = sum(len(one.prompt_token_ids) - (one.num_cached_tokens or 0) for one in outputs)
    return {"scores": scores, "seconds": seconds, "computed": computed}


def main() -> None:
    """Answer one line after the other; what the libraries print goes to the error stream."""
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as replies:
        os.dup2(2, 1)
        model = load(sys.argv[1])
        print(json.dumps({"ready": True}), file=replies, flush=True)
        for line in sys.stdin:
            print(json.dumps(answer(model, json.loads(line))), file=replies, flush=True)


if __name__ == "__main__":
    main()
