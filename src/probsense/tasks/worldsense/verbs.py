"""What WorldSense does beside a run: it analyses recorded answers, generates sets, and audits gold labels."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from typing import Any, ClassVar, Final

import polars as pl

from probsense.analysis.comparison.scores import Scores
from probsense.core.files import check_folder
from probsense.core.records import Json
from probsense.tasks.base import Analysis
from probsense.tasks.results import Results, notes_on
from probsense.tasks.worldsense.audit import Audit, audit_folder, corrections
from probsense.tasks.worldsense.generate import MATCHED, USUAL_SIZES
from probsense.tasks.worldsense.generate.files import unmatched, write_testset, write_training
from probsense.tasks.worldsense.generate.sets import named_design
from probsense.tasks.worldsense.measures.accuracy import by_method, stratified
from probsense.tasks.worldsense.measures.scores import cell_means, form_means, references, trial_scores
from probsense.tasks.worldsense.measures.shortcuts import (
    ShortcutAudit,
    audit_shortcuts,
    ceiling_notes,
    folder_ceilings,
)
from probsense.tasks.worldsense.questions.format import named_cells
from probsense.tasks.worldsense.questions.results import named_results, results_files, settle_files
from probsense.tasks.worldsense.questions.trials import load_trials, trials_of
from probsense.tasks.worldsense.words import WORDS, figure_notes


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
    tables: list[tuple[pl.DataFrame, pl.DataFrame]] = []
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
        tables.append((table, form_means(frame)))
        coverage.append(settled.coverage)
        lacking = named_cells(cells - {*table.select("problem", "size").iter_rows()})
        empty = [f"no complete tuple of {left_out} (left out of the averages)" for left_out in lacking]
        notes += notes_on(f"{prompting}, {model}", settled.notes + empty)
        warnings += notes_on(f"{prompting}, {model}", settled.warnings)
    found = by_method(*map(pl.concat, zip(*tables, strict=True)))
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
        folder = next(filter(trials_of, path.absolute().parents), path.parent)
    ceilings, found = folder_ceilings(folder), []
    for file, settled in settle_files(load_trials(folder), files):
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


@dataclass(frozen=True, slots=True)
class Generated:
    """The outcome of a generation.

    Attributes
    ----------
    trials : int
    folder : str
        Holds them.
    unmatched : tuple of str
        Where counting helps in spite of the matched regime, and what is counted.
    remarks : tuple of str
        Words in the user's own skins that could not be checked.
    """

    trials: int
    folder: str
    unmatched: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()

    def __str__(self) -> str:
        lines = [f"{self.trials:,} trials, every gold label checked by the solver, are in {self.folder}"]
        if self.unmatched:
            lines.append("siblings cannot be matched, and counting helps, in:")
        lines += [f"  {row}" for row in self.unmatched]
        return "\n".join([*lines, *self.remarks])

    def to_json(self) -> dict[str, Any]:
        """Return what ``probsense generate --json`` prints."""
        return {"schema": 1, **asdict(self)}


def generate(
    folder: Path,
    *,
    seed: int = 0,
    sizes: Sequence[int] = USUAL_SIZES,
    problems: Sequence[str] = ("standard",),
    tuples: int = 1,
    skins: str | None = None,
    training: bool = False,
    regime: str = MATCHED,
    depths: Sequence[int] = (),
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Generated:
    """Generate questions whose gold labels have all passed the solver, in the published file format.

    Parameters
    ----------
    folder : Path
        Where to write; made if missing.
    seed : int
        Seed of every draw; the same seed gives identical bytes.
    sizes : sequence of int
        Numbers of entities, 3 to 12; by default 4 to 6. With three, counting answers the normal problems.
    problems : sequence of str
        Names such as Infer.normal, or standard (six), or all (with extrema and parallel); in training sets, both have
        Infer.ordered, too.
    tuples : int
        Tuples a cell (problem x size x skin x wording x complexity).
    skins : str, optional
        Skins to tell the questions in: test, many (about a hundred), train, parallel or a YAML file; by default test,
        or train for training.
    training : bool
        Write a training set (training.jsonl.bz2).
    regime : str
        How normal problems are drawn: matched, so that counting how often things are named, win and lose does not
        answer them; or published, as in the published sets.
    depths : sequence of int
        Depths of inference of the normal problems, each a cell of its own: the least number of told facts from which
        the answer follows; by default whatever is drawn.
    progress : callable
        Called with the number of trials written and the number of all.
    """
    check_folder(folder)
    skins = skins or ("train" if training else "test")
    fresh: dict[str, Any] = {"sizes": sizes, "tuples": tuples, "regime": regime, "depths": depths}
    design, remarks = named_design(problems, skins, training=training, seed=seed, **fresh)
    write = write_training if training else write_testset
    written = write(folder, design, progress)
    return Generated(written, str(folder), unmatched(design), remarks)


def audit(folder: Path, *, shortcuts: bool = False) -> Audit | ShortcutAudit:
    """Recompute every gold label from the question's text alone, by all worlds that fit it.

    Parameters
    ----------
    folder : Path
        A test set in the published format.
    shortcuts : bool
        Show instead what responders that only count reach, for each problem and size.
    """
    return audit_shortcuts(folder) if shortcuts else audit_folder(folder)


VERBS: Final[Mapping[str, Callable[..., object]]] = {"generate": generate, "audit": audit}
"""Commands by their names."""
