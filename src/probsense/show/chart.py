"""Charts: what they are called, what all of them share, and how a chart of Altair becomes a specification.

Colours are those of Okabe and Ito (2008), which people with any colour vision can tell apart; shapes tell the models
apart without colour. Every colour in a specification is one of those here, so that a page can put its own
in their place.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import cycle, islice
from typing import TYPE_CHECKING, Any, TypeAlias

from probsense.show.text import plain, shorten

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

Spec = dict[str, Any]
"""A specification in Vega-Lite, data included."""

INK, GRID, PAPER = "#1d2126", "#d4d8dd", "#ffffff"
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", INK)
SHAPES = ("circle", "square", "diamond", "triangle-up", "triangle-down", "cross")

WIDE, NARROW = 720, 380
"""Widths of a whole chart, in pixels: on a screen or paper, and on a phone."""

LABEL = 44
"""The longest label of a model, in characters."""

CHARACTER = 6.9
"""Mean width of a letter, in pixels."""

_CONFIG: Mapping[str, Any] = {
    "background": PAPER,
    "font": "sans-serif",
    "padding": 4,
    "view": {"stroke": None},
    "axis": {
        "domain": False,
        "ticks": False,
        "gridColor": GRID,
        "labelColor": INK,
        "labelFlush": False,
        "labelFontSize": 12,
        "labelPadding": 6,
        "titleColor": INK,
        "titleFontSize": 13,
        "titlePadding": 10,
    },
    "axisQuantitative": {"grid": True, "tickCount": 5},
    "legend": {
        "columnPadding": 24,
        "labelColor": INK,
        "labelFontSize": 12.5,
        "labelLimit": 0,
        "offset": 24,
        "orient": "top",
        "symbolOpacity": 1,
        "symbolSize": 70,
        "title": None,
    },
    "title": {"anchor": "start", "frame": "group", "offset": 8, "color": INK, "fontSize": 13},
    "header": {"labelColor": INK, "labelFontSize": 13, "labelFontWeight": 600, "title": None},
    "text": {"color": INK, "fontSize": 12},
}


Draw: TypeAlias = "Callable[[pl.DataFrame, int], Spec]"
"""Turns a table and the width of the whole chart in pixels into a specification."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChartWords:
    """What a task says of a chart, in its file of words: what it is called, and how its table is drawn.

    Attributes
    ----------
    title, meaning : str
        What it is called, and what it shows.
    kind : str
        What draws it: one of :data:`~probsense.show.charts.KINDS`; "" for a chart that the task draws itself.
    about : str
        What it shows, for people who cannot see it; in it, ``{models}`` stands for the names of the models and
        ``{panels}`` for the number of panels.
    estimates : bool
        Whether its table is made from the estimates of ``measure`` by ``by``; otherwise it is the table of the same
        name that the task measured.
    measure : str
        The measure of its values; without it, the column of that name tells it.
    by : str
        The key or column of the parts, numbers or panels that it goes by.
    columns : Mapping of str to str
        The column of the table for each one that the kind wants, where these differ.
    first : str
        A column: only the rows with the first value in it are drawn.
    lines : bool
        Whether the estimates of a model are joined by a line.
    whose : str
        What stands behind a share.
    across, up : str
        Titles of the axes, where the measure does not tell them.
    heading : str
        Of a panel, with the names of columns in braces.
    letters : sequence of int
        Of a label at most: in a wide chart, and in a narrow one.
    lanes : int
        How many models have a lane of their own; if there are more, they share one. 0 for all.
    gap : float
        What is left between parts, in pixels.
    step : float
        The axis ends at the multiple of it beyond the last value; 0 for where the measure ends.
    panels, models : int
        How many are shown at most, beside people.
    most : float
        Where the axis of shares ends, in per cent; 0 for beyond the largest one.
    rows : callable, optional
        Selects what is drawn from the table.
    draw : callable, optional
        Draws it, where no kind does.
    """

    title: str
    meaning: str
    kind: str = ""
    about: str = ""
    estimates: bool = False
    measure: str = ""
    by: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)
    first: str = ""
    lines: bool = False
    whose: str = "of people"
    across: str = ""
    up: str = ""
    heading: str = "{text}"
    letters: Sequence[int] = (22, 16)
    lanes: int = 0
    gap: float = 12
    step: float = 0
    panels: int = 6
    models: int = 3
    most: float = 0
    rows: Callable[[pl.DataFrame], pl.DataFrame] | None = None
    draw: Draw | None = None

    def letters_at(self, width: int) -> int:
        """Return how long labels are at a width of the whole chart."""
        return self.letters[width <= NARROW]


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart to be drawn.

    Attributes
    ----------
    name : str
        The stem of its file names.
    title, meaning : str
        What it is called, and what it shows.
    table : DataFrame
        What is drawn: tidy, one row for each mark.
    draw : callable
    """

    name: str
    title: str
    meaning: str
    table: pl.DataFrame
    draw: Draw

    def spec(self, width: int = WIDE) -> Spec:
        """Return the Vega-Lite specification of the chart at a width in pixels."""
        return self.draw(self.table, width)


def specification(chart: alt.TopLevelMixin, about: str) -> Spec:
    """Return the specification of a finished chart.

    Parameters
    ----------
    chart : altair chart
    about : str
        What it shows, for people who cannot see it.
    """
    spec: Spec = chart.to_dict(validate=False)  # A test validates every chart; here it would double the time.
    return {**spec, "config": _CONFIG, "description": plain(about)}


def rows(records: Iterable[Mapping[str, Any]]) -> alt.InlineData:
    """Make the data of a chart: strings, numbers and null, which stands for NaN, too."""
    import altair as alt

    return alt.InlineData(
        values=[
            {key: None if value is None or value != value else value for key, value in record.items()}
            for record in records
        ]
    )


def labels(names: Iterable[object], width: int = LABEL) -> dict[str, str]:
    """Make a label for each name: printable, different from all others, and at most ``width`` characters long."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    for name in dict.fromkeys(map(str, names)):
        label, n = shorten(plain(name), width), 1
        while label in taken:
            n += 1
            label = f"{shorten(plain(name), width - 5)} ({n})"
        taken.add(label)
        found[name] = label
    return found


def letters(texts: Iterable[str]) -> float:
    """Estimate the room, in pixels, that the longest text takes."""
    return CHARACTER * max(map(len, texts), default=0)


def by_model(names: Collection[str], width: float, field: str = "model") -> tuple[alt.Color, alt.Shape]:
    """Give each model a colour and a shape, 42 in all; the legend has as many side by side as fit."""
    import altair as alt

    columns = max(int(0.8 * width / (letters(names) + 54)), 1)
    legend = alt.Legend(columns=columns, symbolStrokeWidth=1.5)
    hues, shapes = (
        alt.Scale(domain=[*names], range=[*islice(cycle(looks), len(names))]) for looks in (COLOURS, SHAPES)
    )
    return (
        alt.Color(f"{field}:N", scale=hues, legend=legend, sort=None),
        alt.Shape(f"{field}:N", scale=shapes, legend=legend, sort=None),
    )


def strings(table: pl.DataFrame, column: str) -> list[str]:
    """List the different texts of a column in their order."""
    return [str(value) for value in table[column].drop_nulls().unique(maintain_order=True)]
