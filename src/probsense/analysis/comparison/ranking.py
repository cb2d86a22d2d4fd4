"""Ranks several models, with the uncertainty of their ranks, and groups those that cannot be told apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from probsense.analysis.comparison.aligned import Aligned
from probsense.analysis.comparison.differences import Difference
from probsense.analysis.inference.resampling import (
    CELLS,
    DRAWS,
    MANY,
    batches,
    index_times_drawn,
    normal_sums,
)
from probsense.core.records import Json


class Ranking(NamedTuple):
    """Hold the ranks of models, 1 the best, with their intervals; all arrays have the shape (models,)."""

    rank: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]


def rank_models(
    scores: NDArray[np.float64],
    clusters: ArrayLike,
    rng: np.random.Generator,
    *,
    draws: int = DRAWS,
    level: float = 0.95,
) -> Ranking:
    """Rank models by their mean scores, with percentile intervals of the cluster bootstrap.

    Each draw has the same clusters for all models, so clusters that are hard for all models do not blur their order.
    Models with equal means share the mean of their ranks. The sums of more than
    :data:`~probsense.analysis.inference.resampling.MANY` clusters are drawn from their normal limit.

    Parameters
    ----------
    scores : ndarray, shape (models, items)
        Scores; higher is better.
    clusters : array_like, shape (items,)
        Cluster of each item: labels of any kind.
    rng : numpy.random.Generator
    draws : int
    level : float
        Nominal coverage of the intervals.

    Returns
    -------
    Ranking
    """
    _, place = np.unique(np.asarray(clusters), return_inverse=True)
    count = int(place.max()) + 1
    sums = np.stack([np.bincount(place, row) for row in scores], axis=1)
    sizes = np.bincount(place)
    drawn = []
    if count > MANY:
        totals = np.column_stack([sums, sizes]).astype(np.float64)
        found = normal_sums(rng, totals, draws)
        drawn.append(_ranks(found[:, _first_equal(totals[:, :-1])] / found[:, -1:]))
        draws = 0
    for some in batches(draws, count, CELLS):
        times = index_times_drawn(rng, count, some)
        drawn.append(_ranks((times @ sums) / (times @ sizes)[:, None]))
    low, high = np.quantile(np.concatenate(drawn), [(1 - level) / 2, (1 + level) / 2], axis=0)
    return Ranking(_ranks(scores.mean(axis=1)), low, high)


def groups_alike(
    rank: NDArray[np.float64], p: NDArray[np.float64], *, alpha: float = 0.05
) -> list[list[int]]:
    """Find the largest runs of neighbours in a ranking within which no two models differ (Piepho 2004, letter
    displays).

    Parameters
    ----------
    rank : ndarray, shape (models,)
    p : ndarray, shape (models, models)
        Adjusted p-value of each pair.
    alpha : float
        Pairs whose p-value is at most this differ.

    Returns
    -------
    list of list of int
        Indices of models, best first; a model may be in several groups.
    """
    order = np.argsort(rank, kind="stable")
    runs: list[list[int]] = []
    for start in range(len(order)):
        end = start + 1
        while end < len(order) and (p[order[start:end], order[end]] > alpha).all():
            end += 1
        run = order[start:end].tolist()
        if not runs or not set(run) <= set(runs[-1]):
            runs.append(run)
    return runs


def _first_equal(columns: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return for each column the first one that equals it, so that equal models stay equal in every draw."""
    rows = columns.T
    return np.array([next(i for i, one in enumerate(rows) if np.array_equal(one, row)) for row in rows])


def _ranks(means: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rank along the last axis, 1 for the largest; equal values share the mean of their ranks."""
    above = (means[..., None, :] > means[..., :, None]).sum(axis=-1)
    equal = (means[..., None, :] == means[..., :, None]).sum(axis=-1)
    return np.asarray(above + (equal + 1) / 2)


LOWER_IS_BETTER = frozenset(
    {
        *("brier", "log_score", "perplexity", "word_perplexity", "byte_perplexity", "bits_per_byte", "ter"),
        *("kl", "js", "total_variation", "hellinger", "emd", "normalised", "false_match_rate"),
    }
)
NO_BETTER = frozenset({"bias", "yes_mass", "other_mass", "other", "margin", "confidence", "entropy"})
"""Measures with no better direction."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """Hold the rank of one model among the others.

    Attributes
    ----------
    measure, model : str
    rank : float
        Rank, 1 the best; models with equal means share the mean of their ranks.
    low, high : float
        Ends of the 95 % interval, by the bootstrap of clusters, or of settings.
    groups : tuple of int
        Groups of the model, counted from 0, the best first: no two models of a group can be told apart.
    """

    measure: str
    model: str
    rank: float
    low: float
    high: float
    groups: tuple[int, ...]

    def to_json(self) -> dict[str, Json]:
        """Return the rank as a JSON object."""
        return {**asdict(self), "groups": list(self.groups)}


def ranking(
    aligned: Aligned, found: Sequence[Difference], rng: np.random.Generator, *, alpha: float = 0.05
) -> list[Ranked]:
    """Rank the models, the best first; return nothing for a measure with no better direction.

    Parameters
    ----------
    aligned : Aligned
    found : sequence of Difference
        Differences between all pairs of models, in their order, with adjusted p-values.
    rng : numpy.random.Generator
    alpha : float
        Largest adjusted p-value (Holm) at which two models differ.
    """
    base = aligned.measure.partition(",")[0].partition(".")[0]  # of a measure's variants: a filter, a view
    if base in NO_BETTER:
        return []
    sign = -1.0 if base in LOWER_IS_BETTER else 1.0
    scores = np.array([sign * aligned.linear(values) for values in aligned.values])
    ranks = rank_models(scores, aligned.units, rng)
    count = len(aligned.models)
    p = np.ones((count, count))
    upper = np.triu_indices(count, 1)
    p[upper] = [one.p_holm for one in found]
    p = np.fmin(np.nan_to_num(p, nan=1.0), np.nan_to_num(p.T, nan=1.0))
    groups = groups_alike(ranks.rank, p, alpha=alpha)
    return [
        Ranked(
            aligned.measure,
            aligned.models[i],
            float(ranks.rank[i]),
            float(ranks.low[i]),
            float(ranks.high[i]),
            tuple(g for g, members in enumerate(groups) if i in members),
        )
        for i in np.argsort(ranks.rank, kind="stable").tolist()
    ]
