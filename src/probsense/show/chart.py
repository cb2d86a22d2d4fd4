"""Charts: a tidy table, what it is called, and what draws it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from probsense.show.theme import NARROW, WIDE, Spec

if TYPE_CHECKING:
    import polars as pl

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
