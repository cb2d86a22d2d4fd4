"""Charts: a tidy table and the function that draws it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from probsense.analysis.inference.estimate import Estimate
from probsense.show.theme import WIDE, Spec

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, slots=True)
class ChartKind:
    """A kind of chart.

    Attributes
    ----------
    title, meaning : str
        What it is called, and what it shows.
    draw : callable
        Turns its table and a width in pixels into a specification.
    texts, numbers : tuple of str
        The columns that its table must have.
    table : callable, optional
        Makes the table from the estimates of all models; an empty table means that there is nothing to draw. Without
        it, the table is the one of the same name that the task measured.
    unknown : tuple of str
        Those of these columns that may be empty; by default, in tables of estimates, the part (overall estimates have
        none), the interval and chance.
    """

    title: str
    meaning: str
    draw: Callable[[pl.DataFrame, int], Spec]
    texts: tuple[str, ...]
    numbers: tuple[str, ...]
    table: Callable[[Sequence[Estimate]], pl.DataFrame] | None = None
    unknown: tuple[str, ...] = ("part", "low", "high", "chance")

    def chart(self, name: str, table: pl.DataFrame) -> Chart:
        """Make the chart of a table."""
        return Chart(name, self.title, self.meaning, table, self.draw)


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
        Turns the table and the width of the whole chart in pixels into a specification.
    """

    name: str
    title: str
    meaning: str
    table: pl.DataFrame
    draw: Callable[[pl.DataFrame, int], Spec]

    def spec(self, width: int = WIDE) -> Spec:
        """Return the Vega-Lite specification of the chart at a width in pixels."""
        return self.draw(self.table, width)
