"""Compares whatever has results on the same items, or analyses these items: ``ps.compare`` and ``ps.items``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from probsense.analysis.comparison.compare import CHANGED, Comparison, compare_scores
from probsense.analysis.comparison.differences import Difference
from probsense.analysis.comparison.items import Items, item_analysis
from probsense.interop.sources import Source, read_sources
from probsense.show.words import Words
from probsense.tasks.registry import words_named


def compare(
    *sources: Source,
    measure: str | Sequence[str] = (),
    intersection: bool = False,
    changed: int = CHANGED,
    seed: int = 0,
    store: Path | str | Sequence[Path | str] = "probsense.db",
    task: str | None = None,
    **options: Any,
) -> Comparison:
    """Compare models on the same items: paired differences with intervals, tests, ranks, and what changed most.

    Parameters
    ----------
    *sources : Run, Path, str or Scores
        A run; the name of runs in ``store``, or the beginning of a run's id; a store, for all its runs; a file or
        folder of results that a task or another program wrote; your own scores.
    measure : str or sequence of str
        The measures to compare; by default, the first that all have.
    intersection : bool
        Compare only the items that all have, if the sets differ.
    changed : int
        How many of the items that changed most to list for each pair of models.
    seed : int
        Seed of the permutation tests.
    store : Path or str, or sequence of them
        Stores to find runs in by their names and ids.
    task : str, optional
        Of stores and names, take the runs of this task only.
    **options
        Options of the readers of results, such as ``input_dir``.

    Returns
    -------
    Comparison

    Raises
    ------
    InputError
        For something that is not a source, different sets of items, or an unknown measure or option.
    """
    read, left_out = read_sources(sources, store, task, options)
    words = words_named(read[0].task if read else "")
    found = compare_scores(
        read,
        sign=words.sign,
        measures=(measure,) if isinstance(measure, str) else measure,
        intersection=intersection,
        changed=changed,
        seed=seed,
    )
    return replace(
        found,
        levels=words.bounded(found.levels),
        differences=_bounded(found.differences, words),
        by_part=_bounded(found.by_part, words),
        notes=[*left_out, *found.notes],
    )


def items(
    *sources: Source,
    measure: str | None = None,
    store: Path | str | Sequence[Path | str] = "probsense.db",
    task: str | None = None,
    **options: Any,
) -> Items:
    """Tell which items tell models apart: those that better models get wrong may have a wrong label.

    Parameters
    ----------
    *sources : Run, Path, str or Scores
        As for :func:`compare`; models need not have answered the same items.
    measure
        As for :func:`~probsense.analysis.comparison.items.item_analysis`.
    store, task, **options
        As for :func:`compare`.

    Returns
    -------
    Items

    Raises
    ------
    InputError
        For something that is not a source, an unknown option, and what ``item_analysis`` refuses.
    """
    read, left_out = read_sources(sources, store, task, options)
    sign = words_named(read[0].task if read else "").sign
    found = item_analysis(read, measure=measure, sign=sign)
    return replace(found, notes=[*left_out, *found.notes])


def _bounded(found: Sequence[Difference], words: Words) -> list[Difference]:
    kept = words.bounded(one.estimate for one in found)
    return [replace(one, estimate=estimate) for one, estimate in zip(found, kept, strict=True)]
