"""The axis of a measure: where values stand on it, where it ends, and what they are compared with."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from probsense.show.measure import Landmark, Measure

if TYPE_CHECKING:
    import polars as pl

FARTHEST: Final = 10.0
"""Where an axis ends at the latest that ends beyond the last value."""


@dataclass(frozen=True, slots=True)
class Axis:
    """The axis of values.

    Attributes
    ----------
    title : str
    low, high : float
        Its ends; an arrow with its number stands there for a value beyond.
    scale : float
        What values are multiplied with.
    landmark : float or None
        A value to compare all others with, and its name.
    name : str
    """

    title: str
    low: float
    high: float
    scale: float = 1.0
    landmark: float | None = None
    name: str = ""

    @property
    def domain(self) -> list[float]:
        """What is printed at its ends."""
        return [self.low * self.scale, self.high * self.scale]

    def at(self, value: float | None) -> float | None:
        """Return where a value stands; None if it is unknown."""
        if value is None or value != value:
            return None
        return min(max(value, self.low), self.high) * self.scale

    def beyond(self, value: float) -> dict[str, str]:
        """Say which value lies beyond which end, with an arrow; nothing of a value within."""
        shown = f"{value * self.scale:z.{1 if self.scale > 1 else 2}f}".replace("-", "−")
        if value < self.low:
            return {"beyond": f"← {shown}", "align": "left"}
        return {"beyond": f"{shown} →", "align": "right"} if value > self.high else {}

    def between(self, table: pl.DataFrame, step: float) -> Axis:
        """Return the axis with round ends beyond all values, the same on both sides of 0 if that holds of its own."""
        found = [value for name in ("value", "low", "high") for value in table[name]]
        ends = [value for value in found if value is not None and math.isfinite(value)]
        low, high = min([0.0, *ends]), max([step, *ends])
        step = step if high - low < 12 * step else 5 * step
        low, high = math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step
        if math.isfinite(self.high) and self.low == -self.high:
            low, high = min(low, -high), max(high, -low)
        return replace(self, low=max(low, -FARTHEST), high=min(high, FARTHEST))


def axis_of(style: Measure, table: pl.DataFrame, title: str = "") -> Axis:
    """Make the axis of a measure: its whole range, with its own landmark or else chance, if all rows have the same."""
    value, name = style.landmark or common_chance(table) or (None, "")
    unit = style.unit.suffix.strip()
    title = title or (f"{style.title} ({unit})" if unit else style.title)
    return Axis(title, *style.bounds, style.unit.scale, value, name)


def common_chance(table: pl.DataFrame) -> Landmark | None:
    """Find the accuracy of guessing, if it is the same for all rows."""
    chances = {*table["chance"].fill_nan(None)} if "chance" in table.columns else {None}
    chance = chances.pop()
    return Landmark(chance, "chance") if not chances and chance is not None else None
