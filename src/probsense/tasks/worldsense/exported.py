"""Analyses exported runs: reads the rows of each lazily, and keeps its tuples alone in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import polars as pl

from probsense.core.errors import InputError
from probsense.core.files.partitions import Partition, model_names
from probsense.core.records import Json
from probsense.tasks.base import Analysis, Measured
from probsense.tasks.worldsense import measures
from probsense.tasks.worldsense.trials import PROBLEMS
from probsense.tasks.worldsense.words import WORDS

_TEXTS: Final = ("id", "tuple_id", "problem", "skin", "gold", "corrected", "resp", "twin")
_NUMBERS: Final = ("size", "depth", "expected_len")
_EXPECTED: Final = "an exported run of worldsense that is not adaptive"


def analyse_exported(folder: Path, runs: Sequence[Partition]) -> Analysis:
    """Analyse runs as :func:`~probsense.tasks.worldsense.analyse.analyse` does recorded results.

    Parameters
    ----------
    folder : Path
        That was named.
    runs : sequence of Partition
        The exported runs in it.

    Returns
    -------
    Analysis
        Without shortcut ceilings, which follow from the texts of the questions.

    Raises
    ------
    InputError
        For a file that is no Parquet file, a missing column, and a row that is no answer to a trial.
    """
    abouts = [run.about for run in runs]
    tables: list[pl.DataFrame] = []
    coverage: list[Mapping[str, Json]] = []
    for run, about, model in zip(runs, abouts, model_names(runs), strict=True):
        prompting = str(about.get("method", ""))
        answers = run.scan(*_TEXTS, *_NUMBERS, expected=_EXPECTED)
        counted = _checked(answers, run)
        known = [column for column in ("corrected", "twin") if not counted[column]]
        named = answers.drop(known).rename({"id": "key"})
        tables.append(measures.cells(named.with_columns(model=pl.lit(model), prompting=pl.lit(prompting))))
        failed = sum(row.get("failed", 0) for row in about.get("coverage", ()))
        rows = counted["answered"]
        whole = {
            "asked": rows + failed,
            "answered": rows,
            "valid": counted["valid"],
            "tuples": counted["tuples"],
        }
        coverage.append({"model": model, "prompting": prompting, **whole})
    measured = Measured(
        WORDS.bounded(measures.by_method(pl.concat(tables))),
        coverage,
        [str(note) for about in abouts for note in about.get("notes", ())],
        warnings=[str(warning) for about in abouts for warning in about.get("warnings", ())],
    )
    name = folder.resolve().name
    facts: dict[str, Json] = {"data": name, "results": [f"{run.model}, run {run.run}" for run in runs]}
    return Analysis("worldsense", f"WorldSense: {name}", facts, measured, WORDS)


def _checked(answers: pl.LazyFrame, run: Partition) -> dict[str, Any]:
    """Count the rows of a run, and refuse them if one cannot be an answer to a trial."""
    golds = [gold for allowed in PROBLEMS.values() for gold in allowed]
    bad = pl.any_horizontal(
        ~pl.col("gold").is_in(golds),
        ~pl.col("corrected").is_in(golds),
        pl.col("tuple_id", "gold", "problem", "size", "expected_len", "resp").is_null(),
    ).fill_null(False)
    try:
        (counted,) = (
            answers.with_columns(pl.col(_TEXTS).cast(pl.String), pl.col(_NUMBERS).cast(pl.Int64))
            .select(
                answered=pl.len(),
                valid=(pl.col("resp") != "").sum(),
                tuples=pl.col("tuple_id").n_unique(),
                corrected=pl.col("corrected").count(),
                twin=pl.col("twin").count(),
                bad=bad.arg_max(),
                any_bad=bad.any(),
            )
            .collect(engine="streaming")
            .to_dicts()
        )
    except pl.exceptions.PolarsError as error:
        raise InputError(
            f"cannot be read: {str(error).splitlines()[0]}", path=run.folder, expected=_EXPECTED
        ) from None
    if counted["any_bad"]:
        raise InputError(
            f"row {counted['bad'] + 1} is no answer to a trial",
            path=run.folder,
            expected="a tuple, problem, size, known gold label and an answer",
        )
    return dict(counted)
