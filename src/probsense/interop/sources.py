"""What users name to be compared: runs, stores, files and folders of results."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from probsense.comparison.scores import Scores
from probsense.errors import InputError
from probsense.files import open_bytes, read_jsonl
from probsense.interop.lm_eval import START, read_lm_eval
from probsense.interop.probsem import read_probsem
from probsense.interop.runs import run_scores
from probsense.interop.worldsense import is_testset, read_worldsense
from probsense.run.database import HEADER
from probsense.run.stored import find_runs

KINDS = "a run's id, a store, WorldSense results, samples of lm-evaluation-harness, or the CSV file of a ProbSem run"
_ID = re.compile(r"[0-9a-f]{1,32}")


def read_source(source: Path | str, *, stores: Sequence[Path], tests: Path) -> tuple[list[Scores], list[str]]:
    """Read what one word of the command line names; a store and a test set may have the results of several models.

    Parameters
    ----------
    source : Path or str
        A file or folder, told by what it holds; where there is none, the beginning of the id of a run.
    stores : sequence of Path
        Where runs are found by their ids.
    tests : Path
        Where the tests of ProbSem's results are.

    Returns
    -------
    list of Scores
    list of str
        Why runs of a store are left out.

    Raises
    ------
    InputError
        For anything else.
    """
    path = Path(source)
    if path.is_dir():
        if is_testset(path):
            return read_worldsense(path), []
        if any(path.glob(f"{START}*.jsonl")):
            return [read_lm_eval(path)], []
        raise InputError("a folder without results", path=path, expected=KINDS)
    if path.is_file():
        return _read_runs(path, ()) if _is_store(path) else (_from_file(path, tests), [])
    if _ID.fullmatch(str(source)):
        return _read_runs(source, stores)
    raise InputError(f"no such file, and no run's id: {str(source)!r}", expected=KINDS)


def _is_store(path: Path) -> bool:
    with open_bytes(path) as stream:
        return stream.read(len(HEADER)) == HEADER


def _read_runs(name: Path | str, stores: Sequence[Path]) -> tuple[list[Scores], list[str]]:
    runs, left_out = find_runs([str(name)], stores)
    return [run_scores(run) for run in runs], left_out


def _from_file(path: Path, tests: Path) -> list[Scores]:
    if path.suffix == ".csv":
        return [read_probsem(path, tests)]
    _, first = next(read_jsonl(path), (0, {}))
    return [read_lm_eval(path)] if "doc_id" in first or path.name.startswith(START) else read_worldsense(path)
