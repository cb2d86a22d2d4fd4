"""Arrays of numbers, in which NaN stands for what is unknown: their types, and sums and ratios of what is known."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
Bools: TypeAlias = NDArray[np.bool_]


def filled(values: Floats) -> Floats:
    """Replace NaN by 0."""
    return np.where(np.isnan(values), 0.0, values)


def mean_known(values: Floats, weight: Floats | float = 1.0) -> Floats:
    """Compute weighted means of the known values along the last axis; NaN where none is known."""
    known = ~np.isnan(values)
    return ratio((weight * filled(values)).sum(axis=-1), (weight * known).sum(axis=-1))


def ratio(part: Floats, whole: Floats) -> Floats:
    """Divide, with NaN where the whole is zero."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(whole > 0, part / whole, np.nan)
