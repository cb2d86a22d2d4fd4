"""Analyses recorded answers: results files beside a test set."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import polars as pl

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
        A test set in the published layout (trials.jsonl.bz2), with its results/.
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
    trials, files = load_trials(folder, cache=cache), results_files(folder)
    audited = corrections(folder, trials, cache=cache) if audit else None
    corrected = None if audited is None else audited.labels
    ceilings = folder_ceilings(folder, trials, cache=cache)
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
    notes += audited.notes if audited else []
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
