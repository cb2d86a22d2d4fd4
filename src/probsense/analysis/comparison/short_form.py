"""Finds a short form of a task: the fewest items that keep the ranking of models, and what is lost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from probsense.analysis.comparison.item_response import Floats, ItemFit, abilities, fit_items
from probsense.analysis.inference.correlations import spearman
from probsense.core.records import Json

SUSPECT = 0.5
"""Probability of a negative discrimination above which an item is a candidate for a wrong label."""
SIZES = (5, 10, 15, 20, 30, 50, 75, 100, 150, 200, 300, 500, 750, 1000, 1500, 2000, 3000, 5000, 7500, 10_000)
"""Numbers of items that are tried for a short form."""
LOSS, AGREE = 0.02, 0.7
"""The most that a short form may lose of the rank correlation of all items, which is to be at least so large."""
SPLITS, ANSWERS = 5, 500_000
"""Items are split into halves so often, and less often where there are more answers than these."""


@dataclass(frozen=True, slots=True)
class Loss:
    """Hold what items chosen in one half of a task tell of the other half: means over random halves.

    Attributes
    ----------
    items : int
    rank_correlation : float
        Spearman's, between the shares right on these items and in the other half.
    by_chance : float
        The same of as many items that are drawn at random.
    error : float
        Root of the mean squared difference between the abilities by these items and by the other half, in standard
        deviations between models.
    """

    items: int
    rank_correlation: float
    by_chance: float
    error: float

    def to_json(self) -> dict[str, Json]:
        """Return the loss as a JSON object; null for what is unknown."""
        values = {name: getattr(self, name) for name in ("rank_correlation", "by_chance", "error")}
        return {"items": self.items, **{name: known_or_none(value) for name, value in values.items()}}


@dataclass(frozen=True, eq=False)
class ShortForm:
    """Hold the items that keep the ranking, and what is lost.

    Attributes
    ----------
    ids : list of str
    loss, whole : Loss
        Of so many items chosen in a half, and of that half as a whole.
    tried : list of Loss
        Of every size.
    """

    ids: list[str]
    loss: Loss
    whole: Loss
    tried: list[Loss]

    def to_json(self) -> dict[str, Json]:
        """Return the short form as a JSON object."""
        tried: list[Json] = [one.to_json() for one in self.tried]
        return {
            "ids": list(self.ids), "loss": self.loss.to_json(), "half": self.whole.to_json(), "tried": tried
        }  # fmt: skip


def short_form(
    right: Floats,
    clusters: NDArray[np.int64],
    ids: Sequence[str],
    fit: ItemFit,
    limit: int | None,
    rng: np.random.Generator,
) -> ShortForm | None:
    """Choose the fewest items that keep the ranking, as far as halves of the items tell."""
    items = right.shape[1]
    half = len(np.unique(clusters)) // 2
    sizes = [size for size in SIZES if size <= items // 4] if limit is None else [limit]
    if not sizes or half < 2 or sizes[0] >= items // 2:
        return None
    found: list[list[list[float]]] = []
    for _ in range(max(1, min(SPLITS, ANSWERS // right.size))):
        drawn = np.isin(clusters, rng.permutation(np.unique(clusters))[:half])
        halves = [right[:, drawn], right[:, ~drawn]]
        groups = [clusters[drawn], clusters[~drawn]]
        fits = [fit_items(one, jackknifed=False) for one in halves]
        for own, other in ((0, 1), (1, 0)):
            order = _by_information(fits[own], groups[own])
            chance = rng.permutation(halves[own].shape[1])
            outside, ability = share_right(halves[other]), fits[other].population.ability
            found.append(
                [
                    [
                        spearman(share_right(halves[own][:, order[:size]]), outside).value,
                        spearman(share_right(halves[own][:, chance[:size]]), outside).value,
                        _ability_error(halves[own], fits[own], order[:size], ability),
                    ]
                    for size in (*sizes, len(order))
                ]
            )
    if np.isnan(found).all(axis=0).any():
        return None
    means = np.nanmean(np.array(found), axis=0)
    *tried, whole = (
        Loss(size, *map(float, row)) for size, row in zip((*sizes, items // 2), means, strict=True)
    )
    keeping = [
        one
        for one in tried
        if limit is not None or one.rank_correlation >= max(whole.rank_correlation - LOSS, AGREE)
    ]
    if not keeping:
        return None
    chosen = _by_information(fit, clusters)[: keeping[0].items]
    return ShortForm([ids[place] for place in sorted(chosen.tolist())], keeping[0], whole, tried)


def _by_information(fit: ItemFit, clusters: NDArray[np.int64]) -> NDArray[np.int64]:
    """Order items by their information, those with suspicious labels last; items of a cluster stay together."""
    worth = np.where(fit.negative > SUSPECT, -1.0, fit.information)
    place = np.unique(clusters, return_inverse=True)[1]
    mean = np.bincount(place, worth) / np.bincount(place)
    return np.lexsort((place, -mean[place]))


def share_right(right: Floats) -> Floats:
    """Return the share right of each model; that of a model without answers is unknown."""
    known = ~np.isnan(right)
    number, unknown = known.sum(axis=1), np.full(len(right), np.nan)
    return np.asarray(
        np.divide(np.where(known, right, 0.0).sum(axis=1), number, out=unknown, where=number > 0)
    )


def _ability_error(right: Floats, fit: ItemFit, chosen: NDArray[np.int64], ability: Floats) -> float:
    own = abilities(right[:, chosen], fit.discrimination[chosen], fit.difficulty[chosen])
    return float(np.sqrt(np.mean((own - ability) ** 2)))


def known_or_none(value: float) -> float | None:
    """Return a number, or None for NaN."""
    return None if np.isnan(value) else value
