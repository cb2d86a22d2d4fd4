"""Several models in order, with what is uncertain about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np

from probsense.comparison.aligned import Aligned
from probsense.comparison.differences import Difference
from probsense.records import Json
from probsense.stats.ranks import groups_alike, rank_models

LOWER_IS_BETTER = frozenset(
    {
        *("brier", "log_score", "perplexity", "word_perplexity", "byte_perplexity", "bits_per_byte", "ter"),
        *("kl", "js", "total_variation", "hellinger", "emd", "normalised", "false_match_rate"),
    }
)
NO_BETTER = frozenset({"bias", "yes_mass", "other_mass", "other", "margin", "confidence", "entropy"})
"""Measures by which nobody is the best."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """The place of one model among the others.

    Attributes
    ----------
    measure, model : str
    rank : float
        1 is the best; equal ones share the mean of their ranks.
    low, high : float
        Ends of the 95 % interval, by the cluster bootstrap.
    groups : tuple of int
        The groups that it is in, counted from 0, the best first: no two models of a group can be told apart.
    """

    measure: str
    model: str
    rank: float
    low: float
    high: float
    groups: tuple[int, ...]

    def to_json(self) -> dict[str, Json]:
        """The place as a JSON object."""
        return {**asdict(self), "groups": list(self.groups)}


def ranking(
    aligned: Aligned, found: Sequence[Difference], rng: np.random.Generator, *, alpha: float = 0.05
) -> list[Ranked]:
    """Rank the models, the best first; nothing by a measure of which neither more nor less is better.

    Parameters
    ----------
    aligned : Aligned
    found : sequence of Difference
        Between all pairs of models, in their order, with adjusted p-values.
    rng : numpy.random.Generator
    alpha : float
        Models are told apart by an adjusted p-value (Holm) up to it.
    """
    base = aligned.measure.partition(",")[0].partition(".")[0]  # of a measure's variants: a filter, a view
    if base in NO_BETTER:
        return []
    sign = -1.0 if base in LOWER_IS_BETTER else 1.0
    scores = np.array([sign * aligned.linear(values) for values in aligned.values])
    ranks = rank_models(scores, aligned.clusters, rng)
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
