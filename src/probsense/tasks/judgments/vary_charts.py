"""Charts of what is the prompt's: components of variance, and what pulls answers towards yes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from probsense.show.chart import ChartKind
from probsense.show.shapes import Axis, forest
from probsense.show.theme import NARROW, WIDE, Spec, labels, specification, strings
from probsense.tasks.judgments.chart_values import interval_words, known_or

if TYPE_CHECKING:
    import polars as pl

LANES = 6
"""With more models and questions than this, those of a row share a lane."""


def components_chart(table: pl.DataFrame, width: int = WIDE) -> Spec:
    """Draw a row for each component of variance: its share, by model and question."""
    return _chart(table, "component", Axis("Share of variance (%)", 0, 1, 100), width)


def pulls_chart(table: pl.DataFrame, width: int = WIDE) -> Spec:
    """Draw a row for each level of the prompt: its pull towards yes, by model and question."""
    ends = table.select("value", "low", "high").to_numpy().ravel()
    reach = math.ceil(2 * max(0.5, *(abs(known_or(end, 0)) for end in ends.tolist()))) / 2
    return _chart(table, "level", Axis("Log odds of yes", -reach, reach, 1, 0.0, "average"), width)


def _chart(table: pl.DataFrame, key: str, axis: Axis, width: int) -> Spec:
    several = len(strings(table, "model")) > 1
    parts = labels(strings(table, key), 34 if width > NARROW else 20)
    records = []
    for row in table.iter_rows(named=True):
        whose = f"{row['model']} {row['question']}" if several else str(row["question"])
        if axis.scale > 1:
            said = f"{row['value'] * 100:.1f} %{interval_words(row)}"
        else:
            said = f"{row['value']:+z.2f} [{known_or(row['low']):z.2f}, {known_or(row['high']):z.2f}]"
        tip = f"{row['model']}, {row['question']}, {row[key]}: {said}"
        records.append({**row, "part": parts[row[key]], "model": whose, "tip": tip})
    lanes = labels([*dict.fromkeys(record["model"] for record in records)], 40)
    few = len(lanes) <= LANES
    for record in records:
        record["model"] = lanes[record["model"]] if few else "each model and question"
    names = [*dict.fromkeys(record["model"] for record in records)]
    drawn = forest(records, [*parts.values()], names, axis, width, 1.0 if few else 0.5, gap=6)
    return specification(drawn, f"{axis.title} of {', '.join(parts)}. Each line is an interval.")


PROMPT_CHARTS: Final = {
    "components": ChartKind(
        "What is the prompt’s",
        "Of the variance of the log odds of yes, how much is the statement’s whatever the prompt, how much each facet’s"
        " of the prompt, and how much that of both together, with intervals.",
        components_chart,
        ("model", "question", "component"),
        ("value", "low", "high"),
    ),
    "pulls": ChartKind(
        "What pulls towards yes",
        "By how much the log odds of yes are higher with a wording, an order or certain labels than on average over all"
        " variants, with intervals.",
        pulls_chart,
        ("model", "question", "level"),
        ("value", "low", "high"),
    ),
}
