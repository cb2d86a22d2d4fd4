"""Measures our model inside lm-evaluation-harness beside its own ``hf``, on tasks of known shapes made offline.

    python benchmarks/scoring/harness.py [--networks gpt2 llama-110m FOLDER] [--tasks hellaswag ...] [--documents N]

Both models run in one process and in turns, in float32, each on a network of its own; ``hf`` with every batch size,
and its best counts. Times are CPU seconds of one thread or, with more threads, wall seconds on a machine that should
have nothing else to do. The trial at load is not among them. The log-likelihoods, greedy flags and choices that are
timed have to agree. ``--whole`` times ours on more documents, too; what ``hf`` takes grows with their number alone.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from harness_workloads import TASKS, Arguments, Task, choices, texts
from scorer import in_turns
from shapes import NETWORKS, make

NETWORK_NAMES = ("gpt2", "llama-110m")
ABSOLUTE, RELATIVE = 1e-3, 1e-5
"""How much two log-likelihoods may differ by: in nats, and as a share; sums over long texts round to more."""
MEMORY = 4e9
"""Bytes that the logits of a batch of ``hf`` and their log-softmax may take; larger batches are left out."""

Answers: TypeAlias = list[tuple[float, bool]]


def run(model: Any, task: Task, asked: Sequence[Arguments], batch: int = 1) -> Answers:
    """Ask a model of the harness, as its evaluator does."""
    from lm_eval.api.instance import Instance

    model.batch_size_per_gpu = batch
    kind = "loglikelihood_rolling" if task.rolling else "loglikelihood"
    requests = [Instance(kind, {}, arguments, i) for i, arguments in enumerate(asked)]
    found = getattr(model, kind)(requests, disable_tqdm=True)
    return [(value, False) for value in found] if task.rolling else found


def compare(mine: Answers, theirs: Answers, options: int) -> float:
    """Return the largest difference of two log-likelihoods in nats.

    Raises
    ------
    SystemExit
        If one exceeds rounding, or if a greedy flag or a choice differs.
    """
    (ours, greedy), (others, others_greedy) = (zip(*answers, strict=True) for answers in (mine, theirs))
    differences = np.abs(np.subtract(ours, others))
    if not (differences <= ABSOLUTE + RELATIVE * np.abs(others)).all():
        sys.exit(f"probsense and hf differ by {differences.max():.2g} nats")
    if greedy != others_greedy:
        sys.exit("probsense and hf differ in what is greedy")
    if choices(ours, options) != choices(others, options):
        sys.exit("probsense and hf choose different options")
    return float(differences.max())


def measure(mine: Any, theirs: Any, task: Task, options: argparse.Namespace) -> dict[str, Any]:
    """Time both models on one task."""
    asked = task.make(options.documents)
    longest = max(len(theirs.tok_encode("".join(arguments))) for arguments in asked)
    row = 2 * 4 * min(longest, theirs.max_length) * theirs.model.config.vocab_size
    sizes = [size for size in options.batch_sizes if size == 1 or size * row <= MEMORY]
    runner = mine._runner  # The first look at it makes the trial.
    few = asked[: task.options]
    compare(run(mine, task, few), run(theirs, task, few), task.options)
    before = runner.usage
    runs = [partial(run, mine, task, asked), *(partial(run, theirs, task, asked, size) for size in sizes)]
    now = time.process_time if options.threads == 1 else time.perf_counter
    (seconds, *others), (answers, *found), _ = in_turns(runs, options.repeat, now)
    used = runner.usage.since(before)
    times = dict(zip(sizes, others, strict=True))
    best = min(times, key=times.__getitem__)
    whole = {}
    if options.whole > options.documents:
        ((taken,), _, _) = in_turns([partial(run, mine, task, task.make(options.whole))], 1, now)
        extrapolated = times[best] / options.documents * options.whole
        whole = {"whole": options.whole, "whole_seconds": taken, "whole_ratio": extrapolated / taken}
    return {
        "documents": options.documents,
        "requests": len(asked),
        "naive": used.naive // options.repeat,
        "computed": used.tokens // options.repeat,
        "seconds": seconds,
        "hf": times,
        "best": best,
        "ratio": times[best] / seconds,
        "largest": max(compare(answers, other, task.options) for other in found),
        **whole,
    }


def show(title: str, result: Mapping[str, Any]) -> None:
    """Print the measurements."""
    times = ", ".join(f"b{size} {seconds:.1f} s" for size, seconds in result["hf"].items())
    print(
        f"{title}: {result['requests']:,} requests, {result['computed']:,} of {result['naive']:,} tokens; "
        f"probsense {result['seconds']:.1f} s, hf {times}: {result['ratio']:.2f} x (b{result['best']}); "
        f"agree to {result['largest']:.0e}"
    )
    if whole := result.get("whole"):
        print(
            f"  all {whole} documents: probsense {result['whole_seconds']:.1f} s, {result['whole_ratio']:.2f} x, "
            "extrapolated from what the documents above took hf"
        )
    sys.stdout.flush()


def on_network(name: str, folder: str, options: argparse.Namespace) -> list[dict[str, Any]]:
    """Measure one network on the chosen tasks."""
    import torch
    from lm_eval.models.huggingface import HFLM

    from probsense.interop.lm_eval.model import ProbSenseLM

    torch.set_num_threads(options.threads)
    mine, theirs = (
        kind(pretrained=folder, device="cpu", dtype="float32", max_length=options.max_length)
        for kind in (ProbSenseLM, HFLM)
    )
    results = []
    for title in options.tasks:
        result = measure(mine, theirs, TASKS[title], options)
        show(f"{name}, {title}", result)
        results.append({"network": name, "task": title, "threads": options.threads, **result})
    return results


def arguments() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--networks", nargs="+", default=NETWORK_NAMES, help=f"{', '.join(NETWORKS)}, or folders")
    add("--tasks", nargs="+", choices=list(TASKS), default=list(TASKS))
    add("--documents", type=int, default=20, help="of each task; the full table has 200, which takes hours")
    add("--whole", type=int, default=0, help="documents for ours alone, whose savings grow with their number")
    add("--batch-sizes", type=int, nargs="+", default=(1, 8, 32), help="of hf")
    add("--max-length", type=int, help="of the context, where it should be shorter than the network's")
    add("--repeat", type=int, default=1, help="turns, of which the median counts")
    add("--threads", type=int, default=1)
    add("--json", type=Path, help="also write the figures to a file")
    return parser.parse_args()


def main() -> None:
    """Print the figures of every network and task."""
    options = arguments()
    for variable in ("OMP_NUM_THREADS", "RAYON_NUM_THREADS"):
        os.environ[variable] = str(options.threads)
    os.environ["TQDM_DISABLE"] = "1"
    logging.disable(logging.WARNING)
    results = []
    for name in options.networks:
        if name in NETWORKS:
            with tempfile.TemporaryDirectory() as folder:
                make(name, texts(), Path(folder))
                results += on_network(name, folder, options)
        else:
            results += on_network(Path(name).name, name, options)
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
