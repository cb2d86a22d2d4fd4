"""Charts of estimates: those of a task's own tables, and one for each measure, by part."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from probsense.analysis.inference.estimate import Estimate
from probsense.show.chart import Chart, ChartKind
from probsense.show.key_results import in_first_view
from probsense.show.measure import Landmark, Measure
from probsense.show.shapes.forest import Axis, axis_of, forest
from probsense.show.tables import OVERALL, Grid, grid, kinds
from probsense.show.theme import NARROW, WIDE, Spec, labels, specification, strings
from probsense.show.words import Words

if TYPE_CHECKING:
    import altair as alt
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
            found.append(chart_of_measure(estimates, measure, method, words))
    return [chart for chart in found if chart]


def chart_of_measure(estimates: Sequence[Estimate], measure: str, method: str, words: Words) -> Chart | None:
    """Make the chart of a measure by part; None if no value is known. With problems it shows one view only."""
    shown = in_first_view(estimates) if any("problem" in e.by for e in estimates) else estimates
    table = measure_table(shown, measure, method, words)
    return measure_kind(measure, words).chart(measure, table) if table["value"].is_finite().any() else None


def first_methods(estimates: Sequence[Estimate]) -> dict[str, str]:
    """Find the method that comes first for each measure."""
    found: dict[str, str] = {}
    for measure, method in kinds(estimates):
        found.setdefault(measure, method)
    return found


NUMBERS: Final = ("value", "low", "high", "chance")
"""Columns of numbers in the tables that charts of estimates are drawn from."""
SHORTCUT: Final = "shortcut_ceiling"
"""One more column of them, where shortcut ceilings are known."""


def measure_kind(
    name: str, words: Words, table: Callable[[Sequence[Estimate]], pl.DataFrame] | None = None
) -> ChartKind:
    """Make the kind of chart that shows a measure by part.

    Parameters
    ----------
    name : str
        Name of the measure.
    words : Words
    table : callable, optional
        Makes the table from estimates.
    """
    style = words.measure(name)
    return ChartKind(style.title, style.meaning, partial(measure_chart, style), table=table)


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
    return grid_table(grid(estimates, measure, method, words), measure)


def measure_chart(style: Measure, table: pl.DataFrame, width: int = WIDE) -> Spec:
    """Draw parts as rows, the overall estimate first, with a dashed line at chance if that is the same for all.

    A bar beside an estimate is its shortcut ceiling, where that is known.
    """
    parts = labels(strings(table, "part"), 22 if width > NARROW else 16)
    drawn = forest_of_parts(style, table, parts, axis_of(style, common_chance(table)), width)
    who = ", ".join(strings(table, "model"))
    about = f"{style.title} by {table['by'][0]} for {who}. Each mark is an estimate, each line its interval."
    return specification(drawn, about)


def forest_of_parts(
    style: Measure, table: pl.DataFrame, parts: Mapping[str, str], axis: Axis, width: int
) -> alt.LayerChart:
    """Draw some parts of a table as rows, and above them the overall estimates, which have no part.

    Parameters
    ----------
    style : Measure
    table : DataFrame
        part, model, value, low, high.
    parts : Mapping of str to str
        The label of each part that is drawn.
    axis : Axis
    width : int
    """
    whole = {None: OVERALL} if table["part"].null_count() else {}
    records = [
        {**row, "tip": f"{row['model']}, {row['part'] or OVERALL}: {said(style, row)}"}
        for row in table.iter_rows(named=True)
        if row["part"] is None or row["part"] in parts
    ]
    return forest(records, {**whole, **parts}, labels(strings(table, "model")), axis, width)


def said(style: Measure, row: Mapping[str, Any]) -> str:
    """Put the value and the interval of a row into words."""
    ends = [row["low"], row["high"]]
    both = all(end is not None and not math.isnan(end) for end in ends)
    interval = f"[{', '.join(map(style.number, ends))}]" if both else "(no interval)"
    ceiling = row.get(SHORTCUT)
    reached = ""
    if ceiling is not None and not math.isnan(ceiling):
        reached = f"; shortcut ceiling {style.number(ceiling)}"
    return f"{style.number(row['value'])}{style.unit.suffix} {interval}{reached}"


def grid_table(arranged: Grid, measure: str) -> pl.DataFrame:
    """Write out a grid as a tidy table."""
    import polars as pl

    names = arranged.names()
    rows = [
        (
            *(measure, arranged.part, names[subject], part or None),
            *(e.value, e.low, e.high, e.chance, e.shortcut_ceiling),
        )
        for part in arranged.parts
        for subject in arranged.subjects
        if (e := arranged.cells.get((subject, part)))
    ]
    columns = {
        **dict.fromkeys(("measure", "by", "model", "part"), pl.String),
        **dict.fromkeys((*NUMBERS, SHORTCUT), pl.Float64),
    }
    table = pl.DataFrame(rows, schema=columns, orient="row")
    return table.drop(SHORTCUT) if table[SHORTCUT].is_nan().all() else table


def common_chance(table: pl.DataFrame) -> Landmark | None:
    """Find the accuracy of guessing, if it is the same for all rows."""
    chances = table["chance"].fill_nan(None).unique()
    return Landmark(chances[0], "chance") if len(chances) == 1 and chances[0] is not None else None
