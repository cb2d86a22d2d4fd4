"""``ps.compare``: whatever has results of the same items, compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

from probsense.comparison.compare import CHANGED, Comparison, compare_scores
from probsense.comparison.scores import Scores
from probsense.interop.runs import run_scores
from probsense.interop.sources import read_source
from probsense.run.evaluate import Run

Source: TypeAlias = "Run | Scores | Path | str"


def compare(
    *sources: Source,
    measure: str | Sequence[str] = (),
    intersection: bool = False,
    changed: int = CHANGED,
    seed: int = 0,
    store: Path | str | Sequence[Path | str] = "probsense.db",
    input_dir: Path | str = "inputs",
) -> Comparison:
    """Compare models on the same items: paired differences with intervals, tests, ranks, and what changed most.

    Parameters
    ----------
    *sources : Run, Path, str or Scores
        A run; the beginning of the id of one in ``store``; a store, for all of its runs; published WorldSense
        results (a file beside its test set, or the test set's folder with all of its results); samples of
        lm-evaluation-harness (a file, or the folder of a model); the CSV file of a ProbSem run; scores of your own.
    measure : str or sequence of str
        By which; the first that all have, unless given.
    intersection : bool
        Compare the items that all have, where they have not all the same.
    changed : int
        How many of the items that changed most are named for every two models.
    seed : int
        Of permutations and bootstrap.
    store : Path or str, or sequence of them
        Where runs are found by their ids.
    input_dir : Path or str
        Where the tests of ProbSem's results are, with the expected answers.

    Returns
    -------
    Comparison

    Raises
    ------
    InputError
        For a source that is none, unlike sets of items, an unknown measure.
    """
    stores = [Path(one) for one in ([store] if isinstance(store, Path | str) else store)]
    read = [_scores(source, stores, Path(input_dir)) for source in sources]
    found = compare_scores(
        [one for scores, _ in read for one in scores],
        measures=(measure,) if isinstance(measure, str) else measure,
        intersection=intersection,
        changed=changed,
        seed=seed,
    )
    return replace(found, notes=[*(note for _, left_out in read for note in left_out), *found.notes])


def _scores(source: Source, stores: Sequence[Path], tests: Path) -> tuple[list[Scores], list[str]]:
    match source:
        case Scores():
            return [source], []
        case Run():
            return [run_scores(source)], []
        case _:
            return read_source(source, stores=stores, tests=tests)
