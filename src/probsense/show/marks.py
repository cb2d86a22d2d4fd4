"""Axes and marks that charts share: estimates with their intervals, dashed lines, and layers that fit a width."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil, floor, isfinite, isnan
from typing import TYPE_CHECKING, Any, Final

from probsense.show.chart import INK, PAPER
from probsense.show.measure import Landmark, Measure, Unit
from probsense.show.tables import OVERALL
from probsense.show.text import plain

if TYPE_CHECKING:
    import altair as alt
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
        """Return the axis with ends beyond all values, at multiples of a step."""
        found = [value for name in ("value", "low", "high") for value in table[name]]
        ends = [value for value in found if value is not None and isfinite(value)]
        low, high = min([0.0, *ends]), max([step, *ends])
        low, high = floor(low / step + 1e-9) * step, ceil(high / step - 1e-9) * step
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


SHORTCUT: Final = "shortcut_ceiling"
"""The column of shortcut ceilings, in tables where some are known."""

DASHED: Final[Mapping[str, Any]] = {"aria": False, "strokeDash": [4, 4], "color": INK, "opacity": 0.65}
"""How a line looks with which values are compared: at chance, or where two values are the same."""


SHARE: Final = Measure("Share", unit=Unit(digits=1))
"""How shares in per cent are written."""


def estimate_marks(
    table: pl.DataFrame,
    style: Measure,
    parts: Mapping[Any, str],
    models: Mapping[str, str],
    axis: Axis,
    number: str = "",
) -> list[dict[str, Any]]:
    """Place each known estimate on an axis, and say what it is.

    Parameters
    ----------
    table : DataFrame
        model, part (null for an overall estimate), value, low, high; where known, shortcut_ceiling and note.
    style : Measure
    parts, models : Mapping to str
        The label of each; rows of other parts are left out.
    axis : Axis
    number : str
        A further column that is kept.
    """
    return [
        {
            "model": models[row["model"]],
            "part": parts[row["part"]],
            "number": row.get(number),
            "tip": plain(
                f"{row['model']}, {row['part'] or OVERALL}{f', {row[number]:g}' if number else ''}: {said(style, row)}"
            ),
            **{name: axis.at(row.get(name)) for name in ("value", "low", "high", SHORTCUT)},
            **axis.beyond(row["value"]),
        }
        for row in table.iter_rows(named=True)
        if row["part"] in parts and axis.at(row["value"]) is not None
    ]


def said(style: Measure, row: Mapping[str, Any]) -> str:
    """Put the value and the interval of a row into words."""
    ceiling = row.get(SHORTCUT)
    reached = ""
    if ceiling is not None and not isnan(ceiling):
        reached = f"; shortcut ceiling {style.number(ceiling)}"
    note = row.get("note")
    interval = bracketed_ends(style, row) or ("" if note else " (no interval)")
    return f"{style.number(row['value'])}{style.unit.suffix}{interval}{reached}{note or ''}"


def bracketed_ends(style: Measure, row: Mapping[str, Any]) -> str:
    """Write the interval of a row after a blank; "" if it is unknown."""
    ends = [row["low"], row["high"]]
    known = all(end is not None and end == end for end in ends)
    return f" [{', '.join(map(style.number, ends))}]" if known else ""


def intervals(
    chart: alt.Chart, place: alt.X | alt.Y, hue: alt.Color, shape: alt.Shape, opacity: float = 1.0
) -> list[alt.Chart]:
    """Draw a whisker from "low" to "high" and a mark at "value", hollow if the interval is unknown.

    Parameters
    ----------
    chart : Chart
        With its data, and the place of each estimate on the other axis.
    place : X or Y
        The axis of values.
    hue, shape : Color, Shape
    opacity : float
    """
    import altair as alt

    known, unknown = (chart.transform_filter(test) for test in ("isValid(datum.low)", "!isValid(datum.low)"))
    outline = 1.0 if opacity == 1 else 0.0
    full = known.mark_point(filled=True, size=65, opacity=opacity, stroke=PAPER, strokeWidth=outline)
    rule = known.mark_rule(strokeWidth=2.5, strokeCap="round", opacity=opacity)
    hollow = unknown.mark_point(fill=PAPER, strokeWidth=1.5, size=60, opacity=opacity)
    stroke = alt.Stroke(hue["shorthand"], scale=hue["scale"], legend=None, sort=None)
    axis = "x" if isinstance(place, alt.X) else "y"
    where: dict[str, Any] = {axis: place}
    ends: dict[str, Any] = {axis: type(place)("low:Q", title=place["title"]), f"{axis}2": "high:Q"}
    # The whisker comes after its mark, whose outline would hide the shortest.
    return [
        full.encode(**where, shape=shape, color=hue),
        rule.encode(**ends, color=hue),
        hollow.encode(**where, shape=shape, stroke=stroke),
    ]


def named_line(point: alt.Chart, **letters: Any) -> list[alt.Chart]:
    """Draw a dashed line from top to bottom, and its name above.

    Parameters
    ----------
    point : Chart
        Its data are one row with a "name"; it encodes x only.
    **letters
        Further properties of the name: "align".
    """
    import altair as alt

    name = point.mark_text(aria=False, baseline="bottom", dy=-4, **letters)
    return [point.mark_rule(**DASHED), name.encode(y=alt.value(0), text="name:N")]


def fitted(layers: Sequence[alt.Chart], width: int, height: float) -> alt.LayerChart:
    """Lay charts over one another in a chart that is ``width`` pixels wide with its labels, and ``height`` without."""
    import altair as alt

    drawn = alt.layer(*layers).properties(
        width=width, height=height, autosize={"type": "fit-x", "contains": "padding"}
    )
    assert isinstance(drawn, alt.LayerChart)
    return drawn
