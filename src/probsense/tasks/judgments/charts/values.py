"""Values of charts, known or not."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any


def interval_words(row: Mapping[str, Any]) -> str:
    """Write the ends of the interval of a row, in per cent; "" if they are unknown."""
    low, high = known_or(row["low"]), known_or(row["high"])
    return "" if math.isnan(low + high) else f" [{low * 100:z.1f}, {high * 100:z.1f}]"


def known_or(value: float | None, otherwise: float = math.nan) -> float:
    """Return a value, or something else if it is None or NaN."""
    return otherwise if value is None or math.isnan(value) else value
