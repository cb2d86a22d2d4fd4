"""Simulates answers of models to items, and measures how well ``probsense items`` finds what they were made from.

Run as ``python benchmarks/studies/items.py`` (fifteen minutes). Two tables come out: how often intervals of 95 % cover
the discriminations and difficulties of items, and the area under the ROC curve with which items whose label was turned
come before the others.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from probsense.analysis.comparison.item_response import Floats, fit_items

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


def main() -> None:
    """Print both tables."""
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


if __name__ == "__main__":
    main()
