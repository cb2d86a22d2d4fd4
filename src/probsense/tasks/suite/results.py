"""The distributions of a run as files, one for each prompt and test, named and laid out as ProbSem's."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from probsense.errors import InputError
from probsense.files import file_name, writing

COLUMNS = ("text", "query", "logp", "score")


def results_name(prompt: str, test: str, model: str) -> str:
    """The name of a results file, with whatever a file name should not hold replaced by "-"."""
    return file_name(f"{prompt}_{test}_{model}") + "_results.csv"


def write_results(folder: Path, model: str, distributions: pl.DataFrame) -> list[Path]:
    """Write one CSV file for each prompt and test, with :data:`COLUMNS`, each whole or not at all.

    Parameters
    ----------
    folder : Path
        Made if missing.
    model : str
        Its name.
    distributions : DataFrame
        As from :meth:`~probsense.tasks.suite.task.Suite.distributions`.

    Returns
    -------
    list of Path
        The files.

    Raises
    ------
    InputError
        If two suites would get the same file, or one cannot be written.
    """
    parts: dict[Path, pl.DataFrame] = {}
    for (prompt, test), part in distributions.group_by(["prompt", "test"], maintain_order=True):
        path = folder / results_name(str(prompt), str(test), model)
        if path in parts:
            raise InputError(
                f"the results of two suites would be in this file, one is {prompt} {test}", path=path
            )
        parts[path] = part.select(COLUMNS)
    for path, part in parts.items():
        with writing(path) as stream:
            part.write_csv(stream)
    return list(parts)
