"""The chart of a plan: how the width of intervals falls, and the power rises, with the size of a study."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from probsense.show.chart import Chart
from probsense.show.theme import INK, WIDE, Spec, by_model, labels, rows, specification, strings

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

    from probsense.studies.planning.plan import Found, Plan

TITLE = "What a study of each size gives"
MEANING = (
    "The half-width of 95 % intervals and the power by the size of a study, from simulated studies; the vertical bars"
    " are 95 % intervals of the simulation, and the broken lines are what is wanted."
)
HEIGHT = 170
"""Height of a panel, in pixels."""
WIDTH_PANEL, POWER_PANEL = "width", "power"
_Z = 1.96


def curve(plan: Plan) -> Chart:
    """Make the chart of a plan.

    Its table has the columns panel ("width" or "power"), setting (what is fixed), unit (what sizes count), size, value,
    low and high (of the simulation), goal and axis (the title of the panel's axis).
    """
    import polars as pl

    records = [row for found in plan.found for row in _rows(plan, found)]
    return Chart("plan", TITLE, MEANING, pl.DataFrame(records), draw_curve)


def _rows(plan: Plan, found: Found) -> Iterator[dict[str, Any]]:
    unit = plan.planned.measure.unit
    name = "points" if unit.suffix == " %" else unit.suffix.strip()
    half = None if plan.width is None else plan.width / 2 * unit.scale
    title = f"Interval ± {name}".strip()
    for point in found.points:
        for panel, mean, goal, scale, axis in (
            (WIDTH_PANEL, point.half_width, half, unit.scale, title),
            (POWER_PANEL, point.power, 100 * plan.power, 100, "Power (%)"),
        ):
            if mean is not None:
                yield {
                    "panel": panel,
                    "setting": found.label or plan.planned.title,
                    "unit": f"{found.unit}s",
                    "size": point.size,
                    "value": mean.value * scale,
                    "low": max(mean.value - _Z * mean.error, 0.0) * scale,
                    "high": (mean.value + _Z * mean.error) * scale,
                    "goal": goal,
                    "axis": axis,
                }


def draw_curve(table: pl.DataFrame, width: int = WIDE) -> Spec:
    """Draw a panel for the width of intervals and, if there is one, a panel for the power, over the same sizes."""
    import altair as alt

    names = labels(strings(table, "setting"), 40)
    panels = [_panel(table.filter(panel=panel), names, width) for panel in strings(table, "panel")]
    drawn = alt.vconcat(*panels, spacing=18)
    what = table["unit"][0]
    return specification(drawn, f"Width of intervals and power by the number of {what}, with what is wanted")


def _panel(table: pl.DataFrame, names: dict[str, str], width: int) -> alt.LayerChart | alt.FacetChart:
    import altair as alt

    unit, title = table["unit"][0], table["axis"][0]
    hue, shape = by_model([*names.values()], width, "setting")
    if len(names) == 1:
        hue["legend"], shape["legend"] = None, None
    records = [
        {
            **row,
            "setting": names[row["setting"]],
            "tip": f"{row['setting']}, {row['size']:,} {unit}: {row['value']:.1f}",
        }
        for row in table.iter_rows(named=True)
    ]
    across = alt.X("size:Q", title=f"{unit[:1].upper()}{unit[1:]}", scale=alt.Scale(type="log", nice=False))
    up = alt.Y("value:Q", title=title, scale=alt.Scale(zero=True, nice=True))
    base = alt.Chart(rows(records)).encode(x=across)
    layers = [
        base.mark_line(aria=False, strokeWidth=2).encode(y=up, color=hue),
        base.mark_rule(aria=False, strokeWidth=1.5).encode(
            y=alt.Y("low:Q", title=title), y2="high:Q", color=hue
        ),
        base.mark_point(filled=True, size=45, opacity=1).encode(
            y=up, color=hue, shape=shape, description="tip:N"
        ),
    ]
    if table["goal"][0] is not None:
        wanted = alt.Chart(rows([{"goal": table["goal"][0]}]))
        layers.append(
            wanted.mark_rule(aria=False, color=INK, strokeDash=[5, 4]).encode(y=alt.Y("goal:Q", title=title))
        )
    return alt.layer(*layers).properties(width=width - 80, height=HEIGHT)
