"""Which charts can be drawn: those of a task's own tables, and one for each measure."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from probsense.analysis.inference.estimate import Estimate
from probsense.show.chart import Chart, ChartKind
from probsense.show.estimate_charts import measure_kind, measure_table
from probsense.show.key_results import in_first_view
from probsense.show.tables import kinds
from probsense.show.words import Words

if TYPE_CHECKING:
    import polars as pl


def task_charts(
    estimates: Sequence[Estimate], tables: Mapping[str, pl.DataFrame], words: Words
) -> list[Chart]:
    """Make every chart of a task's own for which there is something to draw.

    Parameters
    ----------
    estimates : sequence of Estimate
        Those of all models.
    tables : Mapping of str to DataFrame
        The tables that the task measured, by the name of the chart.
    words : Words
    """
    found = []
    for name, kind in words.charts.items():
        table = kind.table(estimates) if kind.table else tables.get(name)
        if table is not None and not table.is_empty():
            found.append(kind.chart(name, table))
    return found


def leading_charts(estimates: Sequence[Estimate], words: Words) -> list[Chart]:
    """Make the charts of the measures that open the page."""
    return [chart for chart in measure_charts(estimates, words) if chart.name in words.leading]


def measure_charts(estimates: Sequence[Estimate], words: Words) -> list[Chart]:
    """Make a chart by part of every measure with a highest value, by the method that comes first.

    Parts that have tables for some measures only get no chart here: they are too many.
    """
    found = []
    estimates = [e for e in estimates if not set(words.by_part) & set(e.by)]
    for measure, method in first_methods(estimates).items():
        if measure in words.measures and math.isfinite(words.measures[measure].bounds[1]):
            table = measure_table(drawn(estimates), measure, method, words)
            if has_values(table):
                found.append(measure_kind(measure, words).chart(measure, table))
    return found


def kind_of(name: str, words: Words) -> ChartKind | None:
    """Find the kind of chart of that name: one of the task's own, or that of a measure."""
    if name in words.charts:
        return words.charts[name]
    return measure_kind(name, words) if name in words.measures else None


def first_methods(estimates: Sequence[Estimate]) -> dict[str, str]:
    """Find the method that comes first for each measure."""
    found: dict[str, str] = {}
    for measure, method in kinds(estimates):
        found.setdefault(measure, method)
    return found


def has_values(table: pl.DataFrame) -> bool:
    """Whether the table of a chart has a known value to draw."""
    return table["value"].is_finite().any() if table.height else False


def drawn(estimates: Sequence[Estimate]) -> Sequence[Estimate]:
    """Keep one view if there are problems, too: both would be too much for one chart."""
    return in_first_view(estimates) if any("problem" in e.by for e in estimates) else estimates
