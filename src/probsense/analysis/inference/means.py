"""Estimates means of observations that come in clusters or in strata."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from probsense.analysis.inference.estimate import Estimate
from probsense.analysis.inference.quantiles import t_quantile
from probsense.core.records import Json

CLUSTERED = ("clustered", "clustered Wilson", "stratified")
"""Methods whose standard errors come from clusters."""
FEW_CLUSTERS = 10
"""With fewer clusters, intervals cover less than their nominal level: see the table of docs/statistics.md."""


def mean_estimate(
    measure: str,
    by: Mapping[str, Json],
    values: ArrayLike,
    clusters: ArrayLike,
    *,
    level: float = 0.95,
    chance: float = math.nan,
) -> Estimate:
    """Estimate a mean with clustered standard error and t interval (method "clustered").

    The standard error is that of Miller (2024, arXiv 2411.00640): residuals are summed within each of the C clusters,
    squared and summed, √(C/(C−1) · Σ_c (Σ_{i∈c} (xᵢ − x̄))²) / n. The factor C/(C−1) is the usual correction for few
    clusters (Cameron & Miller 2015). If every observation is a cluster, the result is the ordinary standard error of a
    mean; if all clusters are equally large, it is that of the mean of their means. The interval takes Student's t with
    C−1 degrees of freedom.

    Parameters
    ----------
    measure, by, chance
        As in :class:`~probsense.analysis.inference.estimate.Estimate`.
    values : array_like, shape (n,)
        Observations, at least one, all finite.
    clusters : array_like, shape (n,)
        Cluster of each observation: labels of any kind.
    level : float
        Nominal coverage of the interval.

    Returns
    -------
    Estimate
        Estimate, whose interval is NaN for a single cluster.
    """
    values = np.asarray(values, dtype=np.float64)
    _, place = np.unique(np.asarray(clusters), return_inverse=True)
    mean, count = float(values.mean()), int(place.max()) + 1
    stderr = half = math.nan
    if count > 1:
        stderr = math.sqrt(count / (count - 1) * _squares(values - mean, place)) / len(values)
        half = t_quantile(count - 1, level) * stderr
    return Estimate(
        measure, by, mean, stderr, mean - half, mean + half, level, len(values), count, "clustered", chance
    )


def stratified_mean(
    measure: str,
    by: Mapping[str, Json],
    values: ArrayLike,
    clusters: ArrayLike,
    strata: ArrayLike,
    *,
    weights: Mapping[str, float] | None = None,
    level: float = 0.95,
    chance: float = math.nan,
) -> Estimate:
    """Estimate a weighted mean of the means of strata (method "stratified").

    Strata are fixed and clusters are drawn within them, so the errors within strata add up (Cochran 1977, eq. 5.6):
    Σ_h w_h² se_h², with the clustered error of :func:`mean_estimate` in each stratum. The degrees of freedom are
    those of Satterthwaite (1946), (Σ w_h² se_h²)² / Σ (w_h² se_h²)² / (C_h − 1).

    Parameters
    ----------
    measure, by, chance
        As in :class:`~probsense.analysis.inference.estimate.Estimate`.
    values, clusters : array_like, shape (n,)
        As for :func:`mean_estimate`.
    strata : array_like of str, shape (n,)
        Stratum of each observation.
    weights : Mapping of str to float, optional
        Weight of each stratum; equal weights by default.
    level : float
        Nominal coverage of the interval.

    Returns
    -------
    Estimate
        Estimate, whose interval is NaN where a stratum has a single cluster.
    """
    values, clusters, strata = np.asarray(values, dtype=np.float64), np.asarray(clusters), np.asarray(strata)
    names = np.unique(strata)
    share = np.array([1.0 if weights is None else weights[str(name)] for name in names])
    share = share / share.sum()
    parts = [mean_estimate("", {}, values[strata == name], clusters[strata == name]) for name in names]
    mean = float(share @ [part.value for part in parts])
    variance = share**2 * np.array([part.stderr for part in parts]) ** 2
    freedom = np.array([part.clusters - 1 for part in parts])
    stderr = math.sqrt(variance.sum()) if (freedom > 0).all() else math.nan
    half = stderr  # 0, or unknown
    if stderr > 0:
        half *= t_quantile(float(variance.sum() ** 2 / (variance**2 / freedom).sum()), level)
    count = sum(part.clusters for part in parts)
    return Estimate(
        measure, by, mean, stderr, mean - half, mean + half, level, len(values), count, "stratified", chance
    )


def few_clusters_warnings(estimates: Sequence[Estimate]) -> list[str]:
    """Warn of measures of which no estimate with clustered errors rests on more than few clusters.

    Parameters
    ----------
    estimates : sequence of Estimate
    """
    return _few_clusters(estimates, alone=True)


def few_clusters_notes(estimates: Sequence[Estimate]) -> list[str]:
    """Write a note on the estimates of other measures that rest on few clusters, as those of single parts do.

    Parameters
    ----------
    estimates : sequence of Estimate
    """
    return _few_clusters(estimates, alone=False)


def _few_clusters(estimates: Sequence[Estimate], *, alone: bool) -> list[str]:
    """Say how many estimates rest on few clusters, of measures that have nothing better, or else of all others."""
    most: dict[str, int] = {}
    for e in estimates:
        most[e.measure] = max(most.get(e.measure, 0), e.clusters)
    few = [
        e
        for e in estimates
        if e.method in CLUSTERED
        and 1 < e.clusters < FEW_CLUSTERS
        and alone == (most[e.measure] < FEW_CLUSTERS)
    ]
    if not few:
        return []
    fewest = min(estimate.clusters for estimate in few)
    return [
        f"{len(few):,} of the estimates rest on fewer than {FEW_CLUSTERS} independent groups of questions, as few as"
        f" {fewest}: their intervals cover less than they say"
    ]


def _squares(residuals: NDArray[np.float64], place: NDArray[np.int64]) -> float:
    """Sum the squares of the sums within clusters."""
    sums = np.bincount(place, residuals)
    return float(sums @ sums)
