"""Studies whose widths and powers have formulas."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from probsense.tasks.shared.planning import Floats


@dataclass(frozen=True)
class NormalStudy:
    """Means of n normal values with standard deviation sd, in groups that differ by a standard deviation of their own.

    There is a fixed number of groups, so that no n makes the error smaller than theirs.
    """

    sd: float = 1.0
    floor: float = 0.0
    unit: str = "item"
    least: int = 2
    most: int = 100_000
    slow: bool = False

    def error(self, size: int) -> float:
        """The standard error of the mean."""
        return float(np.sqrt(self.sd**2 / size + self.floor**2))

    def counts(self, size: int) -> Mapping[str, int]:
        """Three questions an item."""
        return {"questions": 3 * size}

    def intervals(self, size: int, studies: int, rng: np.random.Generator) -> Floats:
        """Known errors: half-widths of 1.96 errors, times a random factor with mean 1."""
        half = 1.96 * self.error(size) * rng.uniform(0.9, 1.1, studies)
        middle = rng.normal(0.7, self.error(size), studies)
        return np.stack([middle - half, middle + half], axis=1)

    def p_values(
        self, size: int, difference: float, models: int, studies: int, rng: np.random.Generator
    ) -> Floats:
        """Two-sided normal tests, with Bonferroni's factor for the pairs of models."""
        z = rng.normal(difference / self.error(size), 1, studies)
        return np.minimum(2 * ndtr(-np.abs(z)) * models * (models - 1) / 2, 1.0)
