"""Charts of panels with a mark for each statement: people beside models."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from probsense.analysis.agreement.statements import raters
from probsense.analysis.inference.estimate import Estimate
from probsense.show.theme import COLOURS, NARROW, WIDE, Spec, labels, rows, specification
from probsense.tasks.judgments.charts.individuals import known_or
from probsense.tasks.judgments.measures.estimates import overall
from probsense.tasks.judgments.measures.features import commonsensicality
from probsense.tasks.judgments.people.study import Study

if TYPE_CHECKING:
    import altair as alt

PANELS, COLUMNS, CELLS = 6, 3, 24
"""The most models shown, how many panels stand side by side, and the cells along each side of a panel."""
SIDE = 280
"""The longest side of a panel, in pixels: a larger one would be empty."""
DOTS = 400
"""With more statements than this, a panel shows their number in each cell instead of a dot for each."""


def by_statement(study: Study, estimates: Sequence[Estimate]) -> pl.DataFrame:
    """Tabulate commonsensicality to people and in each model: model, statement_id, raters, people, value.

    Further columns are r, low and high (the correlation of the two) and ceiling (its highest possible value); they are
    null if unknown.
    """
    _, values = commonsensicality(study)
    people, models = values[0], values[1:]
    frame = pl.DataFrame(
        {
            "model": np.repeat(study.models, len(study.ids)),
            "statement_id": np.tile(study.ids, len(study.models)),
            "raters": np.tile(raters(study.people).astype(np.int64), len(study.models)),
            "people": np.tile(people, len(study.models)),
            "value": models.ravel(),
        }
    )
    ceiling = next((e.value for e in estimates if e.measure == "ceiling"), None)
    known = [(str(e.by["model"]), e.value, e.low, e.high) for e in overall(estimates, "group_r")]
    columns = {"model": pl.String, **dict.fromkeys(("r", "low", "high"), pl.Float64)}
    correlations = pl.DataFrame(known, schema=columns, orient="row")
    return (
        frame.filter(pl.col("people").is_not_nan() & pl.col("value").is_not_nan())
        .join(correlations, on="model", how="left", maintain_order="left")
        .with_columns(ceiling=pl.lit(ceiling, pl.Float64))
    )


def statements_chart(table: pl.DataFrame, width: int = WIDE) -> Spec:
    """Draw a panel for each of the models that correlate best with people."""
    import altair as alt

    found = {row["model"]: row for row in table.unique("model", maintain_order=True).iter_rows(named=True)}
    shown = sorted(found, key=lambda name: -known_or(found[name]["r"], -math.inf))[:PANELS]
    columns = min(COLUMNS if width > NARROW else 2, len(shown))
    side = min((width - 70 - 16 * columns) / columns, SIDE)
    names = labels(shown, int(side / 8))
    titles = {name: f"{label}\n{_correlation(found[name])}" for name, label in names.items()}
    axis = alt.Axis(values=[0, 50, 100])
    scale = alt.Scale(domain=[0, 100])
    points = {
        name: [
            (x * 100, y * 100)
            for x, y in table.filter(pl.col("model") == name)["people", "value"].iter_rows()
        ]
        for name in shown
    }
    many = any(len(own) > DOTS for own in points.values())
    records = [
        {"panel": titles[name], **row}
        for name, own in points.items()
        for row in (_cells(own) if many else [{"x": x, "y": y} for x, y in own])
    ]
    encoding = {
        "x": alt.X("x:Q", title="People (%)", scale=scale, axis=axis),
        "y": alt.Y("y:Q", title="Model (%)", scale=scale, axis=axis),
    }
    chart = alt.Chart()
    drawn = (
        chart.mark_rect(color=COLOURS[0]).encode(
            **encoding,
            x2="x2",
            y2="y2",
            opacity=alt.Opacity("share:Q", scale=None, legend=None),
            description="tip:N",
        )
        if many
        else chart.mark_point(aria=False, filled=True, color=COLOURS[0], opacity=0.5, size=20).encode(
            **encoding
        )
    )
    panels = _facets([drawn], records, [*titles.values()], columns, side)
    about = f"Commonsensicality of statements to people and within each of these models: {', '.join(shown)}"
    return specification(panels, about)


def _cells(points: Sequence[tuple[float, float]]) -> list[dict[str, Any]]:
    """Count the statements in each cell; its darkness grows with the square root of the count."""
    step = 100 / CELLS
    counts = Counter(tuple(min(int(at / step), CELLS - 1) for at in point) for point in points)
    most = max(counts.values())
    return [
        {
            "x": i * step,
            "x2": (i + 1) * step,
            "y": k * step,
            "y2": (k + 1) * step,
            "share": round(math.sqrt(count / most), 2),
            "tip": f"{count:,} statements",
        }
        for (i, k), count in sorted(counts.items())
    ]


def _correlation(row: dict[str, Any]) -> str:
    if math.isnan(known_or(row["r"])):
        return ""
    known = not math.isnan(known_or(row["low"]) + known_or(row["high"]))
    ends = f" [{row['low']:z.2f}, {row['high']:z.2f}]" if known else ""
    most = "" if math.isnan(known_or(row["ceiling"])) else f"\nceiling {row['ceiling']:z.2f}"
    return f"r = {row['r']:z.2f}{ends}{most}"


def _facets(
    layers: Sequence[alt.Chart],
    records: Sequence[Mapping[str, Any]],
    panels: Sequence[str],
    columns: int,
    side: float,
    **facet: Any,
) -> alt.FacetChart:
    """Put the records of each panel into its own square, under a title of one or more lines."""
    import altair as alt

    header = alt.Header(labelExpr="split(datum.label, '\\n')", labelAnchor="start")
    by_panel = alt.Facet("panel:N", sort=[*panels], **facet, header=header)
    square = alt.layer(*layers, data=rows(records)).properties(width=side, height=side)
    return square.facet(facet=by_panel, columns=columns, spacing=16)
