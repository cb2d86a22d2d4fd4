"""Writes the items of runs as a table for other programs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from probsense.core.errors import InputError
from probsense.core.files import writing
from probsense.results.formats import as_csv

if TYPE_CHECKING:
    import polars as pl

    from probsense.runs.run import Run

KINDS: Final = (".csv", ".parquet", ".jsonl")


def items_table(runs: Sequence[Run]) -> pl.DataFrame:
    """Put the tables of runs together, a row for each item that was answered; see :meth:`Run.table`.

    Parameters
    ----------
    runs : sequence of Run

    Returns
    -------
    DataFrame
        The columns ``run``, ``model`` and ``method``, then those of all the tables; null where a run lacks one.
    """
    import polars as pl

    tables = [
        run.table().select(
            pl.lit(run.id).alias("run"),
            pl.lit(run.model).alias("model"),
            pl.lit(run.method).alias("method"),
            pl.all(),
        )
        for run in runs
    ]
    return pl.concat(tables, how="diagonal_relaxed")


def export_runs(path: Path, runs: Sequence[Run]) -> None:
    """Write the table of the items of runs, whole or not at all.

    Parameters
    ----------
    path : Path
        Its ending is the format: .csv (lists are JSON), .parquet or .jsonl.
    runs : sequence of Run

    Raises
    ------
    InputError
        For another ending.
    """
    check_ending(path)
    table = items_table(runs)
    with writing(path) as stream:
        if path.suffix == ".csv":
            stream.write(as_csv(table.to_dicts()).encode())
        elif path.suffix == ".jsonl":
            table.write_ndjson(stream)
        else:
            table.write_parquet(stream)


def check_ending(path: Path) -> None:
    """Refuse a file whose ending is no format of :func:`export_runs`."""
    if path.suffix not in KINDS:
        expected = f"{', '.join(KINDS)}, or no ending for a folder of Parquet files"
        raise InputError(f"{path.name} ends in no known format", expected=expected)
