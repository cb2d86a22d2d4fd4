"""Forests: a row for each part, and in it a lane for each model with a mark at its estimate and the interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from probsense.show.measure import Landmark, Measure
from probsense.show.shapes.marks import fitted, intervals, named_line
from probsense.show.tables import OVERALL
from probsense.show.text import plain
from probsense.show.theme import GRID, INK, PAPER, by_model, rows

if TYPE_CHECKING:
    import altair as alt


LANE, GAP = 16, 12
"""Height of one model's lane within a part, and what is left between parts."""
LOW, HIGH = "beyond_low", "beyond_high"
"""Columns of what is said of values beyond the ends of the axis."""
SHORTCUTS = "shortcuts"
"""The name of a shortcut ceiling in a chart."""
RIGHT = 0.8
"""The part of the axis beyond which the name of a bar stands to its left."""


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

    def at(self, value: float | None) -> float | None:
        """Return where a value stands; None if it is unknown."""
        if value is None or value != value:
            return None
        return min(max(value, self.low), self.high) * self.scale

    def beyond(self, value: float) -> dict[str, str]:
        """Say which value lies beyond which end, with an arrow; nothing of a value within."""
        shown = f"{value * self.scale:z.{1 if self.scale > 1 else 2}f}".replace("-", "−")
        if value < self.low:
            return {LOW: f"← {shown}"}
        return {HIGH: f"{shown} →"} if value > self.high else {}


def axis_of(style: Measure, landmark: Landmark | None = None) -> Axis:
    """Make the axis of a measure: its whole range, with its own landmark or else the one that is given."""
    value, name = style.landmark or landmark or (None, "")
    unit = style.unit.suffix.strip()
    title = f"{style.title} ({unit})" if unit else style.title
    return Axis(title, *style.bounds, style.unit.scale, value, name)


def forest(
    records: Sequence[Mapping[str, Any]],
    parts: Mapping[Any, str],
    models: Mapping[str, str],
    axis: Axis,
    width: int,
    opacity: float = 1.0,
    gap: float = GAP,
) -> alt.LayerChart:
    """Draw estimates of parts and models.

    Parameters
    ----------
    records : sequence of mapping
        "model", "part", "value", "low", "high", "tip" (what to say of it) and, where it is known,
        "shortcut_ceiling". Marks are hollow where the interval is unknown, and arrows where the value lies beyond the
        axis; rows without a value are left out.
    parts, models : Mapping to str
        The label of each, in order. The part called :data:`~probsense.show.tables.OVERALL` stands out; models with the
        same label share a lane.
    axis : Axis
    width : int
        Width of the whole chart, in pixels.
    opacity : float
        Opacity of whiskers and marks, below 1 for several in a lane.
    gap : float
        What is left between parts, in pixels.
    """
    import altair as alt

    drawn = [
        {
            "model": models[row["model"]],
            "part": parts[row["part"]],
            "tip": plain(row["tip"]),
            **{name: axis.at(row.get(name)) for name in ("value", "low", "high", "shortcut_ceiling")},
            **axis.beyond(row["value"]),
        }
        for row in records
        if row["value"] is not None and row["value"] == row["value"]
    ]
    lanes, names = [*dict.fromkeys(models.values())], [*parts.values()]
    hue, shape = by_model(lanes, width)
    lane = alt.YOffset("model:N", sort=None, scale=alt.Scale(domain=lanes, paddingOuter=gap / LANE / 2))
    place = alt.X(
        "value:Q",
        title=axis.title,
        scale=alt.Scale(domain=[axis.low * axis.scale, axis.high * axis.scale], nice=False),
    )
    chart = alt.Chart(rows(drawn)).encode(y=_rows_of(names), yOffset=lane, description="tip:N")
    within = chart.transform_filter(f"!isValid(datum.{LOW}) && !isValid(datum.{HIGH})")
    ceilings = [row for row in drawn if row["shortcut_ceiling"] is not None]
    layers = [
        _ground(names),
        *landmark(axis, "right" if ceilings else "center"),
        *(_shortcut_ceilings(chart, ceilings, axis) if ceilings else ()),
        *intervals(within, place, hue, shape, opacity),
        *_arrows(chart, drawn, place, hue),
    ]
    return fitted(layers, width, len(names) * (LANE * len(lanes) + gap))


def _arrows(
    chart: alt.Chart, drawn: Sequence[Mapping[str, Any]], place: alt.X, hue: alt.Color
) -> list[alt.Chart]:
    """Draw an arrow with its number at the end of the axis for each value that lies beyond it."""
    found = []
    for side in (LOW, HIGH):
        if any(side in row for row in drawn):
            there = chart.transform_filter(f"isValid(datum.{side})").encode(x=place, text=f"{side}:N")
            letters: dict[str, Any] = {
                "align": "left" if side == LOW else "right",
                "dx": 4 if side == LOW else -4,
                "fontSize": 11.5,
                "fontWeight": 600,
            }
            # What lies below the letters is kept from running through them.
            found.append(there.mark_text(**letters, aria=False, stroke=PAPER, strokeWidth=4))
            found.append(there.mark_text(**letters).encode(color=hue))
    return found


def _shortcut_ceilings(
    chart: alt.Chart, ceilings: Sequence[Mapping[str, Any]], axis: Axis
) -> list[alt.Chart]:
    """Draw a bar at each shortcut ceiling, with its name above the first."""
    import altair as alt

    first = max(row["shortcut_ceiling"] for row in ceilings if row["part"] == ceilings[0]["part"])
    place = alt.X("shortcut_ceiling:Q", title=axis.title)
    # The name stands away from chance, and within the chart.
    align: Literal["left", "right"] = "left" if first < axis.high * axis.scale * RIGHT else "right"
    name = alt.Chart(rows([{"shortcut_ceiling": first, "name": SHORTCUTS}])).mark_text(
        aria=False, baseline="bottom", dy=-4, align=align
    )
    known = chart.transform_filter("isValid(datum.shortcut_ceiling)")
    return [
        known.mark_tick(aria=False, orient="vertical", size=LANE, thickness=3, color=INK, opacity=0.5).encode(
            x=place
        ),
        name.encode(x=place, y=alt.value(0), text="name:N"),
    ]


def landmark(axis: Axis, align: Literal["center", "right"] = "center") -> list[alt.Chart]:
    """Draw a dashed line with its name above, if there is a value to compare others with."""
    import altair as alt

    if axis.landmark is None:
        return []
    point = alt.Chart(rows([{"x": axis.landmark * axis.scale, "name": axis.name}])).encode(
        x=alt.X("x:Q", title=axis.title)
    )
    return named_line(point, align=align)


def _rows_of(parts: Sequence[str]) -> alt.Y:
    import altair as alt

    return alt.Y(
        "part:N",
        sort=None,
        title=None,
        scale=alt.Scale(domain=[*parts], padding=0),
        axis=alt.Axis(
            grid=True,
            zindex=0,  # below the names of bars, which stand between rows
            tickBand="extent",
            labelLimit=0,
            labelFontWeight=alt.condition(
                "datum.index == 0 && datum.value == 'Overall'", alt.value(700), alt.value(400)
            ),
        ),
    )


def _ground(parts: Sequence[str]) -> alt.Chart:
    import altair as alt

    whole = [{"part": part} for part in parts if part == OVERALL]
    ground: alt.Chart = (
        alt.Chart(rows(whole)).mark_rect(aria=False, color=GRID, opacity=0.4).encode(y=_rows_of(parts))
    )
    return ground
