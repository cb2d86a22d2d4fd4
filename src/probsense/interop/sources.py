"""Reads what users name to be compared: runs, stores, files and folders of results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from probsense.analysis.comparison.scores import Scores, ScoresReader
from probsense.core import registry
from probsense.core.errors import InputError
from probsense.core.files import open_bytes
from probsense.core.files.sqlite import HEADER
from probsense.core.names import is_id
from probsense.core.options import check_options, declared
from probsense.interop.choices import PEOPLE, ChoicesReader
from probsense.results.comparisons import run_scores
from probsense.runs.find import find_runs, is_name
from probsense.tasks.registry import tasks_with

GROUP: Final = "probsense.readers"
"""Entry points of the readers of other programs' results; a task brings its own reader along."""


def reader_types() -> dict[str, Callable[..., ScoresReader]]:
    """Find all readers of results by the name of their task or entry point: our own first, people's before all."""
    own: dict[str, Callable[..., ScoresReader]] = {PEOPLE: ChoicesReader}
    own |= {name: task.reads_scores for name, task in tasks_with("reads_scores").items()}
    return own | {name: registry.find(GROUP, "reader", name) for name in registry.entries(GROUP)}


def make_readers(options: Mapping[str, Any]) -> list[ScoresReader]:
    """Make every reader, with the options that it declares.

    Raises
    ------
    InputError
        For an option that no reader declares.
    """
    types = reader_types()
    takes = {name: declared(make) for name, make in types.items()}
    known = {option: found for own in takes.values() for option, found in own.items()}
    check_options("comparison", known, options)
    return [
        make(**{key: value for key, value in options.items() if key in takes[name]})
        for name, make in types.items()
    ]


def read_source(
    source: Path | str, *, stores: Sequence[Path], readers: Sequence[ScoresReader], task: str | None = None
) -> tuple[list[Scores], list[str]]:
    """Read what one word of the command line names; a store or a test set may have results of several models.

    Parameters
    ----------
    source : Path or str
        A file or folder, recognised by its content; if there is none, the name of runs, or the beginning of a run's id.
    stores : sequence of Path
        Stores to find runs in by their names and ids.
    readers : sequence of ScoresReader
        The first one that recognises a file or folder reads it.
    task : str, optional
        Take the runs of this task only.

    Returns
    -------
    list of Scores
    list of str
        Reasons why runs of a store are left out.

    Raises
    ------
    InputError
        For anything else.
    """
    path = Path(source)
    kinds = f"a run's name or id, a store, {', '.join(reader.kind for reader in readers)}"
    if not path.exists():
        if is_id(str(source)) or is_name(str(source), stores):
            return _read_runs(source, stores, task)
        raise InputError(f"no such file, and no run's name or id: {str(source)!r}", expected=kinds)
    if path.is_file() and _is_store(path):
        return _read_runs(path, (), task)
    for reader in readers:
        if reader.recognises(path):
            return [*reader.read(path)], []
    what = "a folder without results" if path.is_dir() else "a file of no known results"
    raise InputError(what, path=path, expected=kinds)


def _is_store(path: Path) -> bool:
    with open_bytes(path) as stream:
        return stream.read(len(HEADER)) == HEADER


def _read_runs(name: Path | str, stores: Sequence[Path], task: str | None) -> tuple[list[Scores], list[str]]:
    runs, left_out = find_runs([str(name)], stores, task)
    return [run_scores(run) for run in runs], left_out
