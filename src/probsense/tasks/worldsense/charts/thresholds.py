"""The chart of adaptive runs: how likely a right answer is at each size and depth, and where it falls to 75 %."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from probsense.analysis.inference.staircase import CHANCE, TARGET
from probsense.show.text import plain
from probsense.show.theme import INK, NARROW, WIDE, Spec, by_model, labels, rows, specification, strings

if TYPE_CHECKING:
    import polars as pl


BAND: Final = 30
"""How many pixels separate panels."""

TITLES: Final = {"size": "Entities", "depth": "Facts that the answer takes"}


def draw(table: pl.DataFrame, width: int = WIDE) -> Spec:
    """Draw a panel for each series: the fitted curve with its interval, and the share of right answers that it fits.

    Parameters
    ----------
    table : DataFrame
        As :func:`adaptive.thresholds.table` makes it, of one or several models.
    width : int
        Width of the whole chart, in pixels.
    """
    import altair as alt

    models = labels(strings(table, "model"))
    hue, shape = by_model([*models.values()], width)
    series = [*table.select("problem", "dial").unique(maintain_order=True).iter_rows()]
    columns = min(2 if width > NARROW else 1, len(series))
    wide = (width - 60 * columns) / columns - BAND
    panels = []
    for problem, dial in series:
        own = table.filter(problem=problem, dial=dial)
        records = [
            {
                "model": models[row["model"]],
                "level": row["level"],
                **{name: 100 * row[name] for name in ("value", "low", "high")},
                "right": None if row["right"] is None else 100 * row["right"],
                "tuples": row["tuples"],
                "tip": plain(
                    f"{row['model']}, {problem}, {dial} {row['level']:g}: {100 * row['value']:.1f} %"
                    f" [{100 * row['low']:.1f}, {100 * row['high']:.1f}], {row['tuples']:g} tuples asked"
                ),
            }
            for row in own.iter_rows(named=True)
        ]
        x = alt.X(
            "level:Q",
            title=TITLES[dial],
            axis=alt.Axis(tickMinStep=1, format="d"),
            scale=alt.Scale(zero=False),
        )
        y = alt.Y("value:Q", title="Right answers (%)", scale=alt.Scale(domain=[0, 100]))
        base = alt.Chart(rows(records)).encode(x=x, description="tip:N")
        lines = alt.Chart(rows([{"at": 100 * CHANCE}, {"at": 100 * TARGET}])).encode(y="at:Q")
        dots = base.transform_filter("datum.tuples > 0").encode(
            y="right:Q",
            shape=shape,
            color=hue,
            size=alt.Size("tuples:Q", legend=None, scale=alt.Scale(range=[20, 160])),
        )
        layers = [
            lines.mark_rule(aria=False, strokeDash=[4, 4], color=INK, opacity=0.65),
            base.mark_area(opacity=0.15, aria=False).encode(y=y, y2="high:Q", color=hue).encode(y="low:Q"),
            base.mark_line(strokeWidth=2).encode(y=y, color=hue),
            dots.mark_point(filled=True, opacity=0.8),
        ]
        title = alt.TitleParams(f"{problem} by {dial}", anchor="start", fontSize=12)
        panels.append(alt.layer(*layers).properties(width=wide, height=180, title=title))
    about = f"Right answers by difficulty for {', '.join(models)}. Each band is an interval; dots are what was asked."
    return specification(alt.concat(*panels, columns=columns, spacing=BAND), about)
