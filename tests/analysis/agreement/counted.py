"""Agreement counted answer by answer, for tests of what is computed of all at once."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np


def agreed(x: float, y: float) -> float:
    """Whether two answers agree; a tie does so by half."""
    return 0.5 if 0.5 in (x, y) else float(x == y)


def agreements(answers: Iterable[float], key: Iterable[float]) -> list[float]:
    """Where both are known, whether answers agree with a key."""
    return [agreed(x, y) for x, y in zip(answers, key, strict=True) if not math.isnan(x + y)]


def mean(values: Sequence[float]) -> float:
    """The mean of values, unknown of none."""
    return float(np.mean(values)) if len(values) else math.nan


def most(votes: Sequence[float]) -> float:
    """What most votes say: 1, 0, or 0.5 if they tie; unknown of none."""
    return float((np.sign(np.mean(votes) - 0.5) + 1) / 2) if len(votes) else math.nan
