"""The chart of the statements on which models depart most from people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from probsense.show.shapes import Axis, forest
from probsense.show.theme import NARROW, WIDE, Spec, labels, specification, strings
from probsense.tasks.judgments.chart_values import interval_words
from probsense.tasks.judgments.measures import PEOPLE

if TYPE_CHECKING:
    import polars as pl

SHOWN = 12
"""The most statements that are shown."""
LANES = 6
"""With more models than this, those of a statement share a lane."""
FALSE = 0.05
"""The expected share of false departures among those that come first."""


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
    part = dict(zip(ids, labels(texts, 44 if width > NARROW else 22).values(), strict=True))
    others = strings(chosen, "model")
    own = labels(others, 40) if len(others) <= LANES else dict.fromkeys(others, "each model")
    shown = chosen.filter(pl.col("statement_id").is_in(ids))
    records = [
        *(
            _people(row, part)
            for row in shown.unique("statement_id", maintain_order=True).iter_rows(named=True)
        ),
        *(_model(row, part, own) for row in shown.iter_rows(named=True)),
    ]
    lanes = [PEOPLE, *dict.fromkeys(own.values())]
    drawn = forest(records, [*part.values()], lanes, Axis("Yes (%)", 0, 1, 100), width, gap=6)
    about = f"Statements on which {', '.join(others)} depart most from people. Each line is an interval."
    return specification(drawn, about)


def _people(row: Mapping[str, Any], part: Mapping[int, str]) -> dict[str, Any]:
    found = {"value": row["people"], "low": row["people_low"], "high": row["people_high"]}
    tip = f"people, statement {row['statement_id']}: {row['people'] * 100:.1f} %{interval_words(found)}"
    return {"part": part[row["statement_id"]], "model": PEOPLE, "tip": tip, **found}


def _model(row: Mapping[str, Any], part: Mapping[int, str], own: Mapping[str, str]) -> dict[str, Any]:
    tip = (
        f"{row['model']}, statement {row['statement_id']}: {row['probability'] * 100:.1f} %,"
        f" {row['value'] * 100:+z.1f} points from people (adjusted p = {row['p_adjusted']:.3f})"
    )
    return {
        "part": part[row["statement_id"]],
        "model": own[row["model"]],
        "value": row["probability"],
        "tip": tip,
    }
