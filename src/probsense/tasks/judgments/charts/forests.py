"""Charts with a row for each part: features of statements, and departures from people."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from probsense.show.shapes.forest import Axis, forest
from probsense.show.theme import NARROW, WIDE, Spec, labels, specification, strings
from probsense.tasks.judgments.charts.individuals import interval_words, known_or
from probsense.tasks.judgments.measures.estimates import PEOPLE

if TYPE_CHECKING:
    import polars as pl

SHOWN = 12
"""The most statements that are shown."""
LANES = 6
"""With more models (and questions) than this, those of a row share a lane."""
FALSE = 0.05
"""The expected share of false departures among those that come first."""


def features_chart(table: pl.DataFrame, width: int = WIDE) -> Spec:
    """Draw a row for each feature: people first, below them the models."""
    features = labels(strings(table, "feature"), 24 if width > NARROW else 16)
    models = strings(table, "model")
    others = [name for name in models if name != PEOPLE]
    lanes, opacity = _lanes(others)
    if PEOPLE in models:
        lanes = {PEOPLE: PEOPLE} | lanes
    reach = max(
        abs(known_or(row[name], 0))
        for row in table.iter_rows(named=True)
        for name in ("value", "low", "high")
    )
    reach = math.ceil(max(reach, 0.01) * 20 - 1e-9) / 20
    records = [
        {
            **row,
            "part": row["feature"],
            "tip": f"{row['model']}, {row['feature']}: {row['value'] * 100:+z.1f} points{interval_words(row)}",
        }
        for row in table.iter_rows(named=True)
    ]
    axis = Axis("Difference (points)", -reach, reach, 100, 0.0, "no difference")
    about = f"Differences between the two sides of {', '.join(features)}. Each line is an interval."
    return specification(forest(records, features, lanes, axis, width, opacity), about)


def _lanes(names: Sequence[str], together: str = "each model") -> tuple[dict[str, str], float]:
    """Give each name a lane of its own, or one to all if there are too many; and say how opaque marks are there."""
    if len(names) > LANES:
        return dict.fromkeys(names, together), 0.5
    return labels(names, 40), 1.0


def departures_chart(table: pl.DataFrame, width: int = WIDE) -> Spec:
    """Draw a row for each statement: people's share with its interval, below it the models' probabilities.

    The chart shows the first question that the table has.
    """
    import polars as pl

    chosen = table.filter(pl.col("asked") == table["asked"].min())
    first = (
        chosen.sort(pl.col("p_adjusted") >= FALSE, -pl.col("value").abs(), maintain_order=True)
        .unique("statement_id", maintain_order=True)
        .head(SHOWN)
    )
    ids: list[int] = first["statement_id"].to_list()
    texts = [
        f"{i}: {text}" if text else f"statement {i}"
        for i, text in first.select("statement_id", "statement").iter_rows()
    ]
    parts = dict(zip(ids, labels(texts, 44 if width > NARROW else 22).values(), strict=True))
    others = strings(chosen, "model")
    shown = chosen.filter(pl.col("statement_id").is_in(ids))
    records = [
        *map(_people, shown.unique("statement_id", maintain_order=True).iter_rows(named=True)),
        *map(_model, shown.iter_rows(named=True)),
    ]
    lanes = {PEOPLE: PEOPLE} | _lanes(others)[0]
    drawn = forest(records, parts, lanes, Axis("Yes (%)", 0, 1, 100), width, gap=6)
    about = f"Statements on which {', '.join(others)} depart most from people. Each line is an interval."
    return specification(drawn, about)


def _people(row: Mapping[str, Any]) -> dict[str, Any]:
    found = {"value": row["people"], "low": row["people_low"], "high": row["people_high"]}
    tip = f"people, statement {row['statement_id']}: {row['people'] * 100:.1f} %{interval_words(found)}"
    return {"part": row["statement_id"], "model": PEOPLE, "tip": tip, **found}


def _model(row: Mapping[str, Any]) -> dict[str, Any]:
    tip = (
        f"{row['model']}, statement {row['statement_id']}: {row['probability'] * 100:.1f} %,"
        f" {row['value'] * 100:+z.1f} points from people (adjusted p = {row['p_adjusted']:.3f})"
    )
    return {"part": row["statement_id"], "model": row["model"], "value": row["probability"], "tip": tip}
