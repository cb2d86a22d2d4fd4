"""Compares products in bfloat16 on a CPU with float32: time, log-probabilities, and the estimates of every task.

    python benchmarks/scoring/precision.py [FOLDER_OF_A_MODEL] [--limit N]

Both models answer the same questions of each task, in turns, in one process; frames score given answers, so that no
draw is in the way. Times are CPU seconds of one thread. The table has, for each task, the ratio of the times, the
largest difference of a log-probability of an option (nats) or of the mass of a label, and by how many of its standard
errors an estimate moves: the median over all estimates, and the largest.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Iterator, Mapping
from typing import Any, Final

from probsense.core.records import LabelResponse, Response, ScoreResponse

TASKS: Final[Mapping[str, Mapping[str, Any]]] = {
    "suite": {},
    "worldsense": {},
    "winogrande": {},
    "judgments": {"prompt_format": "chat-answer"},
    "frames": {"method": "options"},
}


def numbers(response: Response) -> Iterator[float]:
    """List the log-probability of each option, or the mass of each label."""
    if isinstance(response, ScoreResponse):
        yield from (sum(one.option.logprobs) + sum(one.suffix.logprobs) for one in response.options)
    elif isinstance(response, LabelResponse):
        yield from response.mass.values()


def compare(task: str, models: Mapping[str, Any], limit: int) -> str:
    """Ask both models one task, and return a row of the table."""
    import probsense as ps

    options = dict(TASKS[task])
    form = options.pop("prompt_format", None)
    seconds, runs = {}, {}
    for name, model in models.items():
        asked = model.in_prompt_format(form) if form else model
        started = time.process_time()
        runs[name] = ps.evaluate(task, asked, limit=limit, store=None, quiet=True, **options)
        seconds[name] = time.process_time() - started
    exact, rounded = (run.outcome.answers for run in runs.values())
    largest = max(
        abs(one - other)
        for key, response in exact.items()
        for one, other in zip(numbers(response), numbers(rounded[key]), strict=True)
    )
    # Estimates whose standard error is 0 or unknown are the same in both, or not to be compared.
    pairs = zip(*(run.summary() for run in runs.values()), strict=True)
    moved = [(abs(a.value - b.value) / a.stderr, a.measure) for a, b in pairs if a.stderr > 0]
    furthest, measure = max(moved, default=(0.0, "–"))
    ratio = seconds["float32"] / seconds["bfloat16"]
    half = statistics.median([share for share, _ in moved] or [0.0])
    return (
        f"| {task} | {ratio:.2f} | {largest:.2g} | {len(moved)} | {half:.2f} | {furthest:.2f} (`{measure}`) |"
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", help="by default SmolLM2, out of its package")
    parser.add_argument("--limit", type=int, default=200, help="questions of each task")
    parser.add_argument("--tasks", nargs="+", choices=[*TASKS], default=[*TASKS])
    given = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = "1"
    import torch

    from probsense import load_model
    from real_models import real_model

    torch.set_num_threads(1)
    folder = given.folder or real_model("smollm2")
    models = {dtype: load_model(f"hf:{folder}", dtype=dtype) for dtype in ("float32", "bfloat16")}
    print("| Task | Time of float32 | Largest difference | Estimates | Moved by, median | at most |")
    print("|---|---|---|---|---|---|")
    for task in given.tasks:
        print(compare(task, models, given.limit), flush=True)


if __name__ == "__main__":
    main()
