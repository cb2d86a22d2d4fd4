"""Charts of models beside people: which kinds there are, and those of features and of what groups share.

:mod:`probsense.tasks.judgments.chart_tables` and :mod:`probsense.tasks.judgments.common` make the tables.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from probsense.show.chart import ChartKind
from probsense.show.shapes import Axis, forest
from probsense.show.theme import NARROW, WIDE, Spec, by_model, labels, rows, specification, strings
from probsense.tasks.judgments.chart_values import interval_words, known_or
from probsense.tasks.judgments.departures_chart import departures_chart
from probsense.tasks.judgments.individuals_chart import competence_chart, individuals_chart
from probsense.tasks.judgments.measures import PEOPLE
from probsense.tasks.judgments.persona_charts import persona_groups_chart, persona_spread_chart
from probsense.tasks.judgments.share_calibration_chart import share_calibration_chart
from probsense.tasks.judgments.shares_chart import shares_chart
from probsense.tasks.judgments.statements_chart import statements_chart
from probsense.tasks.judgments.vary_charts import PROMPT_CHARTS

if TYPE_CHECKING:
    import polars as pl

LANES = 6
"""With more models than this, those of a feature share a lane."""


def features_chart(table: pl.DataFrame, width: int = WIDE) -> Spec:
    """Draw a row for each feature: people first, below them the models."""
    features = labels(strings(table, "feature"), 24 if width > NARROW else 16)
    models = strings(table, "model")
    others = [name for name in models if name != PEOPLE]
    lanes = [PEOPLE] if PEOPLE in models else []
    own = labels(others, 40) if len(others) <= LANES else dict.fromkeys(others, "each model")
    lanes += [*dict.fromkeys(own.values())]
    reach = max(
        abs(known_or(row[name], 0))
        for row in table.iter_rows(named=True)
        for name in ("value", "low", "high")
    )
    reach = math.ceil(max(reach, 0.01) * 20 - 1e-9) / 20
    records = [
        {
            **row,
            "part": features[row["feature"]],
            "model": own.get(row["model"], PEOPLE),
            "tip": f"{row['model']}, {row['feature']}: {row['value'] * 100:+z.1f} points{interval_words(row)}",
        }
        for row in table.iter_rows(named=True)
    ]
    axis = Axis("Difference (points)", -reach, reach, 100, 0.0, "no difference")
    about = f"Differences between the two sides of {', '.join(features)}. Each line is an interval."
    return specification(
        forest(records, [*features.values()], lanes, axis, width, 1.0 if len(others) <= LANES else 0.5), about
    )


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
    drawn = alt.layer(*layers).properties(
        width=width, height=280, autosize={"type": "fit-x", "contains": "padding"}
    )
    return specification(drawn, about)


CHARTS: Final[Mapping[str, ChartKind]] = {
    "individuals": ChartKind(
        "Models among people",
        "Common sense of each model as an individual, with its interval; above, how many people have how much.",
        individuals_chart,
        ("kind", "name"),
        ("score", "low", "high"),
    ),
    "statements": ChartKind(
        "Statement by statement",
        "How commonsensical each statement is to people (to the right) and within a model (upwards), for the models"
        " that correlate best with people. The correlation cannot be higher than the ceiling, since people’s values"
        " come from a few answers each.",
        statements_chart,
        ("model",),
        ("people", "value", "r", "low", "high", "ceiling"),
        unknown=("r", "low", "high", "ceiling"),
    ),
    "shares": ChartKind(
        "What everybody says",
        "The share of everybody who say yes to each statement, from the lowest to the highest, with its 95 % interval;"
        " a dot is the share of those who were asked.",
        shares_chart,
        ("statement_id",),
        ("raters", "yes", "share", "low", "high", "majority"),
        unknown=("yes",),
        optional=("key", "difficulty"),
    ),
    "culture": ChartKind(
        "Who knows the culture",
        "How often each model knows the answer that people’s culture has, with its interval; above, how many people"
        " know how much. The fewer answers people gave, the nearer to their mean they are drawn.",
        competence_chart,
        ("kind", "name"),
        ("score", "low", "high"),
    ),
    "share_calibration": ChartKind(
        "Shares of people, by probability",
        "Of the statements to which a model gives about the same probability of yes, the mean share of people who say"
        " yes, with its interval; on the dashed line both are the same. For people, one half of them stands for the"
        " model and the other half for people.",
        share_calibration_chart,
        ("model", "asked", "bin"),
        ("statements", "probability", "share", "low", "high"),
    ),
    "departures": ChartKind(
        "Where models depart most",
        "The statements on which a model’s probability of yes lies farthest from the share of people who say yes, with"
        " the interval of that share. First come those that differ by more than people’s sampling explains (5 % of them"
        " falsely, after Benjamini and Hochberg).",
        departures_chart,
        ("model", "asked", "statement"),
        (
            *("statement_id", "raters", "people", "people_low", "people_high", "probability"),
            *("value", "low", "high", "p", "p_adjusted"),
        ),
        unknown=("statement",),
    ),
    "persona_spread": ChartKind(
        "Spread of personas",
        "How often two people give different answers to a statement (to the right) and two personas do (upwards), if"
        " each answers once by its probability of yes; beside it the part that lies between personas. On the dashed"
        " line personas differ as much as people.",
        persona_spread_chart,
        ("model",),
        ("statement_id", "people", "drawn", "between"),
    ),
    "persona_groups": ChartKind(
        "Differences of groups",
        "By how many points more of one group than of the others say yes to a statement: people (to the right) and"
        " personas (upwards); on the dashed line both are the same. The correlation cannot be higher than the ceiling,"
        " since people’s differences come from a few answers each.",
        persona_groups_chart,
        ("model", "people", "statement"),
        (
            *("statement_id", "difference", "people_low", "people_high", "personas", "value"),
            *("p", "p_adjusted", "r", "ceiling"),
        ),
        unknown=("statement", "r", "ceiling"),
    ),
    "features": ChartKind(
        "Features of statements",
        "By how much statements on one side of a feature are more commonsensical than on the other.",
        features_chart,
        ("model", "feature"),
        ("value", "low", "high"),
    ),
    "pq": ChartKind(
        "What groups share",
        "For every size of a group of raters, the largest share of statements on which such a group gives the same"
        " answers: the pq curve, with its interval.",
        pq_chart,
        ("population",),
        ("raters", "p", "q", "q_bound", "low", "high"),
    ),
    **PROMPT_CHARTS,
}
"""The charts of the task's own tables, by the name of the table."""
