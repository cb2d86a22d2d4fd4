"""Measures how often intervals cover the truth, and how often tests find a difference that does not exist.

    python benchmarks/studies/interval_coverage/intervals.py [--replications N]

For every design it draws many data sets with a known truth. It prints the tables behind docs/statistics.md.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

import judgments
import skins
import twins
from counting import Covered, Floats, Interval, Rng, coverage, coverage_over_skins, held
from probsense.analysis.agreement.bootstrap import ceiling_interval, noise_ceiling, split_half_bootstrap
from probsense.analysis.agreement.models import population_scores
from probsense.analysis.agreement.people import People, statement_scores
from probsense.analysis.inference.bounded import bounded, proportion_estimate
from probsense.analysis.inference.correlations import fisher_interval
from probsense.analysis.inference.means import mean_estimate, stratified_mean
from probsense.analysis.inference.resampling import cluster_bootstrap, transformed
from probsense.analysis.inference.significance import mcnemar, sign_flip_test, t_test

REPLICATIONS = 2000
JUDGMENTS = 1000
"""The most data sets for a row about judgments, which bootstraps each of them."""
TWINS = 2000
"""The most data sets for a row about twins, each of which passes all of WorldSense's estimates."""


def _clustered(sizes: NDArray[np.int64], rng: Rng) -> tuple[Floats, NDArray[np.int64]]:
    """Draw normal values of mean 0; half of the variance is that of clusters."""
    place = np.repeat(np.arange(len(sizes)), sizes)
    return rng.normal(size=len(sizes))[place] + rng.normal(size=len(place)), place


def _mean(sizes: Callable[[Rng], NDArray[np.int64]]) -> Callable[[Rng], Interval]:
    def draw(rng: Rng) -> Interval:
        found = mean_estimate("", {}, *_clustered(sizes(rng), rng))
        return Interval(found.low, found.high, 0.0)

    return draw


def _equal(clusters: int, size: int) -> Callable[[Rng], Interval]:
    return _mean(lambda rng: np.full(clusters, size))


def _skewed(n: int) -> Callable[[Rng], Interval]:
    def draw(rng: Rng) -> Interval:
        found = mean_estimate("", {}, rng.exponential(size=n), range(n))
        return Interval(found.low, found.high, 1.0)

    return draw


def _proportion(p: float, clusters: int, size: int, same: float) -> Callable[[Rng], Interval]:
    """Draw hits; an item is like the first of its cluster with probability ``same``."""

    def draw(rng: Rng) -> Interval:
        first = rng.random((clusters, 1)) < p
        hits = np.where(rng.random((clusters, size)) < same, first, rng.random((clusters, size)) < p)
        found = proportion_estimate("", {}, hits.ravel(), np.repeat(np.arange(clusters), size))
        return Interval(found.low, found.high, p)

    return draw


def _strata(rng: Rng) -> Interval:
    sizes = {"a": (20, 1.0), "b": (10, 3.0), "c": (6, 0.5)}
    weights = {"a": 0.2, "b": 0.5, "c": 0.3}
    parts = [(name, *_clustered(np.full(n, 3), rng)) for name, (n, _) in sizes.items()]
    values = np.concatenate([sizes[name][1] * values for name, values, _ in parts])
    strata = np.concatenate([[name] * len(values) for name, values, _ in parts])
    found = stratified_mean(
        "", {}, values, np.concatenate([place for *_, place in parts]), strata, weights=weights
    )
    return Interval(found.low, found.high, 0.0)


def _bootstrap(clusters: int, *, skewed: bool) -> Callable[[Rng], Interval]:
    """Bootstrap a ratio: a mean over clusters of unequal size."""

    def draw(rng: Rng) -> Interval:
        sizes = rng.integers(1, 6, size=clusters)
        noise = rng.exponential(size=clusters) - 1 if skewed else rng.normal(size=clusters)
        totals = np.stack([sizes * noise, sizes], axis=1)
        _, low, high = cluster_bootstrap(totals, lambda sums: sums[:, 0] / sums[:, 1], rng, draws=1000)
        return Interval(low, high, 0.0)

    return draw


def _fisher(n: int, r: float) -> Callable[[Rng], Interval]:
    def draw(rng: Rng) -> Interval:
        x = rng.normal(size=n)
        y = r * x + math.sqrt(1 - r * r) * rng.normal(size=n)
        return Interval(*fisher_interval(float(np.corrcoef(x, y)[0, 1]), n), r)

    return draw


def _ceiling(statements: int, persons: int, each: int) -> Callable[[Rng], Interval]:
    """Draw people's answers; the truth is the correlation of their observed values with the true ones."""

    def draw(rng: Rng) -> Interval:
        p1 = rng.beta(0.8, 0.5, statements)
        p2 = np.clip(p1 + rng.normal(0, 0.15, statements), 0.02, 0.98)
        person = np.repeat(np.arange(persons), each)
        about = np.concatenate([rng.choice(statements, each, replace=False) for _ in range(persons)])
        q1, q2 = ((rng.random(len(about)) < p[about]).astype(float) for p in (p1, p2))
        people = People(about, person, q1, q2, statements, persons)
        seen = statement_scores(people).commonsensicality
        known = ~np.isnan(seen)
        truth = np.corrcoef(seen[known], population_scores(p1, p2).commonsensicality[known])[0, 1]
        halves = split_half_bootstrap(people, rng, splits=30, draws=150)
        found = ceiling_interval(transformed(halves, noise_ceiling), int(known.sum()))
        return Interval(float(found.low), float(found.high), float(truth))

    return draw


def _bounded(
    values: Callable[[Rng], Floats], truth: float, bounds: tuple[float, float] = (0, 1)
) -> Callable[[Rng], Interval]:
    """Estimate the mean of a bounded quantity from independent observations."""

    def draw(rng: Rng) -> Interval:
        drawn = values(rng)
        found = bounded(mean_estimate("", {}, drawn, range(len(drawn))), bounds)
        return Interval(found.low, found.high, truth)

    return draw


def _mostly_at(bound: float, often: float, n: int) -> Callable[[Rng], Floats]:
    """Draw values that lie at a bound so often, and anywhere between 0 and 1 otherwise."""
    return lambda rng: np.where(rng.random(n) < often, bound, rng.random(n))


INTERVALS: Mapping[str, Callable[[Rng], Interval]] = {
    "mean, 50 independent normal values": _equal(50, 1),
    "mean, 10 independent normal values": _equal(10, 1),
    "mean, 200 independent skewed values": _skewed(200),
    "mean, 40 clusters of 2": _equal(40, 2),
    "mean, 30 clusters of 3": _equal(30, 3),
    "mean, 40 clusters of 1 to 6": _mean(lambda rng: rng.integers(1, 7, size=40)),
    "mean, 5 clusters of 8 (few)": _equal(5, 8),
    "mean, 8 clusters of 1 to 15 (few, unequal)": _mean(lambda rng: rng.integers(1, 16, size=8)),
    "stratified mean, 20 + 10 + 6 clusters of 3": _strata,
    "proportion .5, 100 items": _proportion(0.5, 100, 1, 0),
    "proportion .98, 200 items": _proportion(0.98, 200, 1, 0),
    "proportion .03, 100 items": _proportion(0.03, 100, 1, 0),
    "proportion .9, 60 pairs, alike in half": _proportion(0.9, 60, 2, 0.7),
    "proportion .05, 80 clusters of 3": _proportion(0.05, 80, 3, 0.5),
    "share .95, 12 items": _proportion(0.95, 12, 1, 0),
    "share .9, 3 items": _proportion(0.9, 3, 1, 0),
    "bounded mean, 3 even values": _bounded(lambda rng: rng.random(3), 0.5),
    "bounded mean, 10 values near 0 (beta .3, 1.7)": _bounded(lambda rng: rng.beta(0.3, 1.7, 10), 0.15),
    "bounded mean, 30 values near 0 (beta .3, 1.7)": _bounded(lambda rng: rng.beta(0.3, 1.7, 30), 0.15),
    "bounded mean, 12 values, nine in ten of them 1": _bounded(_mostly_at(1, 0.9, 12), 0.95),
    "bounded mean, 40 values, nine in ten of them 1": _bounded(_mostly_at(1, 0.9, 40), 0.95),
    "bounded mean of 12 differences, nine in ten of them 0": _bounded(
        lambda rng: np.where(rng.random(12) < 0.9, 0, rng.choice([-1.0, 1.0], 12)), 0, (-1, 1)
    ),
    "bootstrap (percentile) of a ratio, 60 clusters": _bootstrap(60, skewed=False),
    "bootstrap (percentile) of a skewed ratio, 60 clusters": _bootstrap(60, skewed=True),
    "correlation .6, 30 pairs": _fisher(30, 0.6),
    "judgments: ceiling, 30 statements, 40 people": _ceiling(30, 40, 30),
    "judgments: ceiling, 100 statements, 20 people": _ceiling(100, 20, 100),
    "judgments: ceiling, 60 statements, 40 people of 20 each": _ceiling(60, 40, 20),
}
"""Each maps a generator to an interval and the truth."""


def _differences(rng: Rng) -> tuple[Floats, NDArray[np.int64]]:
    """Draw differences of two equally good models over 40 clusters of 3 items."""
    return _clustered(np.full(40, 3), rng)


def _right(rng: Rng) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Draw two equally good models on 300 items; some items are hard for both."""
    hard = rng.random(300) < 0.4
    first, second = (np.where(hard, rng.random(300) < 0.3, rng.random(300) < 0.9) for _ in range(2))
    return first, second


def _binary_differences(rng: Rng) -> tuple[Floats, NDArray[np.int64]]:
    first, second = _right(rng)
    return first.astype(np.float64) - second, np.arange(300) // 2


TESTS: Mapping[str, Callable[[Rng], float]] = {
    "t test of the mean difference, 40 clusters of 3": lambda rng: t_test(
        mean_estimate("", {}, *_differences(rng))
    ),
    "sign-flip test, 40 clusters of 3": lambda rng: sign_flip_test(*_differences(rng), rng, draws=999),
    "t test of the difference in accuracy, 150 pairs": lambda rng: t_test(
        mean_estimate("", {}, *_binary_differences(rng))
    ),
    "sign-flip test of accuracy, 150 pairs": lambda rng: sign_flip_test(
        *_binary_differences(rng), rng, draws=999
    ),
    "McNemar (mid-p), 300 items": lambda rng: mcnemar(*_right(rng)),
}
"""Each maps a generator to a p-value under the null."""


BETAS: Mapping[str, tuple[float, float]] = {
    "crowd at 0, beta(.3, 1.7)": (0.3, 1.7),
    "crowd at 0, beta(.1, .9)": (0.1, 0.9),
    "crowd at 1, beta(9.5, .5)": (9.5, 0.5),
    "crowd at both, beta(.3, .3)": (0.3, 0.3),
    "lie near 1, beta(90, 10)": (90, 10),
    "lie around .3, beta(6, 14)": (6, 14),
    "are spread evenly, beta(1, 1)": (1, 1),
    "lie around .5, beta(50, 50)": (50, 50),
}
"""Values between 0 and 1, whose means have intervals that are cut off at the bounds, or bounded as ProbSense does."""
SIZES = (5, 12, 30, 100)


def of_betas(a: float, b: float, n: int, replications: int, seed: int) -> tuple[float, float, float]:
    """Compute the coverage of Student's t cut off at the bounds, that of ProbSense, and the ratio of mean widths."""
    rng, truth = np.random.default_rng(seed), a / (a + b)
    cut, kept = np.empty((replications, 2)), np.empty((replications, 2))
    for i in range(replications):
        found = mean_estimate("", {}, rng.beta(a, b, n), range(n))
        cut[i] = max(found.low, 0), min(found.high, 1)
        ends = bounded(found, (0, 1))
        kept[i] = ends.low, ends.high
    covered, own = (held(*ends.T, truth) for ends in (cut, kept))
    return covered, own, float(np.diff(kept).mean() / np.diff(cut).mean())


def level(draw: Callable[[Rng], float], replications: int, seed: int) -> float:
    """Compute the share of the data sets in which a test at 5 % finds a difference where there is none."""
    rng = np.random.default_rng(seed)
    return float(np.mean([draw(rng) <= 0.05 for _ in range(replications)]))


def _with_widths(over: Covered) -> str:
    pairs = (over.questions, over.half_questions), (over.skins, over.half_skins)
    return " | ".join(f"{100 * share:.1f} % | {100 * half:.1f}" for share, half in pairs)


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replications", type=int, default=REPLICATIONS)
    parser.add_argument("--seed", type=int, default=1)
    wish = parser.parse_args()
    print(f"{wish.replications:,} data sets a row, seed {wish.seed}\n")
    print("| 95 % interval of | covers the truth |\n|---|---:|")
    for name, draw in INTERVALS.items():
        print(f"| {name} | {100 * coverage(draw, wish.replications, wish.seed):.1f} % |", flush=True)
    for name, draw in judgments.INTERVALS.items():
        found = coverage(draw, min(wish.replications, JUDGMENTS), wish.seed)
        print(f"| {name} | {100 * found:.1f} % |", flush=True)
    print("\n| 95 % interval of a WorldSense accuracy | over questions | over skins, too |\n|---|---:|---:|")
    for name, design in skins.DESIGNS.items():
        over = coverage_over_skins(design, wish.replications, wish.seed)
        print(f"| {name} | {100 * over.questions:.1f} % | {100 * over.skins:.1f} % |", flush=True)
    print("\n| skins | over questions | ± points | over skins, too | ± points |\n|---|---:|---:|---:|---:|")
    for name, design in skins.MANY.items():
        over = coverage_over_skins(design, wish.replications, wish.seed)
        print(f"| {name} | {_with_widths(over)} |", flush=True)
    print("\n| model | set less twins | over questions | ± points | over skins, too | ± points |")
    print("|---|---:|---:|---:|---:|---:|")
    for name, model in twins.MODELS.items():
        over = coverage_over_skins(model, min(wish.replications, TWINS), wish.seed)
        print(f"| {name} | {100 * model.truth():.1f} | {_with_widths(over)} |", flush=True)
    print("\n| means of values that … | n | t, cut off | as printed | width |\n|---|---:|---:|---:|---:|")
    for name, (a, b) in BETAS.items():
        for n in SIZES:
            cut, own, width = of_betas(a, b, n, wish.replications, wish.seed)
            print(f"| {name} | {n} | {100 * cut:.1f} % | {100 * own:.1f} % | {width:.2f} |", flush=True)
    print("\n| test at 5 % of | finds what is not there |\n|---|---:|")
    for name, test in TESTS.items():
        print(f"| {name} | {100 * level(test, wish.replications, wish.seed):.1f} % |", flush=True)


if __name__ == "__main__":
    main()
