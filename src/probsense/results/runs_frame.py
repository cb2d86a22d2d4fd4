"""The list of the runs of stores as a frame, which a notebook shows as the command prints it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import polars as pl

from probsense.core.shown import Shown
from probsense.results.listing import COLUMNS, NUMBERS, Listed


class Runs(Shown, pl.DataFrame):
    """A frame with a row for each run; what is derived from it (filtered, sorted, …) is shown as any frame.

    Attributes
    ----------
    listed : tuple of Listed
        The runs; empty for a frame that was derived.
    """

    listed: tuple[Listed, ...] = ()

    @classmethod
    def of(cls, found: Sequence[Listed]) -> Self:
        """Make the frame of runs, with the columns :data:`~probsense.results.listing.COLUMNS`."""
        whole, real = dict.fromkeys(("items", "answered"), pl.Int64), dict.fromkeys(NUMBERS, pl.Float64)
        types = {name: {**whole, **real}.get(name, pl.String) for name in COLUMNS}
        made = cls([one.to_json() for one in found], schema=types)
        made.listed = tuple(found)
        return made

    def _repr_html_(self, *, _from_series: bool = False) -> str:
        return super()._repr_html_() if self.listed else pl.DataFrame._repr_html_(self)

    def __repr__(self) -> str:
        return super().__repr__() if self.listed else pl.DataFrame.__repr__(self)
