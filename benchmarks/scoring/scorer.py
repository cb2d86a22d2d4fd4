"""Measures how fast options are scored, beside lm-evaluation-harness, minicons and vLLM on the same network.

    python benchmarks/scoring/scorer.py [--full | --n-items N] [--models gpt2 llama] [--workloads worldsense ...]

All scorers run in turns, in float32; vLLM in a process of its own, with the libraries preloaded that it recommends,
the others in one. They first have to agree on a few requests; their answers while they are timed are compared too.
Times are CPU seconds of one thread or, with more threads, wall seconds on a machine that should have nothing else to
do. The best batch size of a peer counts. vLLM is asked in three ways: by one request for each distinct context whose
next token is wanted (``vllm``), for the log-probabilities of whole prompts, and inside lm-evaluation-harness.

The floor is the time of the matrix multiplications for the unique tokens and the needed vocabulary rows, at the speed
that is measured between the runs.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from floor import Shape, Split, gemm_speed, operations, shape, work
from peers import DIFFERENCES, Scorer, plain, running, scorers, vllm
from shapes import NAMES, make
from workloads import Workload, pairs, texts, workloads

TOLERANCE = 1e-3
"""How many nats two scorers may differ by on a request; untrained networks of this size round to some 1e-5."""

Run: TypeAlias = Callable[[], list[float]]


@dataclass(frozen=True)
class Agreement:
    """How many requests a peer splits as ours does, how many not, and the largest difference (nats) on the former."""

    compared: int
    left_out: int
    largest: float


def compare(
    mine: Sequence[Split], theirs: Sequence[Split], ours: Sequence[float], others: Sequence[Sequence[float]]
) -> Agreement:
    """Compare log-probabilities of a peer, shape (runs, requests), with ours where both ask a network the same.

    Raises
    ------
    SystemExit
        If they differ by more than rounding.
    """
    alike = np.array([a == b for a, b in zip(mine, theirs, strict=True)])
    largest = float(np.abs(np.subtract(others, ours))[:, alike].max(initial=0.0))
    if not largest <= TOLERANCE:
        sys.exit(f"a peer and probsense differ by {largest:.2g} nats on the same tokens")
    return Agreement(int(alike.sum()), int((~alike).sum()), largest)


def in_turns(
    runs: Sequence[Run], repeat: int, now: Callable[[], float]
) -> tuple[list[float], list[list[float]], float]:
    """Time the runs in turns: median seconds and result of each, and the best speed of matrix products meanwhile."""
    taken: list[list[float]] = [[] for _ in runs]
    found: list[list[float]] = []
    speed = 0.0
    for _ in range(repeat):
        found = []
        for run, seconds in zip(runs, taken, strict=True):
            speed = max(speed, gemm_speed(now))
            gc.collect()
            started = now()
            found.append(run())
            seconds.append(now() - started)
    return [statistics.median(seconds) for seconds in taken], found, speed


def cost(splits: Sequence[Split], seconds: float, network: Shape, speed: float) -> dict[str, Any]:
    """Compare the least that scoring takes with the time it took."""
    needed = work(splits)
    return {
        "requests": len(splits),
        **needed._asdict(),
        "seconds": seconds,
        "requests_per_second": len(splits) / seconds,
        "of_floor": operations(needed, network) / speed / seconds,
    }


def measure(
    model: Any,
    mine: Scorer,
    rest: Scorer,
    peers: Sequence[Scorer],
    elsewhere: Callable[[], float],
    workload: Workload,
    items: int,
    options: argparse.Namespace,
) -> dict[str, Any]:
    """Time all scorers on one workload, ours without the tree (``rest``) too; some compute elsewhere."""
    requests = workload.make(items)
    asked = pairs(requests)
    # A batch that the next smaller size holds as well would be the same again.
    batches = options.batch_sizes
    sizes = [b for b, smaller in zip(batches, (0, *batches), strict=False) if smaller < len(asked)]
    splits = [[scorer.split(pair) for pair in asked] for scorer in (mine, *peers)]
    before = model.usage.tokens
    first = mine.run(requests, 0)
    computed = model.usage.tokens - before
    few = requests[: -(-4 // len(requests[0].options))]
    count = len(pairs(few))
    for peer, split in zip(peers, splits[1:], strict=True):
        compare(splits[0][:count], split[:count], first[:count], [peer.run(few, sizes[-1])])
    trials = [(peer, size) for peer in peers for size in (sizes if peer.batches else [0])]

    everything = workload.make(workload.full) if workload.whole and items < workload.full else []
    runs = [partial(mine.run, requests, 0)]
    runs += [partial(peer.run, requests, size) for peer, size in trials]
    runs.append(partial(rest.run, requests, 0))
    sharing = [mine, *(peer for peer in peers if peer.shares)] if everything else []
    runs += [partial(scorer.run, everything, 0) for scorer in sharing]
    now = time.perf_counter if options.threads > 1 else lambda: time.process_time() + elsewhere()
    seconds, scores, speed = in_turns(runs, options.repeat, now)

    network = shape(model.runner.network.config)
    result = {
        "gemm_flops": speed,
        "computed": computed,
        **cost(splits[0], seconds[0], network, speed),
        "peers": {},
    }
    for i, peer in enumerate(peers):
        own = [k for k, (other, _) in enumerate(trials, start=1) if other is peer]
        times = {trials[k - 1][1]: seconds[k] for k in own}
        best = min(times, key=lambda size, times=times: times[size])
        agreement = compare(splits[0], splits[i + 1], scores[0], [scores[k] for k in own])
        result["peers"][peer.name] = {
            "seconds": times,
            "best": best,
            "ratio": times[best] / seconds[0],
            "computed": peer.computed(len(asked)),
            **asdict(agreement),
        }
    at = 1 + len(trials)
    compare(splits[0], splits[0], scores[0], [scores[at]])
    result["plain"] = {
        "seconds": seconds[at],
        "ratios": {
            name: min(peer["seconds"].values()) / seconds[at] for name, peer in result["peers"].items()
        },
    }
    if everything:
        whole = [mine.split(pair) for pair in pairs(everything)]
        timed = {scorer.name: seconds[k] for k, scorer in enumerate(sharing, start=at + 1)}
        taken = timed.pop(mine.name)
        result["whole"] = cost(whole, taken, network, speed)
        ratio = seconds[0] / len(asked) / (taken / len(whole))
        result["whole"]["ratios"] = {name: second / taken for name, second in timed.items()}
        result["whole"]["extrapolated"] = {
            name: peer["ratio"] * ratio for name, peer in result["peers"].items() if name not in timed
        }
    return result


def show(title: str, result: Mapping[str, Any]) -> None:
    """Print the measurements."""
    unique, computed = result["unique"], result["computed"]
    print(f"\n{title}: {result['requests']:,} requests")
    print(
        f"  tokens      {result['naive']:,} naive, {unique:,} unique ({result['naive'] / unique:.2f} x), "
        f"{computed:,} computed ({computed / unique:.3f} x unique); {result['rows']:,} rows needed"
    )
    print(f"  probsense    {_speed(result)} of {result['gemm_flops'] / 1e9:.0f} GFLOP/s")
    for name, peer in result["peers"].items():
        times = ", ".join(
            f"b{size} {seconds:.2f} s" if size else f"{seconds:.2f} s"
            for size, seconds in peer["seconds"].items()
        )
        best = f" (b{peer['best']})" if peer["best"] else ""
        computed = f"; {peer['computed']:,} tokens computed" if peer["computed"] else ""
        print(f"  {name:12} {peer['ratio']:.1f} x{best}; {times}{computed}")
        agrees = f"agrees to {peer['largest']:.0e} on {peer['compared']:,} requests"
        others = f"{peer['left_out']:,} left out, where {DIFFERENCES.get(name)}"
        said = [text for text, count in ((agrees, peer["compared"]), (others, peer["left_out"])) if count]
        print(f"{'':14}{'; '.join(said)}")
    ratios = ", ".join(f"{name} {ratio:.1f} x" for name, ratio in result["plain"]["ratios"].items())
    print(f"  plain path  {result['plain']['seconds']:.2f} s; of that, {ratios}")
    if whole := result.get("whole"):
        timed, others = (
            ", ".join(f"{name} {ratio:.1f} x" for name, ratio in whole[kind].items())
            for kind in ("ratios", "extrapolated")
        )
        print(f"  all {whole['requests']:<8,} {_speed(whole)}; {timed}")
        print(f"{'':15}{others}, extrapolated from what the requests above took them each")


def _speed(result: Mapping[str, Any]) -> str:
    return (
        f"{result['seconds']:.2f} s, {result['requests_per_second']:.1f} requests/s, "
        f"{result['of_floor']:.2f} of the floor"
    )


def arguments() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--models", nargs="+", choices=NAMES, default=NAMES)
    add("--workloads", nargs="+", choices=list(workloads()), default=list(workloads()))
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--n-items", type=int, help="items of every workload, instead of some minutes' worth")
    size.add_argument("--full", action="store_true", help="whole workloads for all scorers: takes hours")
    add("--winogrande", type=Path, help="a published file, instead of the schemas of the package")
    add("--batch-sizes", type=int, nargs="+", default=(1, 8, 32), help="of the peers, ascending")
    add("--repeat", type=int, default=1, help="turns, of which the median counts")
    add("--threads", type=int, default=1)
    add("--json", type=Path, help="also write the figures to a file")
    return parser.parse_args()


def main() -> None:
    """Print the figures of every model and workload."""
    options = arguments()
    for variable in ("OMP_NUM_THREADS", "RAYON_NUM_THREADS"):
        os.environ[variable] = str(options.threads)
    results = []
    sets = workloads(options.winogrande)
    for name in options.models:
        with tempfile.TemporaryDirectory() as folder:
            make(name, texts(sets), Path(folder))
            results += on_model(name, folder, sets, options)
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")


def on_model(
    name: str, folder: str, sets: Mapping[str, Workload], options: argparse.Namespace
) -> list[dict[str, Any]]:
    """Measure one model on the chosen workloads."""
    import torch
    from transformers import AutoTokenizer

    from probsense import load_model

    torch.set_num_threads(options.threads)
    model, words = load_model(f"hf:{folder}", dtype="float32"), AutoTokenizer.from_pretrained(folder)
    mine, *peers = scorers(model, words)
    rest = plain(model, words)
    results = []
    with running(folder, options.threads) as runner:
        peers += vllm(runner, mine) if runner else []
        for title in options.workloads:
            workload = sets[title]
            items = options.n_items or (workload.full if options.full else workload.few[name])
            elsewhere = (lambda: runner.seconds) if runner else float
            result = measure(model, mine, rest, peers, elsewhere, workload, items, options)
            show(f"{name}, {title}", result)
            sys.stdout.flush()
            results.append({"model": name, "workload": title, "threads": options.threads, **result})
    return results


if __name__ == "__main__":
    main()
