"""The chart of calibration: people's shares by a model's probability of yes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from probsense.show.shapes import intervals
from probsense.show.text import plain
from probsense.show.theme import INK, WIDE, Spec, by_model, labels, rows, specification, strings
from probsense.tasks.judgments.chart_values import interval_words, percent

if TYPE_CHECKING:
    import polars as pl


def share_calibration_chart(table: pl.DataFrame, width: int = WIDE) -> Spec:
    """Draw a mark with its interval for each bin and model, and a dashed line where both are the same.

    The chart shows the first question that the table has.
    """
    import altair as alt
    import polars as pl

    chosen = table.filter(pl.col("asked") == table["asked"].min())
    models = labels(strings(chosen, "model"))
    records = [
        {
            "model": models[row["model"]],
            **{name: percent(row[name]) for name in ("probability", "share", "low", "high")},
            "tip": plain(
                f"{row['model']}, {row['bin']}: {row['share'] * 100:.1f} %{interval_words(row)} of people"
                f" ({row['statements']:,.0f} statements)"
            ),
        }
        for row in chosen.iter_rows(named=True)
    ]
    hue, shape = by_model([*models.values()], width)
    scale, title = alt.Scale(domain=[0, 100]), "Share of people who say yes (%)"
    across = alt.X("probability:Q", title="Probability of yes (%)", scale=scale)
    same = alt.Chart(rows([{"probability": end, "share": end} for end in (0, 100)])).mark_line(
        aria=False, strokeDash=[4, 4], color=INK, opacity=0.65
    )
    chart = alt.Chart(rows(records)).encode(x=across, description="tip:N")
    up = alt.Y("share:Q", title=title, scale=scale)
    drawn = alt.layer(same.encode(x=across, y=up), *intervals(chart, up, hue, shape)).properties(
        width=width, height=300, autosize={"type": "fit-x", "contains": "padding"}
    )
    return specification(
        drawn, f"Share of people who say yes, by the probability of yes, for {', '.join(models)}"
    )
