"""Estimates means of observations that come in clusters or strata, or from a few settings, such as skins."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from probsense.analysis.arrays import Floats, Ints
from probsense.analysis.inference.estimate import LEVEL, Estimate, t_p_value, t_quantile
from probsense.core.records import Json

CLUSTERED = ("clustered", "clustered Wilson", "stratified")
"""Methods whose standard errors come from clusters."""
FEW_CLUSTERS = 10
"""With fewer clusters, intervals cover less than their nominal level: see the table of docs/statistics.md."""


def mean_estimate(
    measure: str, by: Mapping[str, Json], values: ArrayLike, clusters: ArrayLike, *, chance: float = math.nan
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

    Returns
    -------
    Estimate
        Estimate, whose interval is NaN for a single cluster.
    """
    values = np.asarray(values, dtype=np.float64)
    mean = float(values.mean())
    _, place = np.unique(np.asarray(clusters), return_inverse=True)
    variance, count = clustered_variance(values - mean, place)
    stderr = half = math.nan
    if count > 1:
        stderr = math.sqrt(variance) / len(values)
        half = t_quantile(count - 1) * stderr
    return Estimate(
        measure, by, mean, stderr, mean - half, mean + half, LEVEL, len(values), count, "clustered", chance
    )


def mean_of_known(
    measure: str,
    by: Mapping[str, Json],
    values: Floats,
    clusters: ArrayLike | None = None,
    make: Callable[..., Estimate] = mean_estimate,
) -> list[Estimate]:
    """Make :func:`mean_estimate`, or another estimate, of the values that are no NaN, if there are any.

    Without clusters, each value is one by itself.
    """
    known = ~np.isnan(values)
    labels = np.arange(len(values)) if clusters is None else np.asarray(clusters)
    return [make(measure, by, values[known], labels[known])] if known.any() else []


def clustered_variance(residuals: Floats, clusters: Ints) -> tuple[float, int]:
    """Compute the variance of a sum of residuals, C/(C−1) Σ_c (Σ_{i∈c} rᵢ)², which is 0 for a single cluster, and C.

    Clusters are numbers from 0; some may have no residual.
    """
    count = distinct(clusters)
    return count / max(count - 1, 1) * squares_of_sums(residuals, clusters) * (count > 1), count


def distinct(units: Ints) -> int:
    """Count different units, which are numbers from 0."""
    return int(np.count_nonzero(np.bincount(units)))


def squares_of_sums(values: Floats, units: Ints) -> float:
    """Sum the squares of the sums within units, which are numbered from 0."""
    sums = np.bincount(units, values)
    return float(sums @ sums)


def stratified_mean(
    measure: str,
    by: Mapping[str, Json],
    values: ArrayLike,
    clusters: ArrayLike,
    strata: ArrayLike,
    *,
    weights: Mapping[str, float] | None = None,
) -> Estimate:
    """Estimate a weighted mean of the means of strata (method "stratified").

    Strata are fixed and clusters are drawn within them, so the errors within strata add up (Cochran 1977, eq. 5.6):
    Σ_h w_h² se_h², with the clustered error of :func:`mean_estimate` in each stratum. The degrees of freedom are
    those of Satterthwaite (1946), (Σ w_h² se_h²)² / Σ (w_h² se_h²)² / (C_h − 1).

    Parameters
    ----------
    measure, by
        As in :class:`~probsense.analysis.inference.estimate.Estimate`.
    values, clusters : array_like, shape (n,)
        As for :func:`mean_estimate`.
    strata : array_like of str, shape (n,)
        Stratum of each observation.
    weights : Mapping of str to float, optional
        Weight of each stratum; equal weights by default.

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
        half *= t_quantile(float(variance.sum() ** 2 / (variance**2 / freedom).sum()))
    count = sum(part.clusters for part in parts)
    found = Estimate(
        measure, by, mean, stderr, mean - half, mean + half, LEVEL, len(values), count, "stratified"
    )
    return replace(found, no_interval="too few questions") if math.isnan(stderr) else found


def few_clusters(estimates: Sequence[Estimate], *, alone: bool) -> list[str]:
    """Say how many estimates with clustered errors rest on few clusters.

    Parameters
    ----------
    estimates : sequence of Estimate
    alone : bool
        Whether to speak of a model's measures that have nothing better, or of all others, such as those of single
        parts.
    """
    most: dict[tuple[str, Json], int] = {}
    for e in estimates:
        most[_whose(e)] = max(most.get(_whose(e), 0), e.clusters)
    few = [
        e
        for e in estimates
        if e.method in CLUSTERED
        and 1 < e.clusters < FEW_CLUSTERS
        and alone == (most[_whose(e)] < FEW_CLUSTERS)
    ]
    if not few:
        return []
    fewest = min(estimate.clusters for estimate in few)
    return [
        f"{len(few):,} of the estimates rest on fewer than {FEW_CLUSTERS} independent groups of questions, as few as"
        f" {fewest}: their intervals cover less than they say"
    ]


def _whose(estimate: Estimate) -> tuple[str, Json]:
    return estimate.measure, estimate.by.get("model")


OVER_SETTINGS = "over settings"
"""The method of estimates whose intervals speak for other settings, too."""
OVER_FORMS = "over forms"
"""The method of estimates whose intervals speak for other settings and other forms, too."""
ENOUGH = 10
"""How many settings it takes to speak for others."""
JOINT = "."
"""What joins the two parts of a setting's name: what it is about, and what is said of that."""


class SettingsError(NamedTuple):
    """The error of a mean over settings.

    Attributes
    ----------
    variance : float
        Squared standard error; NaN where a stratum has a single setting.
    freedom : float
        Its degrees of freedom.
    settings : int
        Number of settings; where they share parts, number of values of the part that has the fewest.
    """

    variance: float
    freedom: float
    settings: int


def settings_error(
    values: ArrayLike, weights: ArrayLike, strata: ArrayLike, settings: ArrayLike, shares: Mapping[str, float]
) -> SettingsError:
    """Compute the error of a mean of the means of fixed strata, whose questions are told in settings drawn by chance.

    The variance is the jackknife's over settings, (K−1)/K Σ_s (θ₋ₛ − θ)², where θ₋ₛ is the mean without the questions
    of setting s in any stratum (Efron & Stein 1981, Annals of Statistics 9, 586–596; for few clusters of unequal size
    it is the CV₃ of MacKinnon, Nielsen & Webb 2023, Journal of Applied Econometrics 38, 671–694). It holds whatever is
    drawn within a setting, and a setting may make the questions of one stratum harder and those of another one easier.
    If every stratum has equally many questions of each of K settings, it is that of the mean of the settings' K means.

    Strata that share no setting with others, directly or by way of third ones, are a family of their own, whose
    settings are drawn apart. The variances of families add up, and the degrees of freedom are those of Satterthwaite
    (1946); for a single family they are K − 1.

    Settings may have a part in common: "sailors.wit" and "sailors.strength" tell of the same sailors. If all names have
    two parts, and some share the first and some the second, the variance is V₁ + V₂ − V, where V₁ and V₂ are the
    jackknife's over the values of a part, and V that over settings (Cameron, Gelbach & Miller 2011, Journal of Business
    & Economic Statistics 29, 238–249). It is never less than V, and has the fewer degrees of freedom of V₁ and V₂. If
    only one part is shared, its own variance is that of the mean. A part with fewer than :data:`ENOUGH` values is no
    sample of others, and counts as fixed.

    Parameters
    ----------
    values : array_like, shape (n,)
        Observations, or means of observations of one stratum and setting.
    weights : array_like, shape (n,)
        Weight of each within its stratum, such as the number of observations.
    strata, settings : array_like of str, shape (n,)
        The stratum and the setting of each.
    shares : Mapping of str to float
        Weight of each stratum.

    Returns
    -------
    SettingsError
    """
    labels = np.asarray(settings).astype(str)
    own = _jackknife(values, weights, strata, labels, shares)
    shared = [_jackknife(values, weights, strata, part, shares) for part in _shared_parts(labels)]
    return _without_pairs(shared, own, own.variance) if shared else own


def crossed_error(
    values: ArrayLike,
    weights: ArrayLike,
    strata: ArrayLike,
    settings: ArrayLike,
    others: ArrayLike,
    shares: Mapping[str, float],
    kinds: ArrayLike | None = None,
) -> SettingsError:
    """Compute the error of a mean over settings and something else that is drawn by chance, such as forms of questions.

    The others are of fixed kinds, such as forms with different right answers: a stratum has so much of each kind, and
    only what varies within a kind is chance. Where one of a stratum's kinds has a single one of the others, its kinds
    count as one.

    The variance is V₁ + V₂ − V₁₂ (Cameron, Gelbach & Miller 2011), where V₁ is that of :func:`settings_error`, V₂ the
    jackknife's over the others, and V₁₂ the jackknife's over pairs of both. It is never less than V₁ or V₂, and has the
    fewer degrees of freedom of these.

    Parameters
    ----------
    values, weights, strata, settings, shares
        As in :func:`settings_error`.
    others : array_like of int, shape (n,)
        What else each was drawn from.
    kinds : array_like of str, shape (n,), optional
        The kind of each of the others; by default they are of one kind.

    Returns
    -------
    SettingsError
    """
    one = settings_error(values, weights, strata, settings, shares)
    place = np.unique(np.asarray(settings).astype(str), return_inverse=True)[1]
    apart = np.asarray(others)
    cells, parts = _by_kind(weights, strata, apart, np.zeros(len(apart)) if kinds is None else kinds, shares)
    other = _jackknife(values, weights, cells, apart, parts)
    both = _jackknife(values, weights, cells, apart * (int(place.max()) + 1) + place, parts)
    return _without_pairs([one, other], both, one.variance, other.variance)


def _without_pairs(parts: Sequence[SettingsError], pairs: SettingsError, *least: float) -> SettingsError:
    """Add up errors by one or two kinds of units, less that by pairs of both; the variance is at least this much."""
    variance = sum(part.variance for part in parts) - (len(parts) - 1) * pairs.variance
    # The sum comes first, so that an unknown variance stays unknown.
    largest = max(variance, *least)
    return SettingsError(largest, min(part.freedom for part in parts), min(part.settings for part in parts))


def _by_kind(
    weights: ArrayLike, strata: ArrayLike, others: Ints, kinds: ArrayLike, shares: Mapping[str, float]
) -> tuple[NDArray[np.str_], dict[str, float]]:
    """Divide strata by kinds, and the share of each by the weight that it gives to these."""
    names, stratum = np.unique(np.asarray(strata).astype(str), return_inverse=True)
    labels, kind = np.unique(np.asarray(kinds).astype(str), return_inverse=True)
    cell = stratum * len(labels) + kind
    found, count = np.unique(np.unique(np.stack([cell, others]), axis=1)[0], return_counts=True)
    alone = np.isin(stratum, found[count == 1] // len(labels))
    cell = np.where(alone, stratum * len(labels), cell)
    each = np.asarray(weights, dtype=np.float64)
    part, whole = np.bincount(cell, each), np.bincount(stratum, each)
    parts = {
        str(number): shares[str(names[number // len(labels)])] * part[number] / whole[number // len(labels)]
        for number in np.unique(cell).tolist()
    }
    return cell.astype(str), parts


def _shared_parts(labels: NDArray[np.str_]) -> list[NDArray[np.str_]]:
    """Return those parts of the names of settings that several settings share, and that have enough values."""
    split = np.char.partition(labels, JOINT)
    if (split == "").any():
        return []
    count = len(np.unique(labels))
    parts = split[..., 0], split[..., 2]
    return [part for part in parts if ENOUGH <= len(np.unique(part)) < count]


def _jackknife(
    values: ArrayLike,
    weights: ArrayLike,
    strata: ArrayLike,
    settings: NDArray[np.str_] | Ints,
    shares: Mapping[str, float],
) -> SettingsError:
    """Compute the error as if all settings were drawn apart."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    names, stratum = np.unique(np.asarray(strata), return_inverse=True)
    kinds, setting = np.unique(settings, return_inverse=True)
    weight, total = np.zeros((2, len(names), len(kinds)))
    each = np.asarray(weights, dtype=np.float64)
    np.add.at(weight, (stratum, setting), each)
    np.add.at(total, (stratum, setting), each * np.asarray(values, dtype=np.float64))
    share = np.array([shares[str(name)] for name in names])
    whole = weight.sum(axis=1, keepdims=True)
    others = whole - weight
    if (others <= 0).any():
        return SettingsError(math.nan, 1.0, len(kinds))
    mean = total.sum(axis=1, keepdims=True) / whole
    without = (share / share.sum()) @ ((total - mean * weight) / others)  # θ − θ₋ₛ of each setting
    links = coo_array(
        (np.ones(len(stratum)), (stratum, len(names) + setting)), shape=(len(names) + len(kinds),) * 2
    )
    family = connected_components(links, directed=False)[1][len(names) :]
    sizes = np.bincount(family)
    parts = (sizes - 1) / sizes * np.bincount(family, without**2)
    variance = float(parts.sum())
    freedom = float((sizes - 1).sum())
    if variance > 0:
        freedom = 1 / float(((parts / variance) ** 2 / (sizes - 1)).sum())
    return SettingsError(variance, freedom, len(kinds))


def over_settings(estimate: Estimate, error: SettingsError, method: str = OVER_SETTINGS) -> Estimate:
    """Widen the interval of a mean over questions to one over questions and settings.

    The interval takes Student's t with the degrees of freedom of the settings. It is never narrower than that over
    questions, because no variance between settings is negative: the standard error is raised to the one that gives that
    interval with these degrees of freedom.

    Parameters
    ----------
    estimate : Estimate
        Its interval is over questions.
    error : SettingsError
        The error of the same mean; it gives the p-value, too, if the estimate has one.
    method : str
        The method of the result.
    """
    t = t_quantile(error.freedom, estimate.level)
    stderr = p = math.nan
    if not math.isnan(error.variance + estimate.stderr):
        least = (estimate.high - estimate.low) / 2 / t if estimate.stderr else 0.0
        stderr = max(math.sqrt(error.variance), least)
        if stderr and not math.isnan(estimate.p):
            p = float(t_p_value(estimate.value / stderr, error.freedom))
    return replace(
        estimate,
        stderr=stderr,
        low=min(estimate.value - t * stderr, estimate.low),
        high=max(estimate.value + t * stderr, estimate.high),
        method=method,
        settings=error.settings,
        p=p,
    )
