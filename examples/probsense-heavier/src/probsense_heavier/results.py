"""Files of results: written by a run, read by ``analyse`` and by ``compare``."""

from __future__ import annotations

import re
from pathlib import Path
from typing import ClassVar

import polars as pl

from probsense.analysis.comparison.scores import Scores
from probsense.core.errors import InputError
from probsense.core.files import read_jsonl, writing
from probsense.core.records import Json
from probsense.tasks.base import Analysis
from probsense.tasks.results import notes_on
from probsense_heavier.measures import COLUMNS, item_scores, measured
from probsense_heavier.words import WORDS

ENDING = ".heavier.jsonl"


def write_results(folder: Path, model: str, table: pl.DataFrame) -> Path:
    """Write the table of a run as JSON lines."""
    path = folder / (re.sub(r"[^\w.-]+", "-", model).strip("-") + ENDING)
    with writing(path) as stream:
        table.write_ndjson(stream)
    return path


def read_results(path: Path, min_factor: float) -> pl.DataFrame:
    """Read a file of results, or all those of a folder.

    Raises
    ------
    InputError
        If there are none, or one is not what it should be.
    """
    rows = []
    for file in results_files(path):
        for line, record in read_jsonl(file):
            if record.keys() != COLUMNS.keys():
                raise InputError(
                    "this is no result", path=file, line=line, expected=f"the keys {', '.join(COLUMNS)}"
                )
            rows.append(record)
    try:
        table = pl.DataFrame(rows, schema=COLUMNS)
    except (TypeError, pl.exceptions.PolarsError) as error:
        raise InputError(f"a value is of the wrong type: {error}", path=path) from error
    table = table.filter(pl.col("factor") >= min_factor)
    if table.is_empty():
        raise InputError(
            f"no results with a factor of at least {min_factor:g}", path=path, expected=f"files *{ENDING}"
        )
    return table


def results_files(path: Path) -> list[Path]:
    """List the files of results that a path names: itself, or those of the folder."""
    return [path] if path.name.endswith(ENDING) else sorted(path.glob(f"*{ENDING}"))


def analyse(data: Path, *, min_factor: float = 1.0) -> Analysis:
    """Measure recorded results as a run measures its answers.

    Parameters
    ----------
    data : Path
        A file that ``run heavier --write-results`` wrote, or a folder of them.
    min_factor : float
        Leave out pairs in which the heavier thing is fewer times as heavy as this.
    """
    facts: dict[str, Json] = {"data": str(data), "min_factor": min_factor}
    notes = [f"pairs with a factor below {min_factor:g} are left out"] if min_factor > 1 else []
    found = measured(read_results(Path(data), min_factor)).with_notes([], notes_on("", notes)).finished(WORDS)
    return Analysis("heavier", "Heavier: recorded results", facts, found, WORDS)


class ResultsReader:
    """Reads results for ``compare``.

    Parameters
    ----------
    min_factor : float
        As for :func:`probsense_heavier.results.analyse`.
    """

    kind: ClassVar[str] = "results of heavier"

    def __init__(self, *, min_factor: float = 1.0) -> None:
        self._min_factor = min_factor

    def recognises(self, path: Path) -> bool:
        """Whether a path is a file of results or a folder with some."""
        return bool(results_files(path))

    def read(self, path: Path) -> list[Scores]:
        """Read the results of every model."""
        groups = read_results(path, self._min_factor).group_by("model", "prompting", maintain_order=True)
        return [
            Scores(str(model), str(prompting), str(path), "heavier", *item_scores(table))
            for (model, prompting), table in groups
        ]
