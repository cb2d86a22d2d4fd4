"""The chart of a curve of thinking budgets: how the leading measures of a task change as thoughts may be longer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from probsense.results.part import Part
from probsense.results.profile.rows import profile_entries
from probsense.show.chart import Chart, ChartWords
from probsense.show.charts import chart_of_table
from probsense.show.words import plain_words

BUDGETS: Final = "thinking_budget"
"""The name of the chart."""
CURVE: Final = ChartWords(
    title="What thinking changes, by budget",
    meaning=(
        "What the same chains of thought lead to when they are cut earlier and closed. The points of a model share"
        " their chains, so that differences between them are more certain than the intervals of each."
    ),
    kind="series",
    about="The measures that stand for the task by the most tokens of a thought, for {models}.",
    measure="accuracy",
    by="budget",
    lines=True,
    across="Tokens of a thought at most",
    up="Share or nearness (%)",
)
NUMBERS: Final = ("value", "low", "high", "chance")


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
    return chart_of_table(BUDGETS, table.sort("model", "part", "budget"), CURVE, plain_words(part.name))


def _budget(facts: Mapping[str, Any]) -> float | None:
    match facts.get("thinking"):
        case {"budgets": [*_, int(budget)]}:
            return float(budget)
    return None


def _without_budget(model: str) -> str:
    """Return the name of a model without the budget that tells its runs apart."""
    name, bracket, how = model.rpartition(" [")
    return name if bracket and how.endswith(" tokens]") else model
