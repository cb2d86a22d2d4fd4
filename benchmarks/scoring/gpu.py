"""Measures ``hf:``, ``vllm:`` and lm-evaluation-harness on one accelerator, on made Llama models of usual shapes.

    python benchmarks/scoring/gpu.py [--shapes 1b 7b] [--programs hf vllm lm-eval] [--workloads worldsense few-shot ...]
                             [--n-items N] [--dtype bfloat16] [--minutes 8] [--json FILE]

The weights are random, as times do not depend on them. Each program scores the workloads of ``scorer.py`` in a process
of its own, after a few requests that are not timed; lm-evaluation-harness takes the batch size that is best for the
first of them. What does not fit into the minutes is left out, and the output says so. Programs that are not installed
are left out, too. Without an accelerator everything runs on the CPU, which is good for a trial of the script alone::

    python benchmarks/scoring/gpu.py --shapes trial --n-items 4 --dtype float32
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from importlib.util import find_spec
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from floor import operations, shape, work
from peers import Scorer, lm_eval, ours
from shapes import tokenizer
from workloads import Workload, pairs, texts, workloads

SHAPES: dict[str, dict[str, int]] = {
    "1b": {
        **{"hidden_size": 2048, "intermediate_size": 8192, "num_hidden_layers": 16, "vocab_size": 128_256},
        **{"num_attention_heads": 32, "num_key_value_heads": 8},
    },
    "7b": {
        **{"hidden_size": 4096, "intermediate_size": 11_008, "num_hidden_layers": 32, "vocab_size": 32_000},
        **{"num_attention_heads": 32, "num_key_value_heads": 32},
    },
    "trial": {
        **{"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "vocab_size": 32_000},
        **{"num_attention_heads": 2, "num_key_value_heads": 2},
    },
}
"""Those of Llama 3.2 1B and of Llama 2 7B, and one for a trial."""
PROGRAMS = {"hf": "torch", "vllm": "vllm", "lm-eval": "lm_eval"}
"""Each program with the package that it needs."""
BATCHES = (8, 32, 128)
WARM = 8
"""How many requests a program answers before its time is taken."""


def make(name: str, sets: Mapping[str, Workload], dtype: str, folder: Path) -> None:
    """Save a network of a shape with random weights, and a tokenizer."""
    import torch
    from transformers import LlamaForCausalLM

    before = torch.get_default_dtype()
    torch.set_default_dtype(getattr(torch, dtype))
    try:
        with torch.device(_device()):
            torch.manual_seed(0)
            LlamaForCausalLM(_config(name)).save_pretrained(folder)
    finally:
        torch.set_default_dtype(before)
    tokenizer("llama", texts(sets)).save_pretrained(folder)


def peak(dtype: str) -> float:
    """Measure the operations a second of the fastest of some large multiplications of square matrices."""
    import torch

    device = _device()
    size = 8192 if device == "cuda" else 512
    a, b = (torch.rand(size, size, device=device).to(getattr(torch, dtype)) for _ in range(2))
    best = float("inf")
    for _ in range(10):
        _wait()
        started = time.perf_counter()
        torch.mm(a, b)
        _wait()
        best = min(best, time.perf_counter() - started)
    return 2 * size**3 / best


def measure(
    program: str, folder: str, name: str, dtype: str, titles: Sequence[str], items: int | None, until: float
) -> list[dict[str, Any]]:
    """Score the workloads with one program: seconds, tokens, memory, and the log-probability of every option."""
    import torch

    model, scorer = _scorer(program, folder, dtype)
    sets = workloads()
    if torch.cuda.is_available():
        torch.cuda.reset_peak_memory_stats()
    speed = peak(dtype)
    batch = 0
    results = []
    for title in titles:
        if time.time() > until:
            break
        requests = sets[title].make(items or sets[title].full)
        warm = requests[-WARM:]
        if program == "lm-eval" and not batch:
            batch = min(BATCHES, key=lambda size, warm=warm: _seconds(scorer, warm, size)[0])
        else:
            scorer.run(warm, batch)
        if program == "vllm":  # The requests that were not timed are among those that are.
            model.runner.network.engine.reset_prefix_cache()
        before = model.usage if model else None
        seconds, scores = _seconds(scorer, requests, batch)
        needed = work(scorer.split(pair) for pair in pairs(requests))
        least = operations(needed, shape(_config(name)))
        results.append(
            {
                "workload": title,
                "requests": len(scores),
                "seconds": seconds,
                "naive": needed.naive,
                "unique": needed.unique,
                "computed": model.usage.since(before).tokens if model else needed.naive,
                "memory": torch.cuda.max_memory_reserved() if torch.cuda.is_available() else 0,
                "of_peak": least / seconds / speed,
                "peak": speed,
                "batch": batch,
                "scores": scores,
            }
        )
    return results


def show(name: str, found: Mapping[str, Sequence[Mapping[str, Any]]]) -> None:
    """Print a table of all programs on a shape."""
    print(f"\n{name}: tokens a second are those of all options by themselves, whatever was computed of them")
    print(f"{'workload':12} {'program':8} {'options':>8} {'seconds':>8} {'tokens/s':>10} {'computed':>9} "
          f"{'unique':>7} {'of peak':>8} {'GiB':>6}  differs from hf by (median, nats)")  # fmt: skip
    first = {row["workload"]: row["scores"] for row in found.get("hf", ())}
    for program, rows in found.items():
        for row in rows:
            title = row["workload"]
            apart = np.median(np.abs(np.subtract(row["scores"], first[title]))) if title in first else np.nan
            print(
                f"{title:12} {program:8} {row['requests']:8,} {row['seconds']:8.2f} "
                f"{row['naive'] / row['seconds']:10,.0f} {row['computed'] / row['naive']:9.1%} "
                f"{row['unique'] / row['naive']:7.1%} {row['of_peak']:8.1%} {row['memory'] / 2**30:6.1f}  {apart:.1g}"
            )
    sys.stdout.flush()


def _scorer(program: str, folder: str, dtype: str) -> tuple[Any, Scorer]:
    """Load a program's model; ours counts its own tokens, that of the harness does not."""
    from transformers import AutoModelForCausalLM, AutoTokenizer

    from probsense import load_model

    words = AutoTokenizer.from_pretrained(folder)
    if program == "lm-eval":
        network = AutoModelForCausalLM.from_pretrained(folder, dtype=dtype).to(_device()).eval()
        return None, lm_eval(network, words)
    model = load_model(f"{program}:{folder}", dtype=dtype)
    return model, ours(model, words)


def _seconds(scorer: Scorer, requests: Sequence[Any], batch: int) -> tuple[float, list[float]]:
    _wait()
    started = time.perf_counter()
    scores = scorer.run(requests, batch)
    return time.perf_counter() - started, scores


def _config(name: str) -> Any:
    from transformers import LlamaConfig

    return LlamaConfig(max_position_embeddings=2048, **SHAPES[name])


def _device() -> str:
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"


def _wait() -> None:
    import torch

    if torch.cuda.is_available():
        torch.cuda.synchronize()


def arguments(words: Sequence[str] | None) -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--shapes", nargs="+", choices=SHAPES, default=["1b", "7b"])
    add("--programs", nargs="+", choices=PROGRAMS, default=list(PROGRAMS))
    add("--workloads", nargs="+", choices=list(workloads()), default=list(workloads()))
    add("--n-items", type=int, help="items of every workload, instead of all")
    add("--dtype", choices=("bfloat16", "float16", "float32"), default="bfloat16")
    add("--minutes", type=float, default=8.0, help="no workload begins later than this")
    add("--json", type=Path, help="also write the figures to a file")
    return parser.parse_args(words)


def main(words: Sequence[str] | None = None) -> None:
    """Print the figures of every shape, program and workload."""
    options = arguments(words)
    until = time.time() + 60 * options.minutes
    able = [program for program in options.programs if find_spec(PROGRAMS[program])]
    for program in sorted(set(options.programs) - set(able)):
        print(f"{program} is left out: the package {PROGRAMS[program]} is not installed")
    everything = {}
    for name in options.shapes:
        if time.time() > until:
            print(f"{name} is left out for want of time")
            continue
        found: dict[str, list[dict[str, Any]]] = {}
        # Each gets a process of its own, which gives all memory back.
        with (
            tempfile.TemporaryDirectory() as folder,
            ProcessPoolExecutor(1, get_context("spawn"), max_tasks_per_child=1) as pool,
        ):
            pool.submit(make, name, workloads(), options.dtype, Path(folder)).result()
            for program in able:
                if time.time() < until:
                    task = (program, folder, name, options.dtype, options.workloads, options.n_items, until)
                    found[program] = pool.submit(measure, *task).result()
        show(name, found)
        late = [f"{p} on {w}" for p in able for w in options.workloads
                if w not in [row["workload"] for row in found.get(p, ())]]  # fmt: skip
        if late:
            print(f"left out for want of time: {', '.join(late)}")
        everything[name] = found
    if options.json:
        options.json.write_text(json.dumps(everything, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
