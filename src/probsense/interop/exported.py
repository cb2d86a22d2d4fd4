"""Writes the items of runs as folders of Parquet files, and reads them to be compared.

A folder takes any number of runs and items: rows are written and read some at a time.
:mod:`probsense.core.files.partitions` has the layout.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar, Final

import polars as pl

from probsense.analysis.comparison.scores import ITEMS, References, Scores
from probsense.core.errors import InputError
from probsense.core.files import check_folder
from probsense.core.files.partitions import (
    ABOUT,
    GROUP,
    Partition,
    partition_folder,
    partitions,
    writing_folder,
)
from probsense.results.comparisons import run_scores
from probsense.runs.run import Run
from probsense.runs.transcripts import word_tables

ROWS: Final = 250_000
"""Rows of a file, which are in memory at the same time."""
ITEM, SCORE = "item.", "score."
"""What the names of the columns begin with by which items are compared: those of
:data:`~probsense.analysis.comparison.scores.ITEMS`, and one for each measure. They are null for an item that is not
compared."""
_REPEATED: Final = ("part", "stratum", "setting", "form", "gold", "label")
"""Columns with few different texts; each text is in memory once."""
_EXPECTED: Final = "a folder that 'probsense runs export RUN --out DIR' wrote"


def export_folder(path: Path | str, runs: Sequence[Run]) -> None:
    """Write the items of runs into a folder, each run whole or not at all.

    Parameters
    ----------
    path : Path or str
        Made if it is missing. Each run gets ``task=TASK/model=MODEL/run=ID`` in it, in place of an earlier export of
        the same run; other runs stay.
    runs : sequence of Run

    Raises
    ------
    InputError
        For a path that is a file, or a folder that cannot be written.
    """
    root = Path(path)
    check_folder(root)
    for run in runs:
        with writing_folder(partition_folder(root, run.record.task, run.model, run.id)) as folder:
            table, about = _compared(run)
            metadata = {ABOUT: json.dumps(about)}
            for number, words in enumerate(word_tables(run, ROWS)):
                part = table.join(words, on="id", how="inner", maintain_order="left")
                part.write_parquet(
                    folder / f"part-{number:05}.parquet", row_group_size=GROUP, metadata=metadata
                )


def _compared(run: Run) -> tuple[pl.DataFrame, dict[str, Any]]:
    """Return the table of a run with the columns by which its items are compared, and what to say of the run."""
    table = run.results.table
    if table is None:
        raise InputError(f"the task {run.task.name} makes no table of its items", expected="another task")
    about: dict[str, Any] = {
        "method": run.method,
        "label": run.record.label,
        "coverage": [dict(row) for row in run.results.coverage],
        "warnings": list(run.results.warnings),
        "notes": list(run.results.notes),
    }
    try:
        scores = run_scores(run)
    except InputError:  # The questions of some runs are not those of others.
        return table, about
    about |= {
        "compared": list(scores.notes),
        "references": {name: [*known] for name, known in scores.references.items()},
    }
    beside = pl.concat(
        [
            scores.items.select(pl.all().exclude("item").name.prefix(ITEM), id="item"),
            scores.scores.select(pl.all().name.prefix(SCORE)),
        ],
        how="horizontal",
    )
    return table.join(beside, on="id", how="left", maintain_order="left"), about


class ExportReader:
    """Read the folder of :func:`export_folder`, or one of those in it."""

    kind: ClassVar[str] = "exported runs (task=TASK/model=MODEL/run=ID)"

    def recognises(self, path: Path) -> bool:
        """Tell whether a path is a folder with exported runs."""
        return bool(partitions(path))

    def read(self, path: Path) -> list[Scores]:
        """Read each run with :func:`read_exported`."""
        return [read_exported(run) for run in partitions(path)]


def read_exported(run: Partition) -> Scores:
    """Read what a run achieved on each item; texts stay in the files until they are needed.

    Raises
    ------
    InputError
        For a file that is none of an export, or has no scores of items.
    """
    measures = [name for name in run.columns if name.startswith(SCORE)]
    if not measures:
        raise InputError("has no scores of single items", path=run.files[0], expected=_EXPECTED)
    # Runs that an earlier version exported have no forms.
    there = {"item", "text", *(["form"] if f"{ITEM}form" not in run.columns else [])}
    known = [f"{ITEM}{name}" for name in ITEMS if name not in there]
    compared = pl.col(f"{ITEM}weight").is_not_null()
    rows = run.scan("id", *known, *measures, expected=_EXPECTED).filter(compared)
    try:
        found = rows.select(
            pl.col("id").cast(pl.String).alias("item"),
            *(
                pl.col(name).cast(_kind(name.removeprefix(ITEM))).name.replace(ITEM, "", literal=True)
                for name in known
            ),
            *(
                pl.col(name) if run.columns[name] == pl.Boolean else pl.col(name).cast(pl.Float64)
                for name in measures
            ),
        ).collect(engine="streaming")
    except pl.exceptions.PolarsError as error:
        raise InputError(
            f"cannot be read: {str(error).splitlines()[0]}", path=run.folder, expected=_EXPECTED
        ) from None
    about = run.about
    return Scores(
        run.model,
        str(about.get("method", "")),
        f"run {about.get('label', run.run)}",
        run.task,
        found.drop(measures),
        found.select(pl.col(measures).name.replace(SCORE, "", literal=True)),
        tuple(map(str, about.get("compared", ()))),
        {name: References(*values) for name, values in about.get("references", {}).items()},
        texts=run.scan("id", f"{ITEM}text", f"{ITEM}weight", expected=_EXPECTED)
        .filter(compared)
        .select(item=pl.col("id").cast(pl.String), text=f"{ITEM}text"),
    )


def _kind(name: str) -> Any:
    return pl.Categorical if name in _REPEATED else ITEMS[name]
