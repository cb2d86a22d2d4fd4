"""Which runs a user means: runs themselves, or what commands call them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

from probsense.core.errors import InputError
from probsense.runs.run import Run
from probsense.runs.store.find import find_runs, told_apart

Given: TypeAlias = "Run | Path | str | Sequence[Run | Path | str]"
"""A run, the name of runs or the beginning of a run's id, a store for all its runs, or several of these."""


def given_runs(source: Given, store: Path | str) -> tuple[list[Run], list[str]]:
    """Find the runs that are meant, named so that they can be told apart.

    Parameters
    ----------
    source : Run, Path, str, or a sequence of these
    store : Path or str
        Where runs are found by their names and ids.

    Returns
    -------
    list of Run
        Each run once.
    list of str
        Reasons why runs of a whole store are left out.

    Raises
    ------
    InputError
        For a name that is none, and if there is no run.
    ProbSenseError
        If a run that is named lacks answers.
    """
    found: dict[str, Run] = {}
    left_out: list[str] = []
    for one in [source] if isinstance(source, Run | Path | str) else source:
        if isinstance(one, Run):
            found.setdefault(one.id, one)
        else:
            runs, without = find_runs([str(one)], [Path(store)])
            left_out += without
            for run in runs:
                found.setdefault(run.id, run)
    if not found:
        raise InputError("no runs", expected="at least one")
    return told_apart([*found.values()]), left_out
