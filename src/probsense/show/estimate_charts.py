"""Charts of estimates: a measure by part."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from probsense.analysis.inference.estimate import Estimate
from probsense.show.chart import ChartKind
from probsense.show.forest import axis_of, forest
from probsense.show.measure import Landmark, Measure
from probsense.show.tables import OVERALL, Grid, grid
from probsense.show.theme import NARROW, WIDE, Spec, labels, specification, strings
from probsense.show.words import Words

if TYPE_CHECKING:
    import polars as pl

TEXTS: Final = ("measure", "by", "model", "part")
NUMBERS: Final = ("value", "low", "high", "chance")
"""Columns of the tables that charts of estimates are drawn from."""
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
    return ChartKind(style.title, style.meaning, partial(measure_chart, style), TEXTS, NUMBERS, table)


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
    models = labels(strings(table, "model"))
    whole = [OVERALL] if table["part"].null_count() else []
    records = [
        {
            **row,
            "part": OVERALL if row["part"] is None else parts[row["part"]],
            "model": models[row["model"]],
            "tip": f"{row['model']}, {row['part'] or OVERALL}: {said(style, row)}",
        }
        for row in table.iter_rows(named=True)
    ]
    drawn = forest(
        records, [*whole, *parts.values()], [*models.values()], axis_of(style, common_chance(table)), width
    )
    who = ", ".join(models)
    about = f"{style.title} by {table['by'][0]} for {who}. Each mark is an estimate, each line its interval."
    return specification(drawn, about)


def said(style: Measure, row: Mapping[str, Any]) -> str:
    """Put the value and the interval of a row into words."""
    ends = [row["low"], row["high"]]
    both = all(end is not None and not math.isnan(end) for end in ends)
    interval = f"[{', '.join(map(style.number, ends))}]" if both else "(interval unknown)"
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
