"""Shortcut ceilings of the cells of a set: what counting reaches in each problem of each size.

A ceiling of few tuples says nothing, since the best of several responders is taken. A set that is read gives those of
its cells that hold :data:`ENOUGH` tuples, and keeps them for the next time. Those of fresh sets come with the package
(``training/questions/ceilings.py`` measures them): who counts sees neither seed nor skin.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Final, TypeAlias

import polars as pl

from probsense.core.records import Json
from probsense.tasks.worldsense.generate.design import Design
from probsense.tasks.worldsense.measures.shortcuts import (
    FOLDS,
    TABLES,
    Asked,
    Score,
    Shortcut,
    shortcuts,
)
from probsense.tasks.worldsense.questions.format import named_cells
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
"""This number rises whenever responders may reach something else in the same set."""

ENOUGH: Final = 100
"""Tuples of a problem and size that a ceiling needs."""


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
    asked = _understood(folder)
    return ShortcutAudit(load_trials(folder).height, len(asked), tuple(shortcuts(asked)))


def _understood(folder: Path) -> list[Asked]:
    """Understand the trials of a folder that are in whole tuples."""
    trials, reader = load_trials(folder), folder_reader(folder)
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


def folder_ceilings(folder: Path) -> Ceilings:
    """Find the ceilings of a test-set folder in the published layout, for cells with enough tuples."""

    def compute() -> pl.DataFrame:
        rows = [(cell.problem, cell.size, *cell.ceiling) for cell in shortcuts(_understood(folder))]
        return pl.DataFrame(rows, schema=["problem", "size", *Score._fields], orient="row")

    return _ceilings(frame_of_folder(folder, f"worldsense-ceilings-{VERSION}", compute))


def design_ceilings(design: Design) -> Ceilings:
    """Look up the ceilings of fresh sets of any seed and skins; of chosen depths, none is known."""
    known = pl.read_csv(files(__package__).joinpath("ceilings.csv").read_bytes())
    return {} if design.depths else _ceilings(known.filter(regime=design.regime).drop("regime"))


def ceiling_notes(ceilings: Ceilings, asked: Iterable[tuple[str, int]]) -> list[str]:
    """Note the problems and sizes whose shortcut ceiling is unknown; averages over them have none."""
    wanted, known = {*asked}, {*ceilings}
    if wanted <= known:
        return []
    of = f" of {'; '.join(named_cells(wanted - known))}" if wanted & known else ""
    what = f"no shortcut ceiling is known{of}"
    return [f"{what}: it takes {ENOUGH} tuples of a problem and size whose texts are understood"]


def _ceilings(frame: pl.DataFrame) -> Ceilings:
    return {
        (problem, size): Score(value, stderr, tuples)
        for problem, size, value, stderr, tuples in frame.iter_rows()
        if tuples >= ENOUGH
    }
