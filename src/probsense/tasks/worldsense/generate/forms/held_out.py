"""Writes a training set, and beside it a test set of the forms that were held out of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from probsense.tasks.worldsense.generate.design import Design
from probsense.tasks.worldsense.generate.files import (
    manifest,
    refuse_existing,
    write_lessons,
    write_manifest,
    write_trials,
)
from probsense.tasks.worldsense.generate.forms.varied import VARIED
from probsense.tasks.worldsense.generate.generator import DrawnTuple, variant_form
from probsense.tasks.worldsense.questions.format import (
    PROBLEMS,
    SKINS_FILE,
    TRAINING_FILE,
    TRIALS_FILE,
    in_order,
)


class Drawn:
    """The forms of the tuples that were drawn, by problem and size."""

    def __init__(self) -> None:
        self.cells: dict[tuple[str, int], set[str]] = defaultdict(set)

    def note(self, drawn: DrawnTuple) -> None:
        """Add the forms of a tuple."""
        cell = drawn.cell
        self.cells[cell.problem, cell.size].update(variant_form(cell, variant) for variant in drawn.variants)

    def all(self) -> set[str]:
        """Return the forms of all problems and sizes."""
        return set().union(*self.cells.values())


class Written(NamedTuple):
    """How many questions for training were written, and how many trials of held-out forms."""

    trials: int
    held_out: int


def held_out_design(lessons: Design) -> Design:
    """Design the test set of what is held out of a training set: of the problems that have forms to hold out."""
    assert lessons.split is not None
    own = tuple(name for name in lessons.problems if name in VARIED)
    return replace(lessons, problems=own or lessons.problems, split=lessons.split._replace(held_out=True))


def write_both(
    folder: Path, lessons: Design, exam: Design, progress: Callable[[int], None] = lambda n: None
) -> Written:
    """Write a training set and a test set without a form in common, and a manifest of both.

    Parameters
    ----------
    folder : Path
        Made if missing; sets that are there already are an error.
    lessons, exam : Design
        Of the training set, and that of :func:`held_out_design`.
    progress : callable
        Called with the number of questions written since the last call.
    """
    refuse_existing(folder)
    taught, asked = Drawn(), Drawn()
    written = Written(
        write_lessons(folder, lessons, progress, taught.note),
        write_trials(folder, exam, progress, asked.note),
    )
    shared = taught.all() & asked.all()
    if shared:
        raise RuntimeError(f"{len(shared)} forms are in both sets, such as {min(shared)}")
    held: dict[str, Any] = {
        "trials": written.held_out,
        "problems": exam.problems,
        "shared": len(shared),
        "forms": _counted(taught, asked),
    }
    files: Sequence[str] = (TRAINING_FILE, TRIALS_FILE, SKINS_FILE)
    write_manifest(folder, {**manifest(lessons), "held_out": held}, files)
    return written


def _counted(taught: Drawn, asked: Drawn) -> list[dict[str, Any]]:
    """Count the forms of each problem and size on both sides, with a digest of their names."""
    cells = taught.cells.keys() | asked.cells.keys()
    order = in_order((problem for problem, _ in cells), PROBLEMS)
    rows = []
    for problem, size in sorted(cells, key=lambda cell: (order.index(cell[0]), cell[1])):
        row: dict[str, Any] = {"problem": problem, "size": size}
        for name, side in (("training", taught), ("held_out", asked)):
            forms = sorted(side.cells.get((problem, size), ()))
            if forms:
                digest = sha256("\n".join(forms).encode()).hexdigest()
                row[name] = {"forms": len(forms), "sha256": digest}
        rows.append(row)
    return rows
