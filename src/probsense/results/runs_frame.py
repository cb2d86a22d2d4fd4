"""Makes a frame of the runs of stores, for notebooks and scripts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Self

import polars as pl

from probsense.core.shown import Shown
from probsense.results.listing import COLUMNS, NUMBERS, Listed, listed_runs


def list_runs(*stores: Path | str) -> Runs:
    """List the runs of stores as a table, with a row for each, in the order in which they first started.

    A notebook shows it as ``probsense runs`` prints it.

    Parameters
    ----------
    *stores : Path or str
        Files of stores; by default, ``probsense.db``.

    Returns
    -------
    DataFrame
        The columns :data:`COLUMNS`. ``run`` is the id; ``measure`` and the numbers after it are those of the main
        estimate, null for a run that was interrupted.

    Raises
    ------
    InputError
        For a missing file, or one that is not a store.
    """

    return Runs.of(listed_runs([Path(store) for store in stores or ("probsense.db",)]))


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
