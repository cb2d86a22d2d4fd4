"""The chart of everybody's shares: what a model of all answers tells of each statement."""

from __future__ import annotations

from typing import TYPE_CHECKING

from probsense.show.theme import COLOURS, WIDE, Spec, rows, specification
from probsense.tasks.judgments.chart_values import interval_words, percent

if TYPE_CHECKING:
    import polars as pl

DOTS = 400
"""With more statements than this, the shares of those who were asked are left out."""


def shares_chart(table: pl.DataFrame, width: int = WIDE) -> Spec:
    """Draw a line through the shares, in rising order, a band of their intervals, and a dot for each observed share."""
    import altair as alt

    records = [
        {
            "place": place,
            "mid": percent(row["share"]),
            "low": percent(row["low"]),
            "high": percent(row["high"]),
            "asked": percent(row["yes"]),
            "tip": f"statement {row['statement_id']}: {row['share'] * 100:.1f} %{interval_words(row)}",
        }
        for place, row in enumerate(table.sort("share").iter_rows(named=True), 1)
    ]
    last = max(len(records), 2)
    across = alt.X(
        "place:Q", title="Statements, by share", scale=alt.Scale(domain=[1, last], nice=False, zero=False)
    )
    title, scale = "Share of yes (%)", alt.Scale(domain=[0, 100])
    base = alt.Chart(rows(records)).encode(x=across)
    layers = [
        base.mark_area(aria=False, color=COLOURS[0], opacity=0.2).encode(
            y=alt.Y("low:Q", title=title, scale=scale), y2="high:Q"
        ),
        base.mark_line(aria=False, color=COLOURS[0], strokeWidth=2).encode(
            y=alt.Y("mid:Q", title=title, scale=scale)
        ),
    ]
    if len(records) <= DOTS:
        layers.append(
            base.transform_filter("isValid(datum.asked)")
            .mark_point(filled=True, color=COLOURS[1], size=18, opacity=0.8)
            .encode(y=alt.Y("asked:Q", title=title, scale=scale), description="tip:N")
        )
    drawn = alt.layer(*layers).properties(
        width=width, height=280, autosize={"type": "fit-x", "contains": "padding"}
    )
    return specification(drawn, f"Share of everybody who say yes to each of {len(records):,} statements")
