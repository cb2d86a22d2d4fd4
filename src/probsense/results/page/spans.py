"""Estimates with their intervals as cells and small pictures for rows of tables: one for every width of a page."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from markupsafe import Markup

from probsense.analysis.inference.estimate import Estimate
from probsense.show.measure import ABSENT, Measure, bracketed

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


def row_span(scale: Scale, estimate: Estimate | None, people: float = math.nan) -> Markup:
    """Draw an estimate by :func:`span`, with lines at what guessing gets, what shortcuts reach and where people are."""
    if estimate is None:
        return span(scale, None, {})
    lines = {"chance": estimate.chance, "ceiling": estimate.shortcut_ceiling, "people": people}
    return span(scale, estimate, lines)


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


def cell_of(estimate: Estimate | None, style: Measure) -> dict[str, str]:
    """Write a value and its interval for a cell, and what it is sorted by."""
    if estimate is None or math.isnan(estimate.value):
        return {"value": "", "shown": ABSENT, "ends": ""}
    interval = bracketed(estimate, replace(style, bounds=(-math.inf, math.inf)))
    return {"value": f"{estimate.value:.6g}", "shown": style.number(estimate.value), "ends": interval}


def references(mains: Sequence[Estimate], scale: Scale, people: float) -> list[dict[str, Any]]:
    """Make the rows of chance, shortcuts and people: each value, or from where to where it goes."""
    found = []
    for kind, title, values in (
        ("people", "People", [people]),
        ("ceiling", "Shortcut ceiling", [e.shortcut_ceiling for e in mains]),
        ("chance", "Chance", [e.chance for e in mains]),
    ):
        known = sorted({scale.style.number(v) for v in values if math.isfinite(v)}, key=float)
        if known:
            lines = {kind: next(v for v in values if math.isfinite(v))} if len(known) == 1 else {}
            shown = known[0] if len(known) == 1 else f"{known[0]} to {known[-1]}"
            found.append({"title": title, "shown": shown, "span": span(scale, None, lines)})
    return found
