"""Published results of WorldSense: answers beside the test set that they answer."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import polars as pl

from probsense.comparison.scores import Scores
from probsense.errors import InputError
from probsense.tasks.worldsense.analyse import load_trials
from probsense.tasks.worldsense.measures import scored
from probsense.tasks.worldsense.results import (
    ResultsFile,
    named_results,
    read_results,
    results_files,
    settle,
)

MEASURES = ("accuracy", "strict_accuracy", "bias")
TRIALS = ("trials.jsonl.bz2", "trials.jsonl")


def is_testset(folder: Path) -> bool:
    """Whether a folder holds trials."""
    return any((folder / name).is_file() for name in TRIALS)


def read_worldsense(path: Path) -> list[Scores]:
    """Read published results: one file, or all those of a test set.

    Parameters
    ----------
    path : Path
        ``PROMPTING___MODEL___results.jsonl``, in a test-set folder's ``results`` or in a folder below it; or the folder
        of the test set. Several files of one model and prompting are one.

    Raises
    ------
    InputError
        For a file that is beside no test set, and whatever :mod:`probsense.tasks.worldsense` refuses.
    """
    if path.is_dir():
        folder, files = path, results_files(path)
    else:
        files = [named_results(path)]
        folder = next((parent for parent in path.absolute().parents if is_testset(parent)), path)
        if folder == path:
            raise InputError(
                "no test set above this file", path=path, expected=f"a folder with {' or '.join(TRIALS)}"
            )
    trials = _trials(folder.resolve())
    owners: dict[tuple[str, str], list[ResultsFile]] = {}
    for file in files:
        owners.setdefault((file.model, file.prompting), []).append(file)
    return [_scores(trials, *who, own) for who, own in owners.items()]


@lru_cache(maxsize=1)
def _trials(folder: Path) -> pl.DataFrame:
    """The trials of a folder, read once for all results that are beside it."""
    return load_trials(folder)


def _scores(trials: pl.DataFrame, model: str, prompting: str, files: list[ResultsFile]) -> Scores:
    settled = settle(trials, pl.concat(read_results(file.path) for file in files), prompting, model)
    items, scores, _ = worldsense_rows(settled.frame)
    return Scores(model, prompting, str(files[0].path), "worldsense", items, scores, tuple(settled.notes))


def worldsense_rows(frame: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame, tuple[str, ...]]:
    """Trials as items: siblings of a tuple are a cluster, a problem is a part, and a problem's size a stratum.

    Tuples that are not complete are left out, as from all figures of WorldSense, and counted in a note.

    Parameters
    ----------
    frame : DataFrame
        The table that :mod:`probsense.tasks.worldsense.measures` describes.

    Returns
    -------
    (DataFrame, DataFrame, tuple of str)
        As :class:`~probsense.comparison.scores.Scores` has them. Their stratified mean is the figure of the method
        "stratified".
    """
    whole = pl.len().over("tuple_id") == pl.col("expected_len")
    kept = frame.filter(whole)
    rows = scored(kept)
    items = kept.select(
        item=pl.col("key").cast(pl.String),
        cluster="tuple_id",
        part="problem",
        stratum=pl.concat_str("problem", "size", separator=" "),
        weight=rows["weight"],
        gold="gold",
        label="resp",
    )
    broken = frame.height - kept.height
    notes = (f"{broken:,} trials belong to tuples that are not complete, and are left out",) if broken else ()
    return items, rows.select(pl.col(f"published {name}").alias(name) for name in MEASURES), notes
