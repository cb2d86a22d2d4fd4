"""Finds the items on which two models differ most."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from probsense.analysis.comparison.aligned import Aligned, Floats
from probsense.core.records import Json


@dataclass(frozen=True, slots=True)
class Change:
    """Hold one item with the answers and scores of two models.

    Attributes
    ----------
    measure, model, versus : str
    item : str
    part, gold, text : str or None
        As in :data:`~probsense.analysis.comparison.scores.ITEMS`.
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
    second = np.zeros_like(apart) if further is None else np.nan_to_num(np.abs(further[i] - further[k]))
    order = _largest(apart, second, limit)
    known = aligned.items.select("item", "part", "gold", "text")
    if aligned.texts is not None:
        chosen = known["item"].gather(order)
        texts = aligned.texts.filter(pl.col("item").is_in(chosen.implode())).collect(engine="streaming")
        known = known.drop("text").with_row_index().filter(pl.col("index").is_in(order))
        known = known.join(texts, on="item", how="left")
        rows = {row.pop("index"): row for row in known.to_dicts()}
    else:
        rows = {place: known.row(place, named=True) for place in order.tolist()}
    return [
        Change(
            aligned.measure,
            aligned.models[i],
            aligned.models[k],
            labels=(aligned.labels[i][place], aligned.labels[k][place]),
            scores=(float(aligned.values[i, place]), float(aligned.values[k, place])),
            **rows[place],
        )
        for place in order.tolist()
        if apart[place] > 0
    ]


def _largest(values: Floats, further: Floats, limit: int) -> NDArray[np.int64]:
    """Find the places of the largest values, the largest first; equal ones by the further values, then in order.

    Sorting ten million values by two keys would take longer than all else in a comparison, so only those are sorted
    that can be among the largest.
    """
    places = np.arange(len(values))
    if not 0 < limit < len(places):
        return np.lexsort((-further, -values))[:limit]
    least = np.partition(values, -limit)[-limit]
    above, tied = places[values > least], places[values == least]
    left = limit - len(above)
    edge = np.partition(further[tied], -left)[-left]
    tied = np.concatenate([tied[further[tied] > edge], tied[further[tied] == edge][:left]])
    chosen = np.sort(np.concatenate([above, tied]))
    return chosen[np.lexsort((-further[chosen], -values[chosen]))][:limit]
