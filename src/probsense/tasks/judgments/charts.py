"""Charts of models beside people: individuals, statements, features of statements, and what groups share.

Each is made from one of the tidy tables of :mod:`probsense.tasks.judgments.charts`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from probsense.report.charts.forest import Axis, forest, intervals
from probsense.report.charts.theme import (
    COLOURS,
    INK,
    NARROW,
    WIDE,
    Spec,
    by_model,
    labels,
    letters,
    rows,
    specification,
    strings,
)
from probsense.report.words import plain
from probsense.tasks.judgments.measures import PEOPLE

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

LANE, TALL = 20, 130
"""Height of one rater's lane, and of the distribution of people."""
BINS = 40
"""Of the distribution of people."""
PANELS, COLUMNS, CELLS = 6, 3, 24
"""Models of which statements are shown, and how many side by side; cells along the sides of a panel."""
DOTS = 400
"""With more statements than this, a panel shows how many lie in each cell and not each of them."""
LANES = 6
"""With more models than this, those of a feature share a lane."""


def individuals_chart(table: pl.DataFrame, width: int = WIDE) -> Spec:
    """People's distribution, and below it a lane for each model and simple rule, the best first."""
    import altair as alt
    import polars as pl

    raters = table.filter(pl.col("kind") != "person").sort("score", descending=True, maintain_order=True)
    people = table.filter(pl.col("kind") == "person")["score"].to_list()
    names = labels(raters["name"], 26 if width > NARROW else 16)
    lowest = min([*people, *raters["score"], *raters["low"].drop_nulls()])
    scale = alt.Scale(domain=[math.floor(lowest * 10 - 1e-9) * 10, 100], nice=False)
    place = alt.X("value:Q", title="Common sense (%)", scale=scale)
    kinds = {"model": "model", "baseline": "simple rule"}
    records = [
        {
            "name": names[row["name"]],
            "kind": kinds[row["kind"]],
            "tip": f"{plain(row['name'])}: {row['score'] * 100:.1f} %{_interval(row)}",
            **{
                key: _percent(row[name])
                for key, name in (("value", "score"), ("low", "low"), ("high", "high"))
            },
        }
        for row in raters.iter_rows(named=True)
    ]
    hue, shape = by_model(
        [kind for kind in kinds.values() if kind in {row["kind"] for row in records}], width, "kind"
    )
    lanes = alt.Chart(rows(records)).encode(
        y=alt.Y("name:N", sort=[*names.values()], title=None, axis=alt.Axis(labelLimit=0)),
        description="tip:N",
    )
    inner = width - letters(names.values()) - 40
    median = sorted(people)[len(people) // 2] * 100 if people else None
    line = alt.Chart(rows([{"value": median, "name": "median of people"}])).encode(x=place)
    dashed = line.mark_rule(aria=False, strokeDash=[4, 4], color=INK, opacity=0.65)
    below = alt.layer(*([dashed] if people else []), *intervals(lanes, place, hue, shape)).properties(
        width=inner, height={"step": LANE}
    )
    about = f"Common sense of {len(people):,} people and of {', '.join(names)}. Each line is an interval."
    if not people:
        return specification(below, about)
    named = line.mark_text(aria=False, baseline="bottom", dy=-4).encode(y=alt.value(0), text="name:N")
    above = alt.layer(_histogram(people, scale), dashed, named).properties(width=inner, height=TALL)
    return specification(alt.vconcat(above, below, spacing=14), about)


def _histogram(people: Sequence[float], scale: alt.Scale) -> alt.Chart:
    import altair as alt

    low, high = (end / 100 for end in scale["domain"])
    step = (high - low) / BINS
    counts = Counter(min(int((value - low) / step), BINS - 1) for value in people)
    bins = [
        {
            "from": (low + i * step) * 100,
            "to": (low + (i + 1) * step) * 100,
            "count": count,
            "tip": f"{count:,} people between {(low + i * step) * 100:.3g} and {(low + (i + 1) * step) * 100:.3g} %",
        }
        for i, count in sorted(counts.items())
    ]
    drawn: alt.Chart = (
        alt.Chart(rows(bins))
        .mark_bar(color=COLOURS[0], opacity=0.5, binSpacing=1)
        .encode(
            x=alt.X("from:Q", scale=scale, title=None, axis=alt.Axis(labels=False)),
            x2="to:Q",
            y=alt.Y("count:Q", title=f"{len(people):,} people", axis=alt.Axis(tickCount=3)),
            y2=alt.Y2Datum(0),
            description="tip:N",
        )
    )
    return drawn


def statements_chart(table: pl.DataFrame, width: int = WIDE) -> Spec:
    """A panel for each of the models that correlate best with people."""
    import altair as alt
    import polars as pl

    found = {row["model"]: row for row in table.unique("model", maintain_order=True).iter_rows(named=True)}
    shown = sorted(found, key=lambda name: -_known(found[name]["r"], -math.inf))[:PANELS]
    columns = min(COLUMNS if width > NARROW else 2, len(shown))
    side = (width - 70 - 16 * columns) / columns
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
    header = alt.Header(labelExpr="split(datum.label, '\\n')", labelAnchor="start")
    panels = (
        alt.layer(drawn, data=rows(records))
        .properties(width=side, height=side)
        .facet(
            facet=alt.Facet("panel:N", sort=[*titles.values()], header=header), columns=columns, spacing=16
        )
    )
    about = f"Commonsensicality of statements to people and within each of these models: {', '.join(shown)}"
    return specification(panels, about)


def _cells(points: Sequence[tuple[float, float]]) -> list[dict[str, Any]]:
    """How many statements are in each cell; how dark it is grows with the root of that."""
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
    if math.isnan(_known(row["r"])):
        return ""
    known = not math.isnan(_known(row["low"]) + _known(row["high"]))
    ends = f" ({row['low']:.2f} to {row['high']:.2f})" if known else ""
    most = "" if math.isnan(_known(row["ceiling"])) else f"\nceiling {row['ceiling']:.2f}"
    return f"r = {row['r']:.2f}{ends}{most}"


def features_chart(table: pl.DataFrame, width: int = WIDE) -> Spec:
    """A row for each feature: people first, below them the models."""
    features = labels(strings(table, "feature"), 24 if width > NARROW else 16)
    models = strings(table, "model")
    others = [name for name in models if name != PEOPLE]
    lanes = [PEOPLE] if PEOPLE in models else []
    own = labels(others, 40) if len(others) <= LANES else dict.fromkeys(others, "each model")
    lanes += [*dict.fromkeys(own.values())]
    reach = max(
        abs(_known(row[name], 0)) for row in table.iter_rows(named=True) for name in ("value", "low", "high")
    )
    reach = math.ceil(max(reach, 0.01) * 20 - 1e-9) / 20
    records = [
        {
            **row,
            "part": features[row["feature"]],
            "model": own.get(row["model"], PEOPLE),
            "tip": f"{row['model']}, {row['feature']}: {row['value'] * 100:+.1f} points{_interval(row)}",
        }
        for row in table.iter_rows(named=True)
    ]
    axis = Axis("Difference (points)", -reach, reach, 100, 0.0, "no difference")
    about = f"Differences between the two sides of {', '.join(features)}. Each line is an interval."
    return specification(
        forest(records, [*features.values()], lanes, axis, width, 1.0 if len(others) <= LANES else 0.5), about
    )


def pq_chart(table: pl.DataFrame, width: int = WIDE) -> Spec:
    """A stair for each population: the best group of so many raters; dashed where more cannot be ruled out."""
    import altair as alt
    import polars as pl

    names = labels(strings(table, "population"), 40)
    records = []
    for name, label in names.items():
        before = 0.0
        for row in table.filter(pl.col("population") == name).iter_rows(named=True):
            found = {key: row[key] * 100 for key in ("p", "q", "q_bound", "low", "high")}
            said = f"{found['p']:.3g} % of them share {found['q']:.3g} % of the statements{_interval(row)}"
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
    drawn = alt.layer(*layers).properties(
        width=width, height=280, autosize={"type": "fit-x", "contains": "padding"}
    )
    return specification(drawn, about)


def _interval(row: dict[str, Any]) -> str:
    low, high = _known(row["low"]), _known(row["high"])
    return "" if math.isnan(low + high) else f" (interval {low * 100:.1f} to {high * 100:.1f})"


def _percent(share: float | None) -> float | None:
    return None if share is None else share * 100


def _known(value: float | None, otherwise: float = math.nan) -> float:
    """A number, whatever stands for an unknown one."""
    return otherwise if value is None or math.isnan(value) else value
