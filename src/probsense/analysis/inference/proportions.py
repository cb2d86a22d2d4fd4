"""Estimates proportions with intervals that stay between 0 and 1, also where every observation is a hit."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from probsense.analysis.arrays import Floats
from probsense.analysis.distributions.divergence import BINS, bin_of
from probsense.analysis.inference.estimate import Estimate, t_quantile
from probsense.analysis.inference.means import mean_estimate
from probsense.core.records import Json

if TYPE_CHECKING:
    import polars as pl


class Ends(NamedTuple):
    """Hold the lower and upper end of an interval."""

    low: float
    high: float


def wilson(share: float, n: float, *, z: float) -> Ends:
    """Compute the score interval of a proportion (Wilson 1927, J. American Statistical Association 22, 209–212).

    Parameters
    ----------
    share : float
        Observed proportion.
    n : float
        Number of independent observations, not necessarily whole.
    z : float
        Half the width in standard errors: 1.96 for 95 %.
    """
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    # The interval ends exactly at 0 or 1 there, but rounding would miss it.
    return Ends(
        0.0 if share == 0 else max(centre - half, 0.0), 1.0 if share == 1 else min(centre + half, 1.0)
    )


def effective_wilson(share: float, stderr: float, *, most: float, units: int) -> Ends:
    """Compute Wilson's interval with the effective number of observations of a share whose error is known.

    The number is n* = p(1−p)/se² (Korn & Graubard 1998, Survey Methodology 24(2)). Student's t stands for z.

    Parameters
    ----------
    share, stderr : float
    most : float
        The number of observations, which n* does not exceed.
    units : int
        The number of independent units; t has one degree of freedom less. Where the standard error is 0, it carries
        no information, and every unit counts as one observation.

    Returns
    -------
    Ends
        NaN for a single unit, and where the error is unknown.
    """
    if units < 2 or math.isnan(stderr):
        return Ends(math.nan, math.nan)
    z = t_quantile(units - 1)
    # A bootstrap may know the error of 0 and of 1: the centre of the interval then stands for the share.
    middle = share if 0 < share < 1 else (share + z * z / (2 * units)) / (1 + z * z / units)
    n = min(middle * (1 - middle) / stderr**2, most) if stderr > 0 else units
    return wilson(share, n, z=z)


def proportion_estimate(
    measure: str, by: Mapping[str, Json], hits: ArrayLike, clusters: ArrayLike, *, chance: float = math.nan
) -> Estimate:
    """Estimate a share of hits with clustered standard error and a score interval (method "clustered Wilson").

    The interval is that of :func:`effective_wilson`, with the clustered error of
    :func:`~probsense.analysis.inference.means.mean_estimate` and C−1 degrees of freedom. If all observations are
    hits or none is, every cluster counts as one observation.

    Parameters
    ----------
    measure, by, chance
        As in :class:`~probsense.analysis.inference.estimate.Estimate`.
    hits : array_like of bool, shape (n,)
        Observations, at least one. One that is half a hit counts .5.
    clusters : array_like, shape (n,)
        Cluster of each observation: labels of any kind.

    Returns
    -------
    Estimate
        Estimate, whose interval is NaN for a single cluster.
    """
    hits = np.asarray(hits, dtype=np.float64)
    found = mean_estimate(measure, by, hits, clusters, chance=chance)
    low, high = effective_wilson(found.value, found.stderr, most=found.n, units=found.clusters)
    return replace(found, low=low, high=high, method="clustered Wilson")


class ShareCurve(NamedTuple):
    """Hold forecasts and shares by bin of the forecast; all arrays have the shape (bins,), NaN for an empty bin.

    Attributes
    ----------
    statements : ndarray
        Number of statements, not whole if forecasts have weights.
    forecast, share : ndarray
        Mean forecast, and mean share of people who say yes.
    low, high : ndarray
        Interval of the mean share; NaN in a bin with a single statement.
    gap : ndarray, shape (statements,)
        What each statement adds to the calibration error Σ_b n_b/n·|share_b − forecast_b|, which is the mean of these.
    """

    statements: Floats
    forecast: Floats
    share: Floats
    low: Floats
    high: Floats
    gap: Floats

    def table(self, what: str, **labels: str) -> pl.DataFrame:
        """Tabulate the bins that hold something: labels, bin, how many of ``what``, probability, share, low, high.

        Parameters
        ----------
        what : str
            The column of numbers, such as "statements".
        **labels : str
            Columns that are the same in all rows.
        """
        import polars as pl

        bins = [f"{100 * b / BINS:g}–{100 * (b + 1) / BINS:g} %" for b in range(BINS)]
        names = what, "probability", "share", "low", "high"
        found = pl.DataFrame({"bin": bins, **dict(zip(names, self[:5], strict=True))}, nan_to_null=True)
        named = found.select(*(pl.lit(label).alias(name) for name, label in labels.items()), pl.all())
        return named.filter(pl.col(what) > 0)


def share_curve(forecast: Floats, share: Floats, weight: Floats | None = None) -> ShareCurve:
    """Sort statements into bins by what was forecast of them.

    The interval of a bin's mean share treats statements as independent. It takes Student's t with one degree of freedom
    less than the bin's effective number of statements, (Σw)²/Σw² (Kish 1965).

    Parameters
    ----------
    forecast, share : ndarray, shape (statements, ways)
        Forecast shares and observed ones, all known.
    weight : ndarray, shape (statements, ways), optional
        Probability of each way, if a statement has several; the weights of a statement sum to 1.

    Returns
    -------
    ShareCurve
    """
    weight = np.ones(forecast.shape) if weight is None else weight
    place, row = bin_of(forecast), np.arange(len(forecast))[:, None]

    def sums(values: Floats) -> Floats:
        """Add up values by statement and bin, shape (statements, bins)."""
        found = np.zeros((len(forecast), BINS))
        np.add.at(found, (row, place), weight * values)
        return found

    weights, forecasts, shares = sums(np.ones(forecast.shape)), sums(forecast), sums(share)
    count = weights.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean_forecast, mean = forecasts.sum(axis=0) / count, shares.sum(axis=0) / count
        effective = count**2 / (weights**2).sum(axis=0)
        apart = shares - weights * np.where(count > 0, mean, 0)
        error = np.sqrt((apart**2).sum(axis=0) * effective / (effective - 1)) / count
    half = np.array(
        [t_quantile(float(n) - 1) * e if n > 1 else np.nan for n, e in zip(effective, error, strict=True)]
    )
    gaps = shares - forecasts
    return ShareCurve(
        count,
        mean_forecast,
        mean,
        np.maximum(mean - half, 0),
        np.minimum(mean + half, 1),
        gaps @ np.sign(gaps.sum(axis=0)),
    )
