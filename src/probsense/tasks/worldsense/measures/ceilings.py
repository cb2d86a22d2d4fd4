"""Shortcut ceilings of the cells of a set: what counting reaches in each problem of each size.

A ceiling of few tuples says nothing, since the best of several responders is taken. A set that is read gives those of
its cells that hold :data:`ENOUGH` tuples. For a fresh set, other tuples of the same design are drawn, as many as it
takes. Both are kept for the next time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.metadata import version
from operator import itemgetter
from pathlib import Path
from typing import Final, TypeAlias

import polars as pl

from probsense.core.errors import InputError
from probsense.core.files.cache import kept_frame
from probsense.core.records import Json, canonical_json, digest
from probsense.tasks.worldsense.generate.design import Design, cells
from probsense.tasks.worldsense.generate.generator import generate
from probsense.tasks.worldsense.measures.shortcuts import (
    FOLDS,
    TABLES,
    Asked,
    Score,
    Shortcut,
    shortcuts,
)
from probsense.tasks.worldsense.questions.format import GOLDS, named_cells
from probsense.tasks.worldsense.questions.trials import (
    folder_reader,
    frame_of_folder,
    load_trials,
    names_by_skin,
)
from probsense.tasks.worldsense.text.logic import ParseFailure
from probsense.tasks.worldsense.text.reading import Reader

Ceilings: TypeAlias = Mapping[tuple[str, int], Score]
"""The shortcut ceiling of each problem and size for which it is known."""

VERSION: Final = 2
"""This number rises whenever responders may reach something else in the same set, or a design draws other tuples."""

ENOUGH: Final = 100
"""Tuples of a problem and size that a ceiling needs."""

DRAWN: Final = 1000
"""Tuples of a problem and size that are drawn for the ceiling of a fresh set, at least."""

_SEED: Final = 2**62
"""Seeds these tuples; hardly anybody asks a set of this seed."""

_CELL: Final = itemgetter("problemname", "problemsize", "tuple_ID")


@dataclass(frozen=True, slots=True)
class ShortcutAudit:
    """The shortcuts of a set.

    Attributes
    ----------
    trials, parsed : int
        Numbers of all trials, and of those in tuples whose texts the parser all understood.
    cells : tuple of Shortcut
    """

    trials: int
    parsed: int
    cells: tuple[Shortcut, ...]

    def to_json(self) -> dict[str, Json]:
        """Return the document that ``probsense audit --shortcuts --json`` prints."""
        cells: Json = [cell.to_json() for cell in self.cells]
        return {"schema": 1, "trials": self.trials, "parsed": self.parsed, "folds": FOLDS, "cells": cells}

    def __str__(self) -> str:
        head = ["problem", "size", *TABLES, "ceiling"]
        rows = [
            [
                cell.problem,
                str(cell.size),
                *(f"{cell.reached[name].value:.3f}" for name in TABLES),
                f"{cell.ceiling.value:.3f} ± {cell.ceiling.stderr:.3f}",
            ]
            for cell in self.cells
        ]
        widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
        lines = [
            f"{self.trials:,} trials, {self.parsed:,} in tuples that are understood. Accuracy of responders that build "
            f"no order (tables by cross-validation in {FOLDS} folds of tuples; ± one standard error):",
            "",
            *("  ".join(map(str.ljust, row, widths)).rstrip() for row in (head, *rows)),
        ]
        return "\n".join(lines)


def audit_shortcuts(folder: Path) -> ShortcutAudit:
    """Find the shortcuts of a test-set folder in the published layout.

    Raises
    ------
    InputError
        As from :func:`read_trials`.
    """
    trials = load_trials(folder)
    asked = _understood(folder, trials)
    return ShortcutAudit(trials.height, len(asked), tuple(shortcuts(asked)))


def _understood(folder: Path, trials: pl.DataFrame) -> list[Asked]:
    """Understand the trials of a folder that are in whole tuples."""
    reader = folder_reader(folder)
    names = names_by_skin(trials, reader.skins)
    columns = ("problem", "size", "tuple_id", "gold", "text", "skin")
    return whole_tuples(((*row, names[skin]) for *row, skin in trials.select(columns).iter_rows()), reader)


def whole_tuples(
    rows: Iterable[tuple[str, int, str, str, str, Sequence[str]]], reader: Reader
) -> list[Asked]:
    """Understand trials from their texts, and keep those of tuples that are understood as a whole.

    Parameters
    ----------
    rows : iterable of tuple
        Problem, size, tuple, gold answer, text and names of each trial.
    reader : Reader
    """
    asked: list[Asked] = []
    lost: set[str] = set()
    for problem, size, tuple_id, gold, text, names in rows:
        try:
            asked.append(Asked(problem, size, tuple_id, gold, reader.read(text, names)))
        except ParseFailure:
            lost.add(tuple_id)
    return [trial for trial in asked if trial.tuple_id not in lost]


def folder_ceilings(folder: Path, trials: pl.DataFrame) -> Ceilings:
    """Find the ceilings of a test-set folder in the published layout, for cells with enough tuples.

    Parameters
    ----------
    folder : Path
    trials : DataFrame
        Its trials.
    """

    def compute() -> pl.DataFrame:
        return _frame(shortcuts(_understood(folder, trials)))

    return _ceilings(frame_of_folder(folder, f"worldsense-ceilings-{VERSION}", compute))


def design_ceilings(design: Design, asked: Iterable[tuple[str, int]]) -> Ceilings:
    """Find the ceilings of a fresh set from other tuples of its design, in the same skins.

    Parameters
    ----------
    design : Design
    asked : iterable of (str, int)
        The problems and sizes that are wanted.

    Returns
    -------
    mapping
        Without cells that have too few different tuples to draw.
    """
    found: dict[tuple[str, int], Score] = {}
    for problem, size in asked:
        one = replace(design, seed=_SEED, problems=(problem,), sizes=(size,), tuples=1)
        with suppress(InputError):
            found |= _drawn(replace(one, tuples=-(-DRAWN // len(cells(one)))))
    return found


def ceiling_notes(ceilings: Ceilings, asked: Iterable[tuple[str, int]]) -> list[str]:
    """Note the problems and sizes whose shortcut ceiling is unknown; averages over them have none."""
    wanted, known = {*asked}, {*ceilings}
    if wanted <= known:
        return []
    of = f" of {'; '.join(named_cells(wanted - known))}" if wanted & known else ""
    what = f"no shortcut ceiling is known{of}"
    return [f"{what}: it takes {ENOUGH} tuples of a problem and size whose texts are understood"]


@lru_cache(maxsize=1000)
def _drawn(design: Design) -> Ceilings:
    """Find the ceiling of tuples of a design, or recall it; runs of many models have the same few."""
    stamp = canonical_json([VERSION, version("probsense"), repr(design)])

    def compute() -> pl.DataFrame:
        rows = (
            (*_CELL(record), GOLDS[record["goldresp_obfusc"]], record["text"], ())
            for records in generate(design)
            for record in records
        )
        return _frame(shortcuts(whole_tuples(rows, Reader(design.skins))))

    return _ceilings(kept_frame(f"worldsense-ceilings-{digest(stamp)}", stamp, compute))


def _frame(found: Sequence[Shortcut]) -> pl.DataFrame:
    rows = [(cell.problem, cell.size, *cell.ceiling) for cell in found]
    return pl.DataFrame(rows, schema=["problem", "size", *Score._fields], orient="row")


def _ceilings(frame: pl.DataFrame) -> Ceilings:
    return {
        (problem, size): Score(value, stderr, tuples)
        for problem, size, value, stderr, tuples in frame.iter_rows()
        if tuples >= ENOUGH
    }
