"""Ranks several models, with the uncertainty of their ranks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np

from probsense.analysis.comparison.aligned import Aligned
from probsense.analysis.comparison.differences import Difference
from probsense.analysis.inference.ranks import groups_alike, rank_models
from probsense.core.records import Json

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
