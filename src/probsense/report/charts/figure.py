"""A figure: a chart with the table that it is made from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from probsense.report.charts.theme import WIDE, Spec

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, slots=True)
class Figure:
    """A chart to be drawn.

    Attributes
    ----------
    name : str
        That of its files.
    title, meaning : str
        What it is called, and what it shows.
    table : DataFrame
        What is drawn: tidy, one row for each thing.
    draw : callable
        From the table and the width of the whole chart in pixels, its specification.
    """

    name: str
    title: str
    meaning: str
    table: pl.DataFrame
    draw: Callable[[pl.DataFrame, int], Spec]

    def spec(self, width: int = WIDE) -> Spec:
        """The specification of the chart, so many pixels wide."""
        return self.draw(self.table, width)
