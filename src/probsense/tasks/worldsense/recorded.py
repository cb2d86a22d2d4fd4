"""Analyses recorded answers: results files beside a test set, and exported runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import polars as pl

from probsense.core.errors import InputError
from probsense.core.files.partitions import Partition, model_names, partitions
from probsense.core.records import Json
from probsense.tasks.base import Analysis
from probsense.tasks.results import Results, notes_on
from probsense.tasks.worldsense.audit.labels import corrections
from probsense.tasks.worldsense.charts.words import WORDS
from probsense.tasks.worldsense.measures.accuracy import by_method
from probsense.tasks.worldsense.measures.ceilings import ceiling_notes, folder_ceilings
from probsense.tasks.worldsense.measures.cells import cell_means, form_means
from probsense.tasks.worldsense.measures.notes import no_width_notes, skins_only_notes
from probsense.tasks.worldsense.questions.format import (
    FORM,
    MODELS,
    PROBLEMS,
    PROMPTINGS,
    in_order,
)
from probsense.tasks.worldsense.questions.results import (
    Owner,
    ResultsFile,
    by_owner,
    read_results,
    results_files,
    settle,
)
from probsense.tasks.worldsense.questions.trials import load_trials


def analyse(data: Path, *, audit: bool = True, cache: bool = True) -> Analysis:
    """Analyse the recorded answers of a test-set folder.

    Parameters
    ----------
    data : Path
        A test set in the published layout (trials.jsonl.bz2), with its results/; or a folder of exported runs.
    audit : bool
        Whether to recompute the gold labels, too (method "corrected").
    cache : bool
        Whether to reuse the trials that an earlier analysis parsed.

    Returns
    -------
    Analysis
        Its estimates are by method (published, stratified, over settings, corrected, corrected over
        settings), then overall, by problem, by problem and size; its coverage is a row for every prompting and model:
        trials asked, answered and validly answered; complete and all tuples.

    Raises
    ------
    InputError
        For a folder without trials or without results, and for any malformed file.
    """
    folder = Path(data)
    if runs := partitions(folder, "worldsense"):
        return analyse_exported(folder, runs)
    audited = corrections(folder, cache=cache) if audit else None
    corrected = None if audited is None else audited.labels
    trials, files = load_trials(folder, cache=cache), results_files(folder)
    ceilings = folder_ceilings(folder, cache=cache)
    coverage: list[Mapping[str, Json]] = []
    tables: list[pl.DataFrame] = []
    forms: list[pl.DataFrame] = []
    notes, warnings = _uneven_sizes(trials), list[str]()
    for (prompting, model), own in _in_order(by_owner(files)).items():
        settled = settle(trials, pl.concat(read_results(file.path) for file in own), prompting, model)
        frame = _with_corrected(settled.frame, corrected)
        table = cell_means(frame, ceilings)
        tables.append(table)
        forms.append(form_means(frame))
        coverage.append(settled.coverage)
        notes += notes_on(f"{prompting}, {model}", settled.notes + _empty_cells(trials, table))
        warnings += notes_on(f"{prompting}, {model}", settled.warnings)
    found = by_method(pl.concat(tables), pl.concat(forms))
    cells = trials.select("problem", "size").unique().iter_rows()
    notes += audited.notes() if audited else []
    notes += [*ceiling_notes(ceilings, cells), *skins_only_notes(found), *no_width_notes(found)]
    name = folder.resolve().name
    facts: dict[str, Json] = {
        "data": name,
        "trials": trials.height,
        "tuples": trials["tuple_id"].n_unique(),
        "results": [file.path.relative_to(folder).as_posix() for file in files],
        "corrected": None if corrected is None else len(corrected),
    }
    measured = Results(found, coverage, notes, warnings=warnings).finished(WORDS)
    return Analysis("worldsense", f"WorldSense: {name}", facts, measured, WORDS)


def _in_order(owners: Mapping[Owner, list[ResultsFile]]) -> dict[Owner, list[ResultsFile]]:
    """Put promptings and models into the order of the tables."""
    promptings = in_order((prompting for prompting, _ in owners), PROMPTINGS)
    models = in_order((model for _, model in owners), MODELS)
    order = sorted(owners, key=lambda who: (promptings.index(who[0]), models.index(who[1])))
    return {who: owners[who] for who in order}


def _with_corrected(frame: pl.DataFrame, corrected: Mapping[int, str] | None) -> pl.DataFrame:
    if corrected is None:
        return frame
    right = pl.col("key").replace_strict(corrected, default=None, return_dtype=pl.String)
    return frame.with_columns(corrected=right)


def _uneven_sizes(trials: pl.DataFrame) -> list[str]:
    """Note problems that lack sizes which others have: averages run over the sizes there are (Q8)."""
    sizes = _sizes(trials)
    everything = set().union(*sizes.values())
    return [
        f"the test set has no {problem} of size {_listed(everything - found)} (left out of its averages)"
        for problem, found in sizes.items()
        if everything - found
    ]


def _empty_cells(trials: pl.DataFrame, table: pl.DataFrame) -> list[str]:
    """Note problems and sizes that a model's averages leave out, for want of a complete tuple (Q8)."""
    complete = _sizes(table)
    return [
        f"no complete tuple of {problem} of size {_listed(missing)} (left out of the averages)"
        for problem, found in _sizes(trials).items()
        if (missing := found - complete.get(problem, set()))
    ]


def _sizes(frame: pl.DataFrame) -> dict[str, set[int]]:
    """Collect the sizes of every problem."""
    sizes: dict[str, set[int]] = {}
    for problem, size in frame.select("problem", "size").unique().sort("size").iter_rows():
        sizes.setdefault(problem, set()).add(size)
    return {problem: sizes[problem] for problem in in_order(sizes, PROBLEMS)}


def _listed(sizes: set[int]) -> str:
    return ", ".join(str(size) for size in sorted(sizes))


_TEXTS: Final = ("id", "tuple_id", "problem", "skin", "gold", "corrected", "resp", "twin")
_NUMBERS: Final = ("size", "depth", "expected_len")
_EXPECTED: Final = "an exported run of worldsense"


def analyse_exported(folder: Path, runs: Sequence[Partition]) -> Analysis:
    """Analyse runs as :func:`analyse` does recorded results.

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
    forms: list[pl.DataFrame] = []
    coverage: list[Mapping[str, Json]] = []
    for run, about, model in zip(runs, abouts, model_names(runs), strict=True):
        prompting = str(about.get("method", ""))
        # Runs that an earlier version exported have no forms.
        own = [FORM] if FORM in run.columns else []
        answers = run.scan(*_TEXTS, *_NUMBERS, *own, expected=_EXPECTED)
        counted = _checked(answers, run)
        known = [column for column in ("corrected", "twin") if not counted[column]]
        named = answers.drop(known).rename({"id": "key"})
        frame = named.with_columns(model=pl.lit(model), prompting=pl.lit(prompting))
        tables.append(cell_means(frame))
        forms.append(form_means(frame))
        failed = sum(row.get("failed", 0) for row in about.get("coverage", ()))
        rows = counted["answered"]
        whole = {
            "asked": rows + failed,
            "answered": rows,
            "valid": counted["valid"],
            "tuples": counted["tuples"],
        }
        coverage.append({"model": model, "prompting": prompting, **whole})
    measured = Results(
        by_method(pl.concat(tables), pl.concat(forms)),
        coverage,
        [str(note) for about in abouts for note in about.get("notes", ())],
        warnings=[str(warning) for about in abouts for warning in about.get("warnings", ())],
    ).finished(WORDS)
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
