"""Estimates with their intervals as small pictures for rows of tables: one for every width of a page."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from probsense.analysis.inference.estimate import Estimate
from probsense.show.measure import Measure

MARGIN = 3.0
"""Room at both ends, in per cent of the width, so that marks at the ends are whole."""


@dataclass(frozen=True, slots=True)
class Scale:
    """The axis that the rows of a table share.

    Attributes
    ----------
    low, high : float
        Its ends.
    style : Measure
    """

    low: float
    high: float
    style: Measure

    def at(self, value: float) -> float:
        """Return where a value stands, in per cent of the width; what lies beyond an end stands there."""
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return round(MARGIN + share * (100 - 2 * MARGIN), 2)

    def ticks(self) -> list[tuple[float, str]]:
        """Return the places of the ends and of the middle, with their labels."""
        values = (self.low, (self.low + self.high) / 2, self.high)
        digits = self.style.unit.digits if self.high - self.low < 1 / self.style.unit.scale else 0
        scale, few = self.style.unit.scale, (self.high - self.low) * self.style.unit.scale < 4
        return [(self.at(value), f"{value * scale:z.{2 if few else digits}f}") for value in values]


def scale_of(style: Measure, values: Iterable[float]) -> Scale:
    """Choose the axis of a measure: its bounds, or where these are endless, what the values take."""
    low, high = style.bounds
    known = [value for value in values if math.isfinite(value)]
    low = low if math.isfinite(low) else min(known, default=0.0)
    high = high if math.isfinite(high) else max(known, default=1.0)
    return Scale(low, high if high > low else low + 1.0, style)


def ends(estimates: Sequence[Estimate]) -> list[float]:
    """Return every number of estimates that an axis has to show."""
    return [number for e in estimates for number in (e.value, e.low, e.high, e.chance, e.shortcut_ceiling)]


def span(scale: Scale, estimate: Estimate | None, landmarks: Mapping[str, float]) -> Markup:
    """Draw the mark of an estimate with its interval, hollow if that is unknown, and lines at landmarks.

    Parameters
    ----------
    scale : Scale
    estimate : Estimate or None
    landmarks : Mapping of str to float
        By the class of the line: "chance", "ceiling", "people"; NaN for none.

    Returns
    -------
    str
        An ``<svg>`` as wide as its cell. It is hidden from screen readers: the numbers stand beside it.
    """
    lines = [_upright("grid", place) for place, _ in scale.ticks()]
    lines += [_upright(name, scale.at(value)) for name, value in landmarks.items() if math.isfinite(value)]
    marks = []
    if estimate is not None and math.isfinite(estimate.value):
        known = math.isfinite(estimate.low) and math.isfinite(estimate.high)
        if known:
            low, high = scale.at(estimate.low), scale.at(estimate.high)
            marks.append(f'<line class="whisker" x1="{low}%" x2="{high}%" y1="50%" y2="50%"/>')
        kind = "mark" if known else "mark hollow"
        marks.append(f'<circle class="{kind}" cx="{scale.at(estimate.value)}%" cy="50%" r="4"/>')
    return Markup(f'<svg class="span" aria-hidden="true" focusable="false">{"".join([*lines, *marks])}</svg>')


def _upright(name: str, place: float) -> str:
    return f'<line class="{name}" x1="{place}%" x2="{place}%" y1="0" y2="100%"/>'
