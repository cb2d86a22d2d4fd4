"""Ranks several models, with the uncertainty of their ranks, and groups those that cannot be told apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from probsense.analysis.comparison.aligned import Aligned
from probsense.analysis.comparison.differences import Difference
from probsense.core.records import Json


def rank_intervals(
    values: NDArray[np.float64], differ: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
    """Rank models by their values, 1 for the largest, with simultaneous intervals from tests of all pairs.

    A model ranks below as many others as were found to be better, and above as many as were found to be worse. If the
    probability of any false finding is at most α, then all intervals hold together with a probability of 1 − α (Al
    Mohamad, Goeman & van Zwet 2022, Biometrics 78, 238–247; Mogstad, Romano, Shaikh & Wilhelm 2024, Review of Economic
    Studies 91, 476–518, who show that percentiles of bootstrapped ranks do not hold where models are close).

    Parameters
    ----------
    values : ndarray, shape (models,)
        Estimates; higher is better.
    differ : ndarray of bool, shape (models, models)
        Whether two models were found to differ; symmetric.

    Returns
    -------
    rank : ndarray, shape (models,)
        Models with equal values share the mean of their ranks.
    low, high : ndarray of int, shape (models,)
    """
    above = values[None, :] > values[:, None]
    equal = values[None, :] == values[:, None]
    rank = above.sum(axis=1) + (equal.sum(axis=1) + 1) / 2
    low = 1 + (differ & above).sum(axis=1)
    high = len(values) - (differ & above.T).sum(axis=1)
    return rank, low, high


def groups_alike(rank: NDArray[np.float64], differ: NDArray[np.bool_]) -> list[list[int]]:
    """Find the largest runs of neighbours in a ranking within which no two models differ (Piepho 2004, letter
    displays).

    Parameters
    ----------
    rank : ndarray, shape (models,)
    differ : ndarray of bool, shape (models, models)
        Whether two models were found to differ; symmetric.

    Returns
    -------
    list of list of int
        Indices of models, best first; a model may be in several groups.
    """
    order = np.argsort(rank, kind="stable")
    runs: list[list[int]] = []
    for start in range(len(order)):
        end = start + 1
        while end < len(order) and not differ[order[start:end], order[end]].any():
            end += 1
        run = order[start:end].tolist()
        if not runs or not set(run) <= set(runs[-1]):
            runs.append(run)
    return runs


@dataclass(frozen=True, slots=True)
class Ranked:
    """Hold the rank of one model among the others.

    Attributes
    ----------
    measure, model : str
    rank : float
        Rank, 1 the best; models with equal means share the mean of their ranks.
    low, high : int
        Ends of the interval, which holds for all models together with a probability of 95 %.
    groups : tuple of int
        Groups of the model, counted from 0, the best first: no two models of a group can be told apart.
    """

    measure: str
    model: str
    rank: float
    low: int
    high: int
    groups: tuple[int, ...]

    def to_json(self) -> dict[str, Json]:
        """Return the rank as a JSON object."""
        return {**asdict(self), "groups": list(self.groups)}


def ranking(
    aligned: Aligned, found: Sequence[Difference], sign: int = 1, *, alpha: float = 0.05
) -> list[Ranked]:
    """Rank the models, the best first; return nothing for a measure with no better direction.

    Parameters
    ----------
    aligned : Aligned
    found : sequence of Difference
        Differences between all pairs of models, in their order, with adjusted p-values.
    sign : {1, -1, 0}
        Whether higher values of the measure are better, lower ones or neither.
    alpha : float
        Largest adjusted p-value (Holm) at which two models differ.
    """
    if not sign:
        return []
    values = np.array([sign * aligned.linear(each).mean() for each in aligned.values])
    differ = np.zeros((len(values),) * 2, dtype=bool)
    differ[np.triu_indices(len(values), 1)] = [one.p_holm <= alpha for one in found]
    differ |= differ.T
    rank, low, high = rank_intervals(values, differ)
    groups = groups_alike(rank, differ)
    return [
        Ranked(
            aligned.measure,
            aligned.models[i],
            float(rank[i]),
            int(low[i]),
            int(high[i]),
            tuple(g for g, members in enumerate(groups) if i in members),
        )
        for i in np.argsort(rank, kind="stable").tolist()
    ]
