"""Simulates answers of models to items, and measures how well ``probsense items`` finds turned labels.

Run as ``python benchmarks/studies/items.py``. It prints the area under the ROC curve with which items whose label was
turned come before the others.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from probsense.analysis.comparison.items import Floats, rest_correlation

TURNED = 0.05


def draw(
    rng: np.random.Generator, models: int, items: int, turned: float = 0.0
) -> tuple[Floats, NDArray[np.bool_]]:
    """Draw answers by a two-parameter logistic: right (models, items), and which labels are turned."""
    ability = rng.normal(size=models)
    ability = (ability - ability.mean()) / ability.std()
    wrong = rng.random(items) < turned
    sign = np.where(wrong, -1.0, 1.0)
    slope, easiness = sign * rng.normal(1, 0.4, items), sign * rng.normal(0.5, 1.3, items)
    p = 1 / (1 + np.exp(-(ability[:, None] * slope + easiness)))
    return (rng.random(p.shape) < p).astype(np.float64), wrong


def roc_area(score: Floats, wrong: NDArray[np.bool_]) -> float:
    """Compute the probability that a wrong label has a larger score than a right one; ties count half."""
    above = score[wrong, None] > score[~wrong]
    equal = score[wrong, None] == score[~wrong]
    return float((above + equal / 2).mean())


def areas(models: int, items: int, repeats: int) -> Floats:
    """Return the ROC areas of made sets."""
    found = []
    for seed in range(repeats):
        right, wrong = draw(np.random.default_rng([seed, models, items]), models, items, TURNED)
        found.append(roc_area(-np.nan_to_num(rest_correlation(right)), wrong))
    return np.array(found)


def main() -> None:
    """Print the areas."""
    print("models  items  ROC area of turned labels first [95 % interval]")
    for models in (4, 8, 20, 50):
        found = areas(models, 500, 40)
        half = 1.96 * found.std(ddof=1) / np.sqrt(len(found))
        print(f"{models:6}    500  {found.mean():.3f} [{found.mean() - half:.3f}, {found.mean() + half:.3f}]")


if __name__ == "__main__":
    main()
