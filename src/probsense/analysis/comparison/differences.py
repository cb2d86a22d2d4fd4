"""Estimates how far models are apart on the same items, ranks them, and finds the items on which two differ most."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import NamedTuple

import numpy as np

from probsense.analysis.arrays import Bools, Floats, Ints
from probsense.analysis.comparison.aligned import Aligned, is_binary
from probsense.analysis.inference.estimate import Estimate
from probsense.analysis.inference.significance import adjust, detectable, mcnemar, sign_flip_test, t_test
from probsense.core.records import Json

TESTS = ("p", "p_holm", "p_bh", "p_permutation", "p_mcnemar", "effect", "detectable")
COUNTS = ("higher", "lower", "equal")


@dataclass(frozen=True, slots=True)
class Difference:
    """Hold one model less another, by one measure. Numbers are NaN where they are unknown or have no meaning.

    Attributes
    ----------
    estimate : Estimate
        Mean difference of paired scores. Its ``by`` has the models ("model" less "versus") and, for a part of the task,
        the "part". Its measure is that of the scores, followed by "_difference".
    p : float
        Two-sided p-value of the t test with clustered errors, or of the permutation test if all differences are equal.
    p_permutation : float
        p-value of the test that flips the signs of whole clusters, or of whole settings
        (:func:`~probsense.analysis.inference.significance.sign_flip_test`); for parts, and where errors are over
        people or forms, for which there is no such test, only where it replaces ``p``.
    p_mcnemar : float
        p-value of the test of equal accuracy (:func:`~probsense.analysis.inference.significance.mcnemar`), if scores
        are hits and misses; items count as independent. Unknown where people are compared.
    effect : float
        Paired standardised difference, which is the mean difference divided by the standard deviation of the items'
        differences (Cohen's d_z; Lakens 2013, Frontiers in Psychology 4:863, eq. 6).
    detectable : float
        Smallest difference that this number of items could have shown
        (:func:`~probsense.analysis.inference.significance.detectable`).
    higher, lower, equal : int
        Numbers of items on which the first model's score is above, below, and equal to the other's.
    p_holm, p_bh : float
        ``p``, adjusted for all comparisons of its kind by Holm and by Benjamini & Hochberg.
    """

    estimate: Estimate
    p: float
    p_permutation: float
    p_mcnemar: float
    effect: float
    detectable: float
    higher: int
    lower: int
    equal: int
    p_holm: float = math.nan
    p_bh: float = math.nan

    def to_json(self) -> dict[str, Json]:
        """Return the difference as a JSON object: the estimate's keys and its own; unknown numbers are null."""
        return {
            **self.estimate.to_json(),
            **{name: x if math.isfinite(x := getattr(self, name)) else None for name in TESTS},
            **{name: getattr(self, name) for name in COUNTS},
        }


def differences(aligned: Aligned, seed: Sequence[int], part: str | None = None) -> list[Difference]:
    """Compare every two models.

    Parameters
    ----------
    aligned : Aligned
    seed : sequence of int
        Seed of the permutation tests. The seed of a pair does not depend on the other models.
    part : str, optional
        Part of the task to which the items belong. As parts may be many, signs are flipped there only where that
        replaces the t test.
    """
    pairs = combinations(range(len(aligned.models)), 2)
    return [_difference(aligned, i, k, part, np.random.default_rng([*seed, i, k])) for i, k in pairs]


def _difference(aligned: Aligned, i: int, k: int, part: str | None, rng: np.random.Generator) -> Difference:
    first, second = aligned.values[i], aligned.values[k]
    apart = first - second
    by: dict[str, Json] = {"model": aligned.models[i], "versus": aligned.models[k]}
    if part is not None:
        by["part"] = part
    estimate = aligned.mean(f"{aligned.measure}_difference", by, apart, [i, k])
    people = i in aligned.ratings or k in aligned.ratings
    # Without any spread, t carries no information: two right answers against two wrong ones prove nothing.
    flat = estimate.stderr == 0
    flipped = math.nan
    if flat or (part is None and not people and not aligned.over_forms):
        flipped = sign_flip_test(aligned.weights * apart, aligned.units, rng)
    hits = is_binary(first) and is_binary(second) and not people
    return Difference(
        estimate,
        p=flipped if flat else t_test(estimate),
        p_permutation=flipped,
        p_mcnemar=mcnemar(first, second) if hits else math.nan,
        effect=standardised(apart, aligned.weights),
        detectable=math.nan if flat else detectable(estimate),
        higher=int((apart > 0).sum()),
        lower=int((apart < 0).sum()),
        equal=int((apart == 0).sum()),
    )


def standardised(apart: Floats, weights: Floats) -> float:
    """Divide the mean of paired differences by their standard deviation (d_z); NaN where they do not vary.

    Parameters
    ----------
    apart, weights : ndarray, shape (items,)
        The weights are 1 on average.
    """
    n = len(apart)
    mean = float(weights @ apart) / n
    spread = math.sqrt(float(weights @ (apart - mean) ** 2) / (n - 1)) if n > 1 else 0.0
    return mean / spread if spread > 0 else math.nan


def adjusted(found: Sequence[Difference]) -> list[Difference]:
    """Adjust the p-values of differences for their number."""
    p = np.array([one.p for one in found], dtype=np.float64)
    both = zip(found, adjust(p, "holm").tolist(), adjust(p, "benjamini-hochberg").tolist(), strict=True)
    return [replace(one, p_holm=holm, p_bh=bh) for one, holm, bh in both]


class Change(NamedTuple):
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
        return {**self._asdict(), "labels": list(self.labels), "scores": list(self.scores)}


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
    order = np.lexsort((-second, -apart))[:limit]
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


def rank_intervals(values: Floats, differ: Bools) -> tuple[Floats, Ints, Ints]:
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


def groups_alike(rank: Floats, differ: Bools) -> list[list[int]]:
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


class Ranked(NamedTuple):
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
        return {**self._asdict(), "groups": list(self.groups)}


def ranking(aligned: Aligned, found: Sequence[Difference], sign: int) -> list[Ranked]:
    """Rank the models, the best first; return nothing for a measure with no better direction.

    Two models differ where the adjusted p-value (Holm) is at most .05.

    Parameters
    ----------
    aligned : Aligned
    found : sequence of Difference
        Differences between all pairs of models, in their order, with adjusted p-values.
    sign : {1, -1, 0}
        Whether higher values of the measure are better, lower ones or neither.
    """
    if not sign:
        return []
    values = np.array([sign * aligned.linear(each).mean() for each in aligned.values])
    differ = np.zeros((len(values),) * 2, dtype=bool)
    differ[np.triu_indices(len(values), 1)] = [one.p_holm <= 0.05 for one in found]
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
