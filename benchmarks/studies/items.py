"""Simulates answers of models to items, and measures how well ``probsense items`` finds what they were made from.

Run as ``python benchmarks/studies/items.py`` (twenty minutes). Three tables come out: how often intervals of 95 % cover
the discriminations and difficulties of items; the area under the ROC curve with which items whose label was turned come
before the others; and how often two groups of models are found to differ where they do and where they do not. The
argument ``groups`` gives the last table alone (five minutes).
"""

from __future__ import annotations

import sys
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from probsense.analysis.comparison.differential import differential
from probsense.analysis.comparison.item_response import Floats, fit_items, fit_population
from probsense.analysis.inference.proportions import wilson

TURNED = 0.05
POPULATIONS: dict[str, Callable[[np.random.Generator, int], Floats]] = {
    "normal": lambda rng, items: rng.normal(1, 0.4, items),
    "log-normal": lambda rng, items: np.exp(rng.normal(0, 0.4, items)),
}
"""Discriminations; the model fits the first kind exactly."""


def draw(
    rng: np.random.Generator, models: int, items: int, kind: str = "normal", turned: float = 0.0
) -> tuple[Floats, Floats, Floats, NDArray[np.bool_]]:
    """Draw answers: right (models, items), discriminations, difficulties, and which labels are turned."""
    ability = rng.normal(size=models)
    ability = (ability - ability.mean()) / ability.std()
    wrong = rng.random(items) < turned
    sign = np.where(wrong, -1.0, 1.0)
    slope, easiness = sign * POPULATIONS[kind](rng, items), sign * rng.normal(0.5, 1.3, items)
    p = 1 / (1 + np.exp(-(ability[:, None] * slope + easiness)))
    return (rng.random(p.shape) < p).astype(np.float64), slope, -easiness, wrong


def roc_area(score: Floats, wrong: NDArray[np.bool_]) -> float:
    """Compute the probability that a wrong label has a larger score than a right one; ties count half."""
    above = score[wrong, None] > score[~wrong]
    equal = score[wrong, None] == score[~wrong]
    return float((above + equal / 2).mean())


def coverage(models: int, items: int, kind: str, turned: float, repeats: int) -> tuple[Floats, Floats]:
    """Return the shares of discriminations and difficulties that their intervals cover, and the standard errors."""
    found = []
    for seed in range(repeats):
        right, slope, difficulty, _ = draw(
            np.random.default_rng([seed, models, items]), models, items, kind, turned
        )
        fit = fit_items(right)
        found.append(
            [
                np.mean((fit.low <= slope) & (slope <= fit.high)),
                np.mean(np.abs(fit.difficulty - difficulty) <= 1.96 * fit.difficulty_stderr),
            ]
        )
    return np.mean(found, axis=0), np.std(found, axis=0) / np.sqrt(repeats)


def areas(models: int, items: int, repeats: int) -> Floats:
    """Return the ROC areas of made sets."""
    found = []
    for seed in range(repeats):
        right, *_, wrong = draw(np.random.default_rng([seed, models, items]), models, items, turned=TURNED)
        found.append(roc_area(fit_items(right, jackknifed=False).negative, wrong))
    return np.array(found)


def draw_groups(
    rng: np.random.Generator,
    models: int,
    items: int,
    share: float,
    shift: float = 1.0,
    gap: float = 0.0,
    kin: float = 0.0,
) -> tuple[Floats, Floats]:
    """Draw answers of two groups of models, the first half and the second.

    Parameters
    ----------
    rng : Generator
    models, items : int
    share, shift : float
        Of items that are easier or harder for the first group, and by how much, in log-odds.
    gap : float
        By how much the first group is more able.
    kin : float
        Standard deviation of what an item has in common for a model and its twin, which may be of the other group.

    Returns
    -------
    (ndarray, ndarray)
        Answers, shape (models, items), and differences, shape (items,).
    """
    side = np.where(np.arange(models) < models // 2, 0.5, -0.5)
    ability = rng.normal(size=models) + gap * side
    ability = (ability - ability.mean()) / ability.std()
    differing = rng.random(items) < share
    difference = np.where(differing, shift * rng.choice([-1, 1], items), 0.0)
    log_odds = ability[:, None] * POPULATIONS["normal"](rng, items) + rng.normal(0.5, 1.3, items)
    log_odds += side[:, None] * difference
    log_odds += rng.normal(0, kin, (models // 2, items))[rng.permutation(models) // 2]
    return (rng.random(log_odds.shape) < 1 / (1 + np.exp(-log_odds))).astype(np.float64), difference


def differing(models: int, items: int, repeats: int, **made: float) -> tuple[Floats, Floats, Floats]:
    """Find differences in made sets.

    Returns
    -------
    (ndarray, ndarray, ndarray), each of shape (repeats,)
        Whether the test of all items finds some (p ≤ 0.05); the share of items without any whose p is at most 0.05; and
        the ROC area with which items that differ come first by their p.
    """
    names = [str(place) for place in range(models)]
    groups = {"first": names[: models // 2], "second": names[models // 2 :]}
    found = []
    for seed in range(repeats):
        rng = np.random.default_rng([seed, models, items])
        right, difference = draw_groups(rng, models, items, **made)
        one = differential(right, fit_population(right), names, groups, rng)
        other = difference != 0
        area = roc_area(-one.item_p, other) if other.any() else np.nan
        found.append([one.p <= 0.05, np.mean(one.item_p[~other] <= 0.05), area])
    return tuple(np.array(found, dtype=np.float64).T)  # type: ignore[return-value]


def print_groups() -> None:
    """Print how often groups are found to differ."""
    print("models  items that differ            sets  found in % of sets   p ≤ 0.05 of others   ROC area")
    for models, repeats in ((8, 150), (16, 90), (40, 30)):
        for name, made in (
            ("none", {"share": 0.0}),
            ("none, a group more able by 1.5", {"share": 0.0, "gap": 1.5}),
            ("none, models alike in pairs", {"share": 0.0, "kin": 1.5}),
            ("10 %, by 1", {"share": 0.1}),
            ("10 %, by 2", {"share": 0.1, "shift": 2.0}),
        ):
            sets = repeats if made["share"] == 0 else repeats // 3
            hits, others, area = differing(models, 300, sets, **made)
            low, high = wilson(hits.mean(), sets, z=1.96)
            told = f"{models // 2:2} + {models // 2:2}  {name:30} {sets:4}"
            told += f"  {100 * hits.mean():4.1f} [{100 * low:.1f}, {100 * high:.1f}]"
            told += f"   {100 * others.mean():4.1f} (± {196 * others.std() / np.sqrt(sets):.1f})"
            if made["share"]:
                told += f"   {area.mean():.3f} (± {1.96 * area.std() / np.sqrt(sets):.3f})"
            print(told, flush=True)


def main() -> None:
    """Print the tables, or the last alone."""
    if sys.argv[1:] == ["groups"]:
        print_groups()
        return
    print("models  items  discriminations  turned   covered: discrimination     difficulty")
    for models, items, repeats in ((4, 50, 60), (8, 200, 20), (8, 5000, 2), (30, 200, 10), (100, 50, 10)):
        for kind, turned in (("normal", 0.0), ("normal", TURNED), ("log-normal", 0.0)):
            mean, error = coverage(models, items, kind, turned, repeats)
            told = "      ".join(f"{100 * m:.1f} (± {196 * e:.1f})" for m, e in zip(mean, error, strict=True))
            print(f"{models:6} {items:6}  {kind:15}  {100 * turned:4.0f} %   {told}", flush=True)
    print("models  items  ROC area of turned labels first [95 % interval], middle 90 % of sets")
    for models, items, repeats in ((4, 500, 10), (8, 500, 10), (20, 500, 5), (50, 500, 3)):
        found = areas(models, items, repeats)
        half = 1.96 * found.std(ddof=1) / np.sqrt(repeats)
        low, high = np.quantile(found, [0.05, 0.95])
        mean = found.mean()
        print(
            f"{models:6} {items:6}  {mean:.3f} [{mean - half:.3f}, {mean + half:.3f}], {low:.3f} to {high:.3f}",
            flush=True,
        )
    print_groups()


if __name__ == "__main__":
    main()
