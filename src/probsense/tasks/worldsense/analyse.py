"""Analyses a test-set folder with recorded answers: reads, settles and measures them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import polars as pl

from probsense.core.files.partitions import partitions
from probsense.core.records import Json
from probsense.tasks.base import Analysis, Measured
from probsense.tasks.worldsense import measures
from probsense.tasks.worldsense.cache import cached_frame
from probsense.tasks.worldsense.ceilings import ceiling_notes, folder_ceilings
from probsense.tasks.worldsense.corrections import corrections
from probsense.tasks.worldsense.exported import analyse_exported
from probsense.tasks.worldsense.no_width import no_width_notes
from probsense.tasks.worldsense.order import models_in_order, problems_in_order, promptings_in_order
from probsense.tasks.worldsense.results import ResultsFile, read_results, results_files, settle
from probsense.tasks.worldsense.skins_only import skins_only_notes
from probsense.tasks.worldsense.trials import TRIALS_VERSION, find_trials, read_trials
from probsense.tasks.worldsense.words import WORDS


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
    notes, warnings = _uneven_sizes(trials), list[str]()
    for (prompting, model), paths in _by_owner(files).items():
        settled = settle(trials, pl.concat([read_results(path) for path in paths]), prompting, model)
        table = measures.cells(_with_corrected(settled.frame, corrected), ceilings)
        tables.append(table)
        coverage.append(settled.coverage)
        notes += [f"{prompting}, {model}: {note}" for note in settled.notes + _empty_cells(trials, table)]
        warnings += [f"{prompting}, {model}: {warning}" for warning in settled.warnings]
    notes += audited.notes() if audited else []
    notes += ceiling_notes(ceilings, trials.select("problem", "size").unique().iter_rows())
    found = measures.by_method(pl.concat(tables))
    notes += [*skins_only_notes(found), *no_width_notes(found)]
    name = folder.resolve().name
    facts: dict[str, Json] = {
        "data": name,
        "trials": trials.height,
        "tuples": trials["tuple_id"].n_unique(),
        "results": [file.path.relative_to(folder).as_posix() for file in files],
        "corrected": None if corrected is None else len(corrected),
    }
    measured = Measured(WORDS.bounded(found), coverage, notes, warnings=warnings)
    return Analysis("worldsense", f"WorldSense: {name}", facts, measured, WORDS)


def load_trials(folder: Path, *, cache: bool = True) -> pl.DataFrame:
    """Load the checked trials of a test-set folder, without their texts; the second time from the cache."""
    if not cache:
        return read_trials(folder)
    return cached_frame(
        find_trials(folder), f"worldsense-trials-{TRIALS_VERSION}", lambda: read_trials(folder)
    )


def _by_owner(files: list[ResultsFile]) -> dict[tuple[str, str], list[Path]]:
    """Group the files by (prompting, model), in the order of the tables."""
    owners: dict[tuple[str, str], list[Path]] = {}
    for file in files:
        owners.setdefault((file.prompting, file.model), []).append(file.path)
    promptings = promptings_in_order(file.prompting for file in files)
    models = models_in_order(file.model for file in files)
    order = sorted(owners, key=lambda who: (promptings.index(who[0]), models.index(who[1])))
    return {who: owners[who] for who in order}


def _with_corrected(frame: pl.DataFrame, corrected: Mapping[int, str] | None) -> pl.DataFrame:
    if corrected is None:
        return frame
    right = {"key": list(corrected), "corrected": list(corrected.values())}
    return frame.join(
        pl.DataFrame(right, schema={"key": pl.Int64, "corrected": pl.String}),
        on="key",
        how="left",
        maintain_order="left",
    )


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
    return {problem: sizes[problem] for problem in problems_in_order(sizes)}


def _listed(sizes: set[int]) -> str:
    return ", ".join(str(size) for size in sorted(sizes))
