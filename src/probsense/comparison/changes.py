"""Finds the items on which two models differ most."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass

import numpy as np

from probsense.comparison.aligned import Aligned, Floats
from probsense.records import Json


@dataclass(frozen=True, slots=True)
class Change:
    """Hold one item with the answers and scores of two models.

    Attributes
    ----------
    measure, model, versus : str
    item : str
    part, gold, text : str or None
        As in :data:`~probsense.comparison.scores.ITEMS`.
    labels : tuple of str or None
        Answers of both models.
    scores : tuple of float
        Scores of both models.
    """

    measure: str
    model: str
    versus: str
    item: str
    part: str | None
    gold: str | None
    text: str | None
    labels: tuple[str | None, str | None]
    scores: tuple[float, float]

    def to_json(self) -> dict[str, Json]:
        """Return the change as a JSON object."""
        return {**asdict(self), "labels": list(self.labels), "scores": list(self.scores)}


def most_changed(
    aligned: Aligned, i: int, k: int, limit: int, further: Mapping[int, Floats] | None = None
) -> list[Change]:
    """Find the items with the largest differences, the largest first.

    Parameters
    ----------
    aligned : Aligned
    i, k : int
        Indices of two models.
    limit : int
        Largest number of items; items without a difference do not count.
    further : Mapping of int to ndarray, shape (items,), optional
        Numbers that tell equal differences apart, such as the probability of the right answer, by the index of a model.
    """
    apart = np.abs(aligned.values[i] - aligned.values[k])
    second = np.zeros_like(apart) if further is None else np.abs(further[i] - further[k])
    order = np.lexsort((np.arange(len(apart)), -np.nan_to_num(second), -apart))[:limit]
    known = aligned.items.select("item", "part", "gold", "text")
    return [
        Change(
            aligned.measure,
            aligned.models[i],
            aligned.models[k],
            labels=(aligned.labels[i][place], aligned.labels[k][place]),
            scores=(float(aligned.values[i, place]), float(aligned.values[k, place])),
            **known.row(place, named=True),
        )
        for place in order.tolist()
        if apart[place] > 0
    ]
