"""The answers of a run as a table of ratings, to be analysed beside others."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from probsense.core.files import writing
from probsense.core.names import file_name
from probsense.tasks.judgments.personas import told_apart
from probsense.tasks.judgments.raw import SCHEMA


def write_ratings(folder: Path, model: str, table: pl.DataFrame) -> Path:
    """Write a run's table as CSV for ``analyse judgments --ratings``, whole or not at all. Each persona is a rater.

    Parameters
    ----------
    folder : Path
        Made if missing.
    model : str
        Its name, by which the file is named, too.
    table : DataFrame
        As from :meth:`~probsense.tasks.judgments.task.Judgments.measure`.

    Returns
    -------
    Path
        The file.
    """
    path = folder / f"{file_name(model)}_ratings.csv"
    with writing(path) as stream:
        told_apart(table, model).select(*SCHEMA).write_csv(stream)
    return path
