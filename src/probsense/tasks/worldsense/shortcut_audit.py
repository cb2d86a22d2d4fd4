"""Reads a set, and finds what can be had in it without building the order."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from probsense.tasks.worldsense.parse import folder_grammars, parse_text
from probsense.tasks.worldsense.question import Grammar, ParseFailure
from probsense.tasks.worldsense.shortcuts import Asked, ShortcutAudit, shortcuts
from probsense.tasks.worldsense.trials import read_trials


def audit_shortcuts(folder: Path) -> ShortcutAudit:
    """Find the shortcuts of a test-set folder in the published layout.

    Raises
    ------
    InputError
        As from :func:`read_trials`.
    """
    trials = read_trials(folder, text=True)
    asked = whole_tuples(
        list(trials.select("problem", "size", "tuple_id", "gold", "text").iter_rows()),
        folder_grammars(folder),
    )
    return ShortcutAudit(trials.height, len(asked), tuple(shortcuts(asked)))


def whole_tuples(
    rows: Sequence[tuple[str, int, str, str, str]], grammars: Sequence[Grammar] | None = None
) -> list[Asked]:
    """Understand trials from their texts, and keep those of tuples that are understood as a whole.

    Parameters
    ----------
    rows : sequence of tuple
        Problem, size, tuple, gold answer and text of each trial.
    grammars : sequence of Grammar, optional
        As for :func:`parse_text`.
    """
    asked: list[Asked] = []
    lost: set[str] = set()
    for problem, size, tuple_id, gold, text in rows:
        try:
            asked.append(Asked(problem, size, tuple_id, gold, parse_text(text, grammars)))
        except ParseFailure:
            lost.add(tuple_id)
    return [trial for trial in asked if trial.tuple_id not in lost]
