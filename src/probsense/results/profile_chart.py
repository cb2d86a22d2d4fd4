"""The commonsense profile as a chart."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from probsense.show.forest import LANE, RIGHT, SHORTCUTS, Axis, forest
from probsense.show.text import plain
from probsense.show.theme import INK, NARROW, PAPER, WIDE, Spec, labels, rows, specification, strings
from probsense.show.words import ILLUSTRATIVE, PEOPLE

if TYPE_CHECKING:
    import polars as pl

GAP = 30
"""What is left between rows, for the names of the bars."""
AXIS = Axis("Share or nearness (%)", 0, 1, 100)
Align: TypeAlias = Literal["left", "center", "right"]
LANDMARKS = {"chance": "chance", "shortcut_ceiling": SHORTCUTS, PEOPLE: PEOPLE, ILLUSTRATIVE: ILLUSTRATIVE}
"""What has a bar in each row, and its name there."""


def draw_profile(table: pl.DataFrame, width: int = WIDE) -> Spec:
    """Draw a row for each measure, a mark with its interval for each model, and bars at chance, shortcuts and people.

    Parameters
    ----------
    table : DataFrame
        part, model, value, low, high, chance, shortcut_ceiling, people, illustrative (where made-up people
        are): numbers from 0 to 1. The last column may be missing.
    width : int
    """
    import altair as alt
    import polars as pl

    parts = labels(strings(table, "part"), 26 if width > NARROW else 18)
    models = labels(strings(table, "model"))
    records = [
        {
            **{name: row[name] for name in ("value", "low", "high")},
            **{"part": parts[row["part"]], "model": models[row["model"]], "tip": _said(row)},
        }
        for row in table.iter_rows(named=True)
    ]
    crowded = set(table.filter(pl.col("shortcut_ceiling").is_finite())["part"])
    known: list[dict[str, Any]] = [
        {
            "part": parts[part],
            "x": AXIS.at(value),
            "name": name,
            "tip": plain(f"{part}: {name} {value * 100:.3g} %"),
            "align": _align(column, value) if part in crowded else "center",
        }
        for column, name in LANDMARKS.items()
        if column in table.columns
        for part, value in table.select("part", column).unique(maintain_order=True).iter_rows()
        if math.isfinite(value)
    ]
    bars = alt.Chart(rows(known)).encode(
        x=alt.X("x:Q", title=AXIS.title), y=alt.Y("part:N", sort=None, title=None), description="tip:N"
    )
    half = LANE * len(models) / 2
    text = bars.encode(text="name:N")
    drawn = forest(records, [*parts.values()], [*models.values()], AXIS, width, gap=GAP) + bars.mark_tick(
        orient="vertical", size=2 * half, thickness=2, color=INK, opacity=0.5
    )
    above = -half - GAP / 4
    for align in sorted({row["align"] for row in known}):
        own = text.transform_filter(f"datum.align == '{align}'")
        # What lies below the letters is kept from running through them.
        drawn += own.mark_text(align=align, dy=above, fontSize=10.5, stroke=PAPER, strokeWidth=4)
        drawn += own.mark_text(align=align, dy=above, fontSize=10.5)
    about = f"Where {', '.join(models)} stand in {', '.join(parts)}. Each line is an interval."
    return specification(drawn, about)


def _align(column: str, value: float) -> Align:
    """Keep the names of chance and of shortcuts apart, and both within the chart."""
    return "left" if column == "shortcut_ceiling" and value < RIGHT else "right"


def _said(row: Mapping[str, Any]) -> str:
    value, low, high = (f"{row[name] * 100:z.1f}" for name in ("value", "low", "high"))
    return f"{row['model']}, {row['part']}: {value} % [{low}, {high}]"
