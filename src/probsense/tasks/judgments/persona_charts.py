"""The charts of personas: how far their answers differ as people's do, and what tells their groups apart."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from probsense.show.theme import COLOURS, NARROW, WIDE, Spec, by_model, labels, rows, specification, strings
from probsense.tasks.judgments.chart_values import known_or

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

PANELS, COLUMNS = 6, 3
"""The most panels, and how many stand side by side."""
SIDE = 280
"""The longest side of a panel, in pixels."""
KINDS = {"drawn": "answers drawn once", "between": "between personas"}


def persona_spread_chart(table: pl.DataFrame, width: int = WIDE) -> Spec:
    """Draw a panel for each model and in it two dots for each statement; on the dashed line personas are as people."""
    import altair as alt

    models = strings(table, "model")[:PANELS]
    names = labels(models, 32)
    records = [
        {
            "panel": names[row["model"]],
            "kind": words,
            "x": row["people"] * 100,
            "y": row[kind] * 100,
            "tip": f"statement {row['statement_id']}: {row[kind] * 100:z.1f} % of two personas differ ({words}),"
            f" {row['people'] * 100:.1f} % of two people",
        }
        for row in table.iter_rows(named=True)
        if row["model"] in models
        for kind, words in KINDS.items()
    ]
    most = math.ceil(max(50.0, *(one[axis] for one in records for axis in ("x", "y"))) / 10) * 10.0
    hue = alt.Color(
        "kind:N",
        title=None,
        scale=alt.Scale(domain=[*KINDS.values()], range=[*COLOURS[:2]]),
        legend=alt.Legend(orient="top"),
    )
    form = alt.Shape(
        "kind:N", title=None, scale=alt.Scale(domain=[*KINDS.values()], range=["circle", "diamond"])
    )
    about = f"How often two people and two personas differ on each statement, for {', '.join(models)}"
    return specification(
        _panels(
            records,
            [*names.values()],
            width,
            (0.0, most),
            ("Two people (%)", "Two personas (%)"),
            (hue, form),
        ),
        about,
    )


def persona_groups_chart(table: pl.DataFrame, width: int = WIDE) -> Spec:
    """Draw a panel for each comparison of groups and in it a dot for each statement and model."""
    import polars as pl

    models = strings(table, "model")
    names = labels(models, 32)
    shown = strings(table, "people")[:PANELS]
    titles = {}
    for name, label in labels(shown, 36).items():
        own = table.filter((pl.col("people") == name) & (pl.col("model") == models[0])).row(0, named=True)
        titles[name] = f"{label}\n{_correlation(own)}" if len(models) == 1 else label
    records = [
        {
            "panel": titles[row["people"]],
            "model": names[row["model"]],
            "x": row["difference"] * 100,
            "y": row["personas"] * 100,
            "tip": f"{row['model']}, statement {row['statement_id']}: personas {row['personas'] * 100:+z.1f} points,"
            f" people {row['difference'] * 100:+z.1f} (adjusted p = {row['p_adjusted']:.3f})",
        }
        for row in table.iter_rows(named=True)
        if row["people"] in titles
    ]
    reach = math.ceil(max(10.0, *(abs(one[axis]) for one in records for axis in ("x", "y"))) / 10) * 10.0
    marks = by_model([*names.values()], width)
    titles_of_axes = ("People (points)", "Personas (points)")
    about = f"Differences between groups of people and of personas: {', '.join(shown)}"
    return specification(
        _panels(records, [*titles.values()], width, (-reach, reach), titles_of_axes, marks), about
    )


def _panels(
    records: list[dict[str, Any]],
    panels: list[str],
    width: int,
    domain: tuple[float, float],
    titles: tuple[str, str],
    marks: tuple[alt.Color, alt.Shape],
) -> alt.FacetChart:
    """Draw dots in panels with the same two axes, and the line on which both values are the same."""
    import altair as alt

    columns = min(COLUMNS if width > NARROW else 1, len(panels))
    side = min((width - 70 - 16 * columns) / columns, SIDE)
    scale = alt.Scale(domain=[*domain], nice=False)
    x, y = alt.X("x:Q", title=titles[0], scale=scale), alt.Y("y:Q", title=titles[1], scale=scale)
    same = [{"panel": panel, "x": end, "y": end} for panel in panels for end in domain]
    line = (
        alt.Chart()
        .transform_filter("!isValid(datum.tip)")
        .mark_line(aria=False, color="#888", strokeDash=[4, 4])
        .encode(x=x, y=y)
    )
    dots = (
        alt.Chart()
        .transform_filter("isValid(datum.tip)")
        .mark_point(filled=True, opacity=0.6, size=24)
        .encode(x=x, y=y, color=marks[0], shape=marks[1], description="tip:N")
    )
    header = alt.Header(labelExpr="split(datum.label, '\\n')", labelAnchor="start")
    return (
        alt.layer(line, dots, data=rows([*records, *same]))
        .properties(width=side, height=side)
        .facet(
            facet=alt.Facet("panel:N", sort=panels, title=None, header=header), columns=columns, spacing=16
        )
    )


def _correlation(row: dict[str, Any]) -> str:
    r, most = known_or(row["r"]), known_or(row["ceiling"])
    found = "" if math.isnan(r) else f"r = {r:z.2f}"
    return found if math.isnan(most) else f"{found}, ceiling {most:.2f}"
