"""Charts with a curve: people's shares by a model's probability of yes, and what groups share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from probsense.show.shapes.calibration import calibration
from probsense.show.shapes.marks import fitted, percent
from probsense.show.text import plain
from probsense.show.theme import WIDE, Spec, by_model, labels, rows, specification, strings
from probsense.tasks.judgments.charts.individuals import interval_words

if TYPE_CHECKING:
    import polars as pl


def share_calibration_chart(table: pl.DataFrame, width: int = WIDE) -> Spec:
    """Draw a mark with its interval for each bin and model, and a dashed line where both are the same.

    The chart shows the first question that the table has.
    """
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
    about = f"Share of people who say yes, by the probability of yes, for {', '.join(models)}"
    titles = "Probability of yes (%)", "Share of people who say yes (%)"
    return calibration(records, [*models.values()], titles, about, width, 300)


def pq_chart(table: pl.DataFrame, width: int = WIDE) -> Spec:
    """Draw a stair for each population: what the best group of each size shares; dashed where more is possible."""
    import altair as alt
    import polars as pl

    names = labels(strings(table, "population"), 40)
    records = []
    for name, label in names.items():
        before = 0.0
        for row in table.filter(pl.col("population") == name).iter_rows(named=True):
            found = {key: row[key] * 100 for key in ("p", "q", "q_bound", "low", "high")}
            said = (
                f"{found['p']:.3g} % of them share {found['q']:.3g} % of the statements{interval_words(row)}"
            )
            records.append({**found, "before": before, "name": f"{row['raters']:,.0f} {label}", "tip": said})
            before = found["p"]
    hue, _ = by_model([*dict.fromkeys(str(row["name"]) for row in records)], width, "name")
    # A stair begins at the left edge, as high as its first step.
    steps = [{**row, "p": 0.0} for row in records if row["before"] == 0.0] + records
    across = alt.X("p:Q", title="Share of the raters (%)", scale=alt.Scale(domain=[0, 100]))
    up = alt.Y("q:Q", title="Share of the statements (%)", scale=alt.Scale(domain=[0, 100]))
    chart = alt.Chart(rows(records)).encode(
        x=alt.X("before:Q", title=across["title"]), x2="p:Q", color=hue, description="tip:N"
    )
    layers = [
        chart.mark_rect(opacity=0.18).encode(y=alt.Y("low:Q", title=up["title"]), y2="high:Q"),
        chart.transform_filter("datum.q_bound > datum.q")
        .mark_rule(aria=False, strokeDash=[3, 3])
        .encode(y=alt.Y("q_bound:Q", title=up["title"])),
        alt.Chart(rows(steps))
        .mark_line(interpolate="step-before", strokeWidth=2.5)
        .encode(x=across, y=up, color=hue, description="name:N"),
    ]
    about = f"Share of statements that a share of raters has in common, for {', '.join(names)}"
    return specification(fitted(layers, width, 280), about)
