"""The chart of a curve of thinking budgets: how the leading measures of a task change as thoughts may be longer."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from probsense.results.part import Part
from probsense.results.profile.rows import profile_entries
from probsense.show.chart import Chart
from probsense.show.shapes.marks import DASHED, percent
from probsense.show.text import plain
from probsense.show.theme import NARROW, WIDE, Spec, by_model, labels, rows, specification, strings

if TYPE_CHECKING:
    import polars as pl

BUDGETS: Final = "thinking_budget"
"""The name of the chart."""
MEANING: Final = (
    "What the same chains of thought lead to when they are cut earlier and closed. The points of a model share their"
    " chains, so that differences between them are more certain than the intervals of each."
)
NUMBERS: Final = ("value", "low", "high", "chance")
TALL: Final = 200
APART: Final = 24
"""Pixels between panels."""


def budget_chart(part: Part) -> Chart | None:
    """Make the chart of a task; None unless some model was asked with several budgets.

    Parameters
    ----------
    part : Part
        Its rows: a model with a budget, and a measure that stands for the task in the profile, on its scale.
    """
    import polars as pl

    budgets = {str(facts["model"]): how for facts in part.facts if (how := _budget(facts)) is not None}
    groups: dict[str, list[str]] = {}
    for model in budgets:
        groups.setdefault(_without_budget(model), []).append(model)
    several = {model: name for name, models in groups.items() if len(models) > 1 for model in models}
    found = [
        (several[e.model], e.row.title, budgets[e.model], *(getattr(e.estimate, name) for name in NUMBERS))
        for e in profile_entries([part])
        if e.model in several
    ]
    schema = {"model": pl.String, "part": pl.String}
    columns = dict.fromkeys(("budget", *NUMBERS), pl.Float64)
    table = pl.DataFrame(found, schema={**schema, **columns}, orient="row")
    if table.is_empty():
        return None
    return Chart(
        BUDGETS, "What thinking changes, by budget", MEANING, table.sort("model", "part", "budget"), draw
    )


def draw(table: pl.DataFrame, width: int = WIDE) -> Spec:
    """Draw a panel for each measure: a line for each model, from the shortest budget to the longest.

    Parameters
    ----------
    table : DataFrame
        model, part, budget (tokens), value, low, high, chance.
    width : int
        Width of the whole chart, in pixels.
    """
    import altair as alt

    models, parts = labels(strings(table, "model")), strings(table, "part")
    hue, shape = by_model([*models.values()], width)
    columns = min(2 if width > NARROW else 1, len(parts))
    budgets = sorted({int(budget) for budget in table["budget"]})
    panels = []
    for part in parts:
        own = table.filter(part=part)
        records = [
            {
                **row,
                **{name: percent(row[name]) for name in ("value", "low", "high")},
                "model": models[row["model"]],
                "tip": plain(f"{row['model']}, {part}, {row['budget']:g} tokens: {100 * row['value']:.1f} %"),
            }
            for row in own.iter_rows(named=True)
        ]
        base = alt.Chart(rows(records)).encode(
            x=alt.X(
                "budget:Q",
                title="Tokens of a thought at most",
                scale=alt.Scale(type="symlog", constant=16),
                axis=alt.Axis(values=budgets, grid=False),
            ),
            color=hue,
        )
        value = alt.Y("value:Q", title=f"{part[:1].upper()}{part[1:]} (%)", scale=alt.Scale(domain=[0, 100]))
        layers = [
            base.mark_rule(opacity=0.5).encode(y="low:Q", y2="high:Q"),
            base.mark_line().encode(y=value),
            base.mark_point(filled=True, size=50).encode(y=value, shape=shape, description="tip:N"),
        ]
        chance = [float(x) for x in own["chance"].unique() if x is not None and math.isfinite(x)]
        if len(chance) == 1:
            line = alt.Chart(rows([{"at": 100 * chance[0]}]))
            layers.insert(0, line.encode(y="at:Q").mark_rule(**DASHED))
        panels.append(
            alt.layer(*layers).properties(width=(width - 60 * columns) / columns - APART, height=TALL)
        )
    about = f"{', '.join(parts)} of {', '.join(models)} by the most tokens of a thought."
    return specification(alt.concat(*panels, columns=columns, spacing=APART), about)


def _budget(facts: Mapping[str, Any]) -> float | None:
    match facts.get("thinking"):
        case {"budgets": [*_, int(budget)]}:
            return float(budget)
    return None


def _without_budget(model: str) -> str:
    """Return the name of a model without the budget that tells its runs apart."""
    name, bracket, how = model.rpartition(" [")
    return name if bracket and how.endswith(" tokens]") else model
