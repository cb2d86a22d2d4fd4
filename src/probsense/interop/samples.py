"""Turns the samples of another program's own tasks into scores that can be compared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

import polars as pl

from probsense.analysis.comparison.scores import Scores
from probsense.core.errors import InputError


class Sample(NamedTuple):
    """What a program recorded of a sample.

    Attributes
    ----------
    task, id : str
        The sample is an item, and a cluster of its own.
    gold, label, text : str or None
        The right answer, the given one, and the question.
    values : Mapping of str to float or None
        By measure: NaN where a value is missing, and None for a value that is no number.
    """

    task: str
    id: str
    gold: str | None
    label: str | None
    text: str
    values: Mapping[str, float | None]


def sample_scores(
    model: str, task: str, path: Path, samples: Iterable[Sample], kind: str, notes: tuple[str, ...] = ()
) -> Scores:
    """Score samples by the measures whose values all are numbers, as means over the samples of the same id.

    Parameters
    ----------
    model, task : str
    path : Path
    samples : iterable of Sample
    kind : str
        What the program's values have to be, such as "numbers".
    notes : tuple of str
        What to note besides.

    Raises
    ------
    InputError
        If there is no such measure.
    """
    items: dict[str, tuple[str | None, ...]] = {}
    values: dict[str, dict[str, list[float]]] = {}
    odd: dict[str, None] = {}
    for one in samples:
        item = f"{one.task}/{one.id}"
        items.setdefault(item, (item, item, one.task, one.gold, one.label, one.text))
        for measure, value in one.values.items():
            if value is None:
                odd[measure] = None
            elif value == value:
                values.setdefault(measure, {}).setdefault(item, []).append(value)
    compared = {measure: own for measure, own in values.items() if measure not in odd}
    if not compared:
        raise InputError(f"no measure has {kind} alone", path=path, expected=f"values that are {kind}")
    if odd:
        notes = (f"not compared, because not all values are {kind}: {', '.join(odd)}", *notes)
    # JSON can spell text that is not Unicode.
    texts = [[text and text.encode("utf-8", "replace").decode() for text in row] for row in items.values()]
    columns = dict.fromkeys(("item", "cluster", "part", "gold", "label", "text"), pl.String)
    scores = {
        measure: [fmean(own[item]) if item in own else None for item in items]
        for measure, own in compared.items()
    }
    return Scores(
        model,
        task,
        str(path),
        task,
        pl.DataFrame(texts, schema=columns, orient="row"),
        pl.DataFrame(scores, schema=dict.fromkeys(scores, pl.Float64)),
        notes,
    )
