"""Compares the throughput of two workers of Ray with that of one, each with one thread, and the tokens that they read.

``python benchmarks/ray_workers.py [--model SPEC] [--limit N]`` asks WorldSense of pools that are ready: starting them
takes the same time for runs of any length. Times mean little on a shared machine, so it prints ratios. Tokens are set
beside those of one process without Ray.
"""

from __future__ import annotations

import argparse
import time

import ray

from probsense.core.records import ScoreRequest
from probsense.models.ray.pooled import pooled
from probsense.models.ray.workers import RayWorkers
from probsense.models.registry import load_model
from probsense.runs.evaluate import evaluate


def asked(spec: str, number: int, limit: int) -> tuple[float, int]:
    """Ask so many workers; return the seconds, and the number of tokens that they read."""
    ray.init(num_cpus=number, include_dashboard=False, log_to_driver=False)
    try:
        model = pooled(RayWorkers(number), spec)
        # Every worker finds out what it can share before the clock runs.
        list(model.score([ScoreRequest(f"Number {k} is", (" even.", " odd.")) for k in range(64 * number)]))
        before, started = model.usage, time.perf_counter()
        evaluate("worldsense", model, limit=limit, store=None, quiet=True)
        return time.perf_counter() - started, model.usage.since(before).tokens
    finally:
        ray.shutdown()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="builtin:tiny")
    parser.add_argument("--limit", type=int, default=8000)
    wish = parser.parse_args()
    (one, _), (two, shared) = (asked(wish.model, number, wish.limit) for number in (1, 2))
    model = load_model(wish.model)
    evaluate("worldsense", model, limit=wish.limit, store=None, quiet=True)
    alone = model.usage.tokens
    print(f"{wish.model}, {wish.limit:,} questions of WorldSense")
    print(f"throughput of two workers: {one / two:.2f} times that of one")
    print(f"tokens read by two workers: {100 * (shared / alone - 1):+.1f} % of those of one process")


if __name__ == "__main__":
    main()
