"""Charts of estimates: those of a task's own, and one for each measure, by part."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from probsense.analysis.inference.estimate import Estimate
from probsense.show.chart import Chart, ChartWords, Spec
from probsense.show.estimate_charts import forest_chart, series_chart
from probsense.show.key_results import in_first_view
from probsense.show.marks import SHORTCUT
from probsense.show.share_charts import calibration_chart, distributions_chart
from probsense.show.tables import grid, kinds
from probsense.show.words import Words

if TYPE_CHECKING:
    import polars as pl

KINDS: Final[Mapping[str, Callable[[pl.DataFrame, int, ChartWords, Words], Spec]]] = {
    "calibration": calibration_chart,
    "distributions": distributions_chart,
    "forest": forest_chart,
    "series": series_chart,
}
"""What draws each kind of chart, from a tidy table and a width in pixels, with the words of the chart and the task."""


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
    for name, chart in words.charts.items():
        table = _estimates_table(estimates, chart, words) if chart.estimates else tables.get(name)
        if table is not None and not table.is_empty():
            found.append(chart_of_table(name, table, chart, words))
    return found


def chart_of_table(name: str, table: pl.DataFrame, chart: ChartWords, words: Words) -> Chart:
    """Make a chart of a table, as the words of the chart tell."""
    return Chart(
        name, chart.title, chart.meaning, table, chart.draw or partial(_draw, chart=chart, words=words)
    )


def _draw(table: pl.DataFrame, width: int, *, chart: ChartWords, words: Words) -> Spec:
    if chart.first:
        table = table.filter(table[chart.first] == table[chart.first].min())
    if chart.rows:
        table = chart.rows(table)
    return KINDS[chart.kind](
        table.rename({old: new for new, old in chart.columns.items()}), width, chart, words
    )


def _estimates_table(estimates: Sequence[Estimate], chart: ChartWords, words: Words) -> pl.DataFrame:
    """Arrange the estimates by a part, or by problem and a number, which is a column then; by the first method."""
    import polars as pl

    fit = [e for e in estimates if e.measure == chart.measure and chart.by in e.by]
    method = first_methods(fit).get(chart.measure, "")
    if not any(isinstance(e.by[chart.by], int) for e in fit):
        return measure_table(fit, chart.measure, method, replace(words, parts=(chart.by,)))
    found = [
        measure_table(
            [e for e in fit if e.by[chart.by] == number], chart.measure, method, words
        ).with_columns(pl.lit(number).alias(chart.by))
        for number in sorted({int(str(e.by[chart.by])) for e in fit if e.method == method})
    ]
    # Sizes without a known shortcut ceiling lack its column.
    return pl.concat(found, how="diagonal")


def leading_charts(estimates: Sequence[Estimate], words: Words) -> list[Chart]:
    """Make the charts of the measures that open the page."""
    return [chart for chart in measure_charts(estimates, words) if chart.name in words.leading]


def measure_charts(estimates: Sequence[Estimate], words: Words) -> list[Chart]:
    """Make a chart by part of every measure with a highest value, by the method that comes first.

    Parts that have tables for some measures only get no chart here: they are too many.
    """
    estimates = [e for e in estimates if not set(words.by_part) & set(e.by)]
    return [
        chart
        for measure, method in first_methods(estimates).items()
        if measure in words.measures and math.isfinite(words.measures[measure].bounds[1])
        if (chart := chart_of_measure(estimates, measure, method, words))
    ]


def chart_of_measure(estimates: Sequence[Estimate], measure: str, method: str, words: Words) -> Chart | None:
    """Make the chart of a measure by part; None if no value is known. With problems it shows one view only."""
    shown = in_first_view(estimates) if any("problem" in e.by for e in estimates) else estimates
    table = measure_table(shown, measure, method, words)
    if not table["value"].is_finite().any():
        return None
    style = words.measure(measure)
    chart = ChartWords(title=style.title, meaning=style.meaning, kind="forest", measure=measure)
    return chart_of_table(measure, table, chart, words)


def first_methods(estimates: Sequence[Estimate]) -> dict[str, str]:
    """Find the method that comes first for each measure."""
    found: dict[str, str] = {}
    for measure, method in kinds(estimates):
        found.setdefault(measure, method)
    return found


def measure_table(estimates: Sequence[Estimate], measure: str, method: str, words: Words) -> pl.DataFrame:
    """Arrange estimates as a tidy table: measure, by, model, part, value, low, high, chance, shortcut_ceiling.

    Overall estimates have no part. The last column is missing if no shortcut ceiling is known.

    Parameters
    ----------
    estimates : sequence of Estimate
    measure, method : str
        Which of them.
    words : Words
    """
    import polars as pl

    arranged = grid(estimates, measure, method, words)
    names = arranged.names()
    rows = [
        (
            *(measure, arranged.part, names[subject], part or None),
            *(getattr(arranged.cells[subject, part], number) for number in NUMBERS),
        )
        for part in arranged.parts
        for subject in arranged.subjects
        if (subject, part) in arranged.cells
    ]
    texts = ("measure", "by", "model", "part")
    schema = {**dict.fromkeys(texts, pl.String), **dict.fromkeys(NUMBERS, pl.Float64)}
    table = pl.DataFrame(rows, schema=schema, orient="row")
    return table.drop(SHORTCUT) if table[SHORTCUT].is_nan().all() else table


NUMBERS: Final = ("value", "low", "high", "chance", SHORTCUT)
"""What the table of a chart of estimates has of each."""
