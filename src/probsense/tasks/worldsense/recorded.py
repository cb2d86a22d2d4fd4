"""Reads recorded answers, which stand beside a test set: for an analysis, and for comparisons trial by trial."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import ClassVar

import polars as pl

from probsense.analysis.comparison.scores import Scores
from probsense.core.errors import InputError
from probsense.core.records import Json
from probsense.tasks.base import Analysis
from probsense.tasks.results import Results, notes_on
from probsense.tasks.worldsense.audit import corrections
from probsense.tasks.worldsense.measures.accuracy import by_method, stratified
from probsense.tasks.worldsense.measures.scores import cell_means, form_means, references, trial_scores
from probsense.tasks.worldsense.measures.shortcuts import folder_ceilings
from probsense.tasks.worldsense.questions.format import TRIALS_FILES, named_cells
from probsense.tasks.worldsense.questions.results import named_results, results_files, settle_files
from probsense.tasks.worldsense.questions.trials import load_trials, trials_of
from probsense.tasks.worldsense.words import WORDS, ceiling_notes, figure_notes


def analyse(data: Path, *, audit: bool = True) -> Analysis:
    """Analyse the recorded answers of a test-set folder.

    Parameters
    ----------
    data : Path
        A test set in the published layout (trials.jsonl.bz2), with its results/.
    audit : bool
        Whether to recompute the gold labels, too (method "corrected").

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
    trials, files = load_trials(folder), results_files(folder)
    audited = corrections(folder) if audit else None
    ceilings = folder_ceilings(folder)
    coverage: list[Mapping[str, Json]] = []
    tables: list[pl.DataFrame] = []
    forms: list[pl.DataFrame] = []
    cells = {*trials.select("problem", "size").unique().iter_rows()}
    lacking = named_cells({*product(trials["problem"].unique(), trials["size"].unique())} - cells)
    notes = [f"the test set has no {left_out} (left out of its averages)" for left_out in lacking]
    warnings: list[str] = []
    for (_, prompting, model), settled in settle_files(trials, files):
        frame = settled.frame
        if audited:
            right = pl.col("key").replace_strict(audited.labels, default=None, return_dtype=pl.String)
            frame = frame.with_columns(corrected=right)
        table = cell_means(frame, ceilings)
        tables.append(table)
        forms.append(form_means(frame))
        coverage.append(settled.coverage)
        lacking = named_cells(cells - {*table.select("problem", "size").iter_rows()})
        empty = [f"no complete tuple of {left_out} (left out of the averages)" for left_out in lacking]
        notes += notes_on(f"{prompting}, {model}", settled.notes + empty)
        warnings += notes_on(f"{prompting}, {model}", settled.warnings)
    found = by_method(pl.concat(tables), pl.concat(forms))
    notes += audited.notes if audited else []
    notes += [*ceiling_notes(ceilings, cells), *figure_notes(found)]
    name = folder.resolve().name
    facts: dict[str, Json] = {
        "data": name,
        "trials": trials.height,
        "tuples": trials["tuple_id"].n_unique(),
        "results": [file.path.relative_to(folder).as_posix() for file in files],
        "corrected": len(audited.labels) if audited else None,
    }
    measured = Results(found, coverage, notes, warnings=warnings).finished(WORDS)
    return Analysis("worldsense", f"WorldSense: {name}", facts, measured, WORDS)


def read_scores(path: Path) -> list[Scores]:
    """Read published results: one file, or all those of a test set.

    Parameters
    ----------
    path : Path
        ``PROMPTING___MODEL___results.jsonl``, in a test-set folder's ``results`` or in a folder below it; or the folder
        of the test set. Several files of one model and prompting are one.

    Raises
    ------
    InputError
        For a file that is beside no test set, and for whatever :mod:`probsense.tasks.worldsense` refuses.
    """
    if path.is_dir():
        folder, files = path, results_files(path)
    else:
        files = [named_results(path)]
        folder = next((parent for parent in path.absolute().parents if trials_of(parent)), path)
        if folder == path:
            raise InputError(
                "no test set above this file",
                path=path,
                expected=f"a folder with {' or '.join(TRIALS_FILES)}",
            )
    ceilings, found = folder_ceilings(folder), []
    for file, settled in sorted(settle_files(load_trials(folder), files), key=lambda one: one[0].path):
        items, scores, *_ = trial_scores(settled.frame)
        figures = stratified(cell_means(settled.frame, ceilings))
        notes = (*settled.warnings, *settled.notes)
        who = (file.model, file.prompting, str(file.path), "worldsense")
        found.append(Scores(*who, items, scores, notes, references(figures)))
    return found


class ResultsReader:
    """Reads published results: a file beside its test set, or the test set's folder for all of them."""

    kind: ClassVar[str] = "WorldSense results (PROMPTING___MODEL___results.jsonl)"

    def recognises(self, path: Path) -> bool:
        """Whether a path is a test set or a file of results."""
        return bool(trials_of(path)) if path.is_dir() else path.name.endswith("results.jsonl")

    read = staticmethod(read_scores)
