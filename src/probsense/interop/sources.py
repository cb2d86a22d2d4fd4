"""Reads what users name to be compared: runs, stores, files and folders of results."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias

from probsense.analysis.comparison.scores import Scores, ScoresReader
from probsense.core import registry
from probsense.core.errors import InputError
from probsense.core.files import open_bytes
from probsense.core.files.sqlite import HEADER
from probsense.core.names import is_id
from probsense.core.options import Option, check_options, declared
from probsense.interop.choices import PEOPLE, ChoicesReader
from probsense.results.comparisons import run_scores
from probsense.runs.find import find_runs, is_name
from probsense.runs.run import Run
from probsense.tasks.registry import tasks_with

Source: TypeAlias = "Run | Scores | Path | str"

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
    check_options("comparison", reader_options(), options)
    return [
        make(**{key: value for key, value in options.items() if key in declared(make)})
        for make in reader_types().values()
    ]


def reader_options() -> dict[str, Option]:
    """Read the options that all readers declare together."""
    return {name: one for make in reader_types().values() for name, one in declared(make).items()}


def read_sources(
    sources: Sequence[Source],
    store: Path | str | Sequence[Path | str],
    task: str | None = None,
    options: Mapping[str, Any] | None = None,
) -> tuple[list[Scores], list[str]]:
    """Read what users name; a store or a test set may have results of several models.

    Parameters
    ----------
    sources : sequence of Run, Scores, Path or str
        A file or folder is recognised by its content, and read by the first reader that does; if there is none, a word
        is the name of runs, or the beginning of a run's id.
    store : Path or str, or sequence of them
        Stores to find runs in by their names and ids.
    task : str, optional
        Take the runs of this task only.
    options : Mapping, optional
        Those of the readers.

    Returns
    -------
    list of Scores
    list of str
        Reasons why runs of a store are left out.

    Raises
    ------
    InputError
        For anything else, and an option that no reader declares.
    """
    stores = [Path(one) for one in ([store] if isinstance(store, Path | str) else store)]
    readers = make_readers(options or {})
    found: list[Scores] = []
    left_out: list[str] = []
    for source in sources:
        match source:
            case Scores():
                found.append(source)
            case Run():
                found.append(run_scores(source))
            case _ if reader := _reader(source, stores, readers):
                found += reader.read(Path(source))
            case _:
                runs, notes = find_runs([str(source)], stores, task)
                found += map(run_scores, runs)
                left_out += notes
    return found, left_out


def _reader(
    source: Path | str, stores: Sequence[Path], readers: Sequence[ScoresReader]
) -> ScoresReader | None:
    """Return the reader of a file or folder; None for a store, and for runs in the stores."""
    path = Path(source)
    kinds = f"a run's name or id, a store, {', '.join(reader.kind for reader in readers)}"
    if not path.exists():
        if is_id(str(source)) or is_name(str(source), stores):
            return None
        raise InputError(f"no such file, and no run's name or id: {str(source)!r}", expected=kinds)
    if path.is_file():
        with open_bytes(path) as stream:
            if stream.read(len(HEADER)) == HEADER:
                return None
    for reader in readers:
        if reader.recognises(path):
            return reader
    what = "a folder without results" if path.is_dir() else "a file of no known results"
    raise InputError(what, path=path, expected=kinds)
