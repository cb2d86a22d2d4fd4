"""Marks that charts share: an estimate with its interval, a dashed line with its name, and layers that fit a width."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from probsense.show.theme import INK, PAPER

if TYPE_CHECKING:
    import altair as alt


DASHED: Final[Mapping[str, Any]] = {"aria": False, "strokeDash": [4, 4], "color": INK, "opacity": 0.65}
"""How a line looks with which values are compared: at chance, or where two values are the same."""


def percent(share: float | None) -> float | None:
    """Turn a share into per cent."""
    return None if share is None else share * 100


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
