"""Measures whether studies of the sizes that plans recommend have the width and the power that plans promise.

For every design it makes a plan, and then draws other studies of the recommended sizes, with other seeds.
``python benchmarks/studies/plan_promises.py`` prints the table behind docs/statistics.md.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from probsense.studies.planning import simulated
from probsense.studies.planning.plan import make_plan
from probsense.tasks.frames.planned import plan as frames
from probsense.tasks.judgments.planned import plan as judgments
from probsense.tasks.shared.planning import Planned
from probsense.tasks.suite.task import plan as suite
from probsense.tasks.winogrande.task import plan as winogrande
from probsense.tasks.worldsense.planned import plan as worldsense

STUDIES, INTERVALS, SLOW = 2000, 400, 60
"""Studies whose power, and whose intervals, are looked at; the latter also where they are slow."""


class Promise(NamedTuple):
    """A design, made anew whenever it is called, and what is wanted of it; None where nothing is."""

    make: Callable[[], Planned]
    width: float | None = None
    difference: float | None = None
    models: int = 2


PROMISES: Mapping[str, Promise] = {
    "WorldSense, skins as in the test set": Promise(worldsense, 0.08, 0.06),
    "WorldSense, about a hundred skins": Promise(lambda: worldsense(skins="many"), 0.08, 0.05),
    "WorldSense, over skins": Promise(lambda: worldsense(skins="many", over="skins"), 0.08),
    "WorldSense, an accuracy of .9": Promise(lambda: worldsense(accuracy=0.9, skins="many"), 0.06, 0.04),
    "Winogrande": Promise(winogrande, 0.08, 0.05),
    "Winogrande, five models": Promise(winogrande, None, 0.08, 5),
    "Suite": Promise(suite, 0.1, 0.08),
    "Judgments: corrected consensus, 15 raters": Promise(
        lambda: judgments(measure="consensus_corrected", raters=[15]), 0.2
    ),
    "Judgments: consensus, 10 raters": Promise(lambda: judgments(raters=[10]), 0.14, 0.12),
    "Frames: 20 people, 50 samples": Promise(lambda: frames(people=[20], samples=[50]), 0.1, 0.05),
}


class Kept(NamedTuple):
    """The recommended size, what was promised of it, and what came out."""

    unit: str
    size: int
    promised: float
    found: float


def width_kept(promise: Promise, intervals: int, seed: int, studies: int) -> Kept:
    """Plan for the width, and return the mean half-width of other studies of the size."""
    made = make_plan("promise", promise.make(), width=promise.width, seed=seed, studies=studies)
    (found,) = made.found
    study, rng = promise.make().settings[0].study, np.random.default_rng([seed, 77])
    assert found.for_width is not None
    assert promise.width is not None
    ends = study.intervals(found.for_width, min(intervals, SLOW) if study.slow else intervals, rng)
    return Kept(found.unit, found.for_width, promise.width / 2, float(np.nanmean(np.diff(ends))) / 2)


def power_kept(promise: Promise, replications: int, seed: int, studies: int) -> Kept:
    """Plan for the difference, and return the power of other studies of the size."""
    made = make_plan(
        "promise",
        promise.make(),
        difference=promise.difference,
        models=promise.models,
        seed=seed,
        studies=studies,
    )
    (found,) = made.found
    study, rng = promise.make().settings[0].study, np.random.default_rng([seed, 78])
    assert found.for_difference is not None
    assert promise.difference is not None
    p = study.p_values(found.for_difference, promise.difference, promise.models, replications, rng)
    return Kept(found.unit, found.for_difference, made.power, float((p < simulated.ALPHA).mean()))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replications", type=int, default=STUDIES)
    parser.add_argument("--studies", type=int, default=simulated.STUDIES)
    parser.add_argument("--seed", type=int, default=1)
    wish = parser.parse_args()
    print("| study | planned for | size | promised | other studies |\n|---|---|---:|---:|---:|")
    for name, promise in PROMISES.items():
        if promise.width is not None:
            kept = width_kept(promise, INTERVALS, wish.seed, wish.studies)
            half = promise.width / 2
            print(
                f"| {name} | ± {half:g} | {kept.size:,} {kept.unit}s | ± {kept.promised:.4f} | ± {kept.found:.4f} |",
                flush=True,
            )
        if promise.difference is not None:
            kept = power_kept(promise, wish.replications, wish.seed, wish.studies)
            print(
                f"| {name} | a difference of {promise.difference:g} | {kept.size:,} {kept.unit}s |"
                f" {100 * kept.promised:.0f} % | {100 * kept.found:.1f} % |",
                flush=True,
            )


if __name__ == "__main__":
    main()
