"""Simulates pilots and the studies that ``ps.plan`` plans from them: does a study reach what was asked?

    python benchmarks/studies/plan_check.py [--pilots 400]

For each design, it draws many pilots, plans a study from each, draws a study of that size, and compares the mean width
of its interval, or the share of studies that find the difference, with what was asked.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import ndtri

import probsense as ps
from probsense.analysis.comparison.aligned import align
from probsense.analysis.comparison.scores import Scores
from probsense.analysis.inference.significance import t_test

MEASURE = "score"


@dataclass(frozen=True)
class Design:
    """Hold how a study is drawn, and what is asked of it.

    Attributes
    ----------
    name : str
    clusters : int
        Of the pilot.
    sizes : (int, int)
        Fewest and most items of a cluster.
    inside : float
        Correlation of latent scores within a cluster.
    share : float
        Share of hits, if scores are hits and misses; 0 for normal scores of mean 0 and variance 1.
    width, difference : float
        What is asked; 0 for the other one.
    power : float
    between : float
        Correlation of the latent scores of two models.
    people : (int, int)
        People of the pilot and of the study, each of whom rates every item; none for models.
    settings : float
        Standard deviation of 15 settings, in which equally many items are told; 0 for none.
    """

    name: str
    clusters: int
    sizes: tuple[int, int] = (1, 1)
    inside: float = 0.0
    share: float = 0.0
    width: float = 0.0
    difference: float = 0.0
    power: float = 0.8
    between: float = 0.7
    people: tuple[int, int] = (0, 0)
    settings: float = 0.0


DESIGNS = (
    Design("normal, 100 items", 100, width=0.2),
    Design("normal, 40 clusters of 5", 40, (5, 5), 0.3, width=0.2),
    Design("normal, 15 clusters of 4 (few)", 15, (4, 4), 0.5, width=0.5),
    Design("hits, 100 items", 100, share=0.7, width=0.08),
    Design("hits, 60 pairs", 60, (2, 2), 0.5, share=0.6, width=0.08),
    Design("hits, 80 clusters of 1 to 5", 80, (1, 5), 0.4, share=0.8, width=0.06),
    Design("pair, normal, 100 items", 100, difference=0.15),
    Design("pair, hits, 80 pairs of items", 80, (2, 2), 0.5, share=0.6, difference=0.08),
    Design("pair, normal, 25 clusters of 3 (few)", 25, (3, 3), 0.4, difference=0.25, power=0.9),
    Design("20 people × 60 items", 60, width=0.5, people=(20, 20)),
    Design("20 people × 60 items, 40 in the study", 60, width=0.3, people=(20, 40)),
    Design("normal, 300 items in 15 settings, sd .3", 300, width=0.45, settings=0.3),
    Design("normal, 300 items in 15 settings, sd .1", 300, width=0.25, settings=0.1),
)


def draw(rng: np.random.Generator, design: Design, clusters: int, people: int) -> list[Scores]:
    """Draw the results of one or two models, or of people."""
    place = np.repeat(np.arange(clusters), rng.integers(design.sizes[0], design.sizes[1] + 1, clusters))
    items = pl.DataFrame({"item": np.arange(len(place)).astype(str), "cluster": place.astype(str)})
    if people:
        return [_rated(rng, items, people)]
    if design.settings:
        return [_told(rng, items, design.settings)]
    models = 2 if design.difference else 1
    latent = np.sqrt(design.inside) * _correlated(rng, clusters, models, design.between)[:, place]
    latent += np.sqrt(1 - design.inside) * _correlated(rng, len(place), models, design.between)
    means = design.difference * np.arange(models)[:, None]
    values = latent < ndtri(design.share + means) if design.share else latent + means
    return [
        Scores(f"model {i}", "", "", "simulated", items, pl.DataFrame({MEASURE: one.astype(float)}))
        for i, one in enumerate(values)
    ]


def _correlated(rng: np.random.Generator, n: int, models: int, r: float) -> NDArray[np.float64]:
    shared = rng.normal(size=n)
    return np.asarray(np.sqrt(r) * shared + np.sqrt(1 - r) * rng.normal(size=(models, n)))


def _rated(rng: np.random.Generator, items: pl.DataFrame, people: int) -> Scores:
    """Draw ratings by people, each of whom rates every item."""
    rating = 0.3 * rng.normal(size=(people, 1)) + 0.5 * rng.normal(size=items.height)
    rating = rating + rng.normal(size=rating.shape)
    known = {
        "item": np.tile(items["item"], people),
        "rater": np.repeat(np.arange(people).astype(str), items.height),
        MEASURE: rating.ravel(),
    }
    means = pl.DataFrame({MEASURE: rating.mean(axis=0)})
    return Scores("people", "", "", "simulated", items, means, ratings=pl.DataFrame(known))


def _told(rng: np.random.Generator, items: pl.DataFrame, sd: float) -> Scores:
    """Draw scores of items that are told in settings."""
    setting = np.arange(items.height) % 15
    values = rng.normal(size=items.height) + sd * rng.normal(size=15)[setting]
    drawn = items.with_columns(pl.lit("all").alias("stratum"), pl.Series("setting", setting.astype(str)))
    return Scores("model", "", "", "simulated", drawn, pl.DataFrame({MEASURE: values}))


class Reached(NamedTuple):
    """What was asked of studies, what they reached, their mean number of clusters, and how often none is enough."""

    asked: float
    got: float
    clusters: float
    none: float


def reached(design: Design, pilots: int, seed: int = 1) -> Reached:
    """Plan a study from each of many pilots, and draw it."""
    found = [*_studies(np.random.default_rng(seed), design, pilots)]
    got, clusters = np.mean(found, axis=0)
    asked = design.power if design.difference else design.width
    return Reached(asked, float(got), float(clusters), 1 - len(found) / pilots)


def _studies(rng: np.random.Generator, design: Design, pilots: int) -> Iterator[tuple[float, int]]:
    goal = (
        {"difference": design.difference, "power": design.power}
        if design.difference
        else {"width": design.width}
    )
    raters = design.people[1] or None
    for _ in range(pilots):
        plan = ps.plan(*draw(rng, design, design.clusters, design.people[0]), raters=raters, **goal)
        [needed] = plan.needed
        if needed is None:
            continue
        aligned = align(draw(rng, design, needed, design.people[1]), MEASURE)
        if design.difference:
            apart = aligned.mean(MEASURE, {}, aligned.values[1] - aligned.values[0], [0, 1])
            yield float(t_test(apart) < 0.05), needed
        else:
            level = aligned.level(0)
            yield level.high - level.low, needed


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pilots", type=int, default=400)
    wish = parser.parse_args()
    print("| design of the pilot | asked | got | clusters | no number is enough |\n|---|---:|---:|---:|---:|")
    for design in DESIGNS:
        one = reached(design, wish.pilots * (3 if design.difference else 1))
        what = "power" if design.difference else "width"
        cells = f"{what} {one.asked:.3g} | {one.got:.3f} | {one.clusters:,.0f} | {100 * one.none:.0f} %"
        print(f"| {design.name} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
