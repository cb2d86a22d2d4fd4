"""Estimates proportions, and keeps intervals within bounds and from claiming certainty where nothing varied."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from probsense.analysis.arrays import Floats, filled, ratio
from probsense.analysis.distributions.divergence import BINS, bin_of
from probsense.analysis.inference.estimate import Estimate, t_quantile
from probsense.analysis.inference.means import mean_estimate
from probsense.core.records import Json

if TYPE_CHECKING:
    import polars as pl


FAR, NEAR = 0.25, 0.5
"""An interval that reaches less of the way to the nearer bound than ``FAR`` stays as it is; from ``NEAR`` on, all of
its shift counts."""
HALVINGS = 60
"""Enough to find an end to the last digit."""


def score_interval(mean: float, stderr: float, half: float, n: int) -> Ends:
    """Compute the score interval of a mean of values between 0 and 1, which are as skewed as beta distributed ones.

    A score interval holds every μ from which the mean v is at most as far away as the error *at μ* allows (Wilson
    1927). The error is known at v only. Elsewhere it is taken for proportional to (μ(1 − μ))^(1/(1 + ρ²)), where ρ² =
    n·se²/(v(1 − v)) is the variance of one observation as a share of the largest that is possible. The variance V and
    its slope then give the third moment V·V′ (Morris 1982, Annals of Statistics 10, 65–80) that the beta distribution
    with this mean and variance has. For values of 0 and 1, ρ² is 1, and this is Wilson's interval; for values that
    crowd at 0 without reaching it, the error is proportional to μ.

    Parameters
    ----------
    mean : float
        v, above 0 and below 1.
    stderr : float
        se.
    half : float
        Half the width of the ordinary interval: a quantile of Student's t, times se.
    n : int
        Independent observations.

    Returns
    -------
    Ends
    """
    room = mean * (1 - mean)
    power = 1 / (1 + min(n * stderr**2 / room, 1.0))

    def end(outer: float) -> float:
        inner = mean
        for _ in range(HALVINGS):
            middle = (inner + outer) / 2
            holds = abs(mean - middle) <= half * (middle * (1 - middle) / room) ** power
            inner, outer = (middle, outer) if holds else (inner, middle)
        return inner

    return Ends(end(0.0), end(1.0))


def away_from_bounds(mean: float, stderr: float, half: float, n: int) -> Ends:
    """Shift the interval v ± half of a mean of values between 0 and 1 away from the bound that it reaches for.

    The shifted interval is :func:`score_interval`. It replaces the ordinary one if that reaches more than a half of the
    way to the nearer bound, and not at all below a quarter; between them, the ends move from one to the other in
    proportion. It never replaces an interval that holds it.

    Parameters
    ----------
    mean, stderr, half, n
        As for :func:`score_interval`; the mean may be 0 or 1.

    Returns
    -------
    Ends
        Between 0 and 1.
    """
    plain = Ends(max(mean - half, 0.0), min(mean + half, 1.0))
    nearer = min(mean, 1 - mean)
    if nearer <= 0 or half <= FAR * nearer:
        return plain
    shifted = score_interval(mean, stderr, half, n)
    if plain.low <= shifted.low and shifted.high <= plain.high:
        return plain
    part = min((half / nearer - FAR) / (NEAR - FAR), 1.0)
    return Ends(*(a + part * (b - a) for a, b in zip(plain, shifted, strict=True)))


FLAT = 1e-12
"""Intervals of quantities without bounds that are narrower, relative to the value or to 1, have no width but by
rounding."""
ALIKE = 0.05
"""Observations whose sum has a smaller error, as a share of what one of them can add to it, are alike."""
LONE = 0.01
"""What a single observation has no narrower interval than, as a share of the distance of the bounds."""
SYMMETRIC = 1e-9
"""An interval is symmetric if its halves differ by less, as a share of its width."""


def bounded(estimate: Estimate, bounds: tuple[float, float]) -> Estimate:
    """Return the estimate with an interval that lies within the bounds, holds the value and has a width.

    An interval is cut off at the bounds. It loses nothing by that, because no true value lies beyond them. A percentile
    interval of a biased statistic may miss the value; it is widened up to it.

    A symmetric interval that reaches far towards a bound comes from values that crowd there, which are skewed. It is
    shifted by :func:`away_from_bounds`, unless the quantity has a sign
    (the bounds enclose 0), because the test of a difference has no such shift.

    Observations that are all equal have a spread of 0, which carries no information. Let them be n, the smaller one of
    the numbers of observations and clusters. A share w of all possible observations may then differ, where w is the
    upper end of Wilson's interval for 0 of n (Wilson 1927, with Student's t at n − 1 degrees of freedom). These may lie
    at either bound, so the mean may be anything from v − w·(v − low) to v + w·(high − v). If the value v lies at a
    bound, this is Wilson's interval itself, as :func:`~probsense.analysis.inference.bounded.proportion_estimate`
    has it for a share of 0 or 1. For a single observation, and on a side without a finite bound, nothing bounds the
    mean, and the whole interval is unknown.

    Observations that are nearly equal tell little more. The interval then holds at least a part of that range: w
    shrinks to 0 as the standard error of the observations' sum grows to :data:`ALIKE` of the distance of the bounds.
    The interval itself tells that error: n/t times its longer half, which a bound on the other side leaves as it is.

    Parameters
    ----------
    estimate : Estimate
    bounds : (float, float)
        The smallest and the largest possible value; infinite where there is none.

    Returns
    -------
    Estimate
        Its interval is NaN if it or the value was, or if nothing bounds the mean.
    """
    value, low, high = estimate.value, estimate.low, estimate.high
    if math.isnan(value):
        return replace(estimate, low=math.nan, high=math.nan)
    if math.isnan(low) or math.isnan(high):
        return estimate
    n, width = min(estimate.n, estimate.clusters), bounds[1] - bounds[0]
    if n > 1 and math.isfinite(width):
        low, high = _widened(estimate, *_shifted(estimate, n, bounds), n, bounds)
    elif high - low <= (LONE * width if math.isfinite(width) else FLAT * max(abs(value), 1)):
        return replace(estimate, low=math.nan, high=math.nan, no_interval="all alike" if n > 1 else "")
    if not math.isnan(low):
        low, high = min(max(low, bounds[0]), value), max(min(high, bounds[1]), value)
    # Bounds may be whole numbers, which tables of floating-point numbers do not take.
    return replace(estimate, low=float(low), high=float(high))


def _shifted(estimate: Estimate, n: int, bounds: tuple[float, float]) -> tuple[float, float]:
    """Shift a symmetric interval away from a bound, for a quantity without a sign."""
    value, low, high = estimate.value, estimate.low, estimate.high
    skew = abs((high - value) - (value - low))
    if not estimate.stderr > 0 or skew > SYMMETRIC * (high - low) or bounds[0] < 0 < bounds[1]:
        return low, high
    width = bounds[1] - bounds[0]
    ends = away_from_bounds((value - bounds[0]) / width, estimate.stderr / width, (high - low) / 2 / width, n)
    return bounds[0] + width * ends.low, bounds[0] + width * ends.high


def _widened(
    estimate: Estimate, low: float, high: float, n: int, bounds: tuple[float, float]
) -> tuple[float, float]:
    """Widen the interval of observations that are equal, or nearly so, by what was never seen."""
    value, width, t = estimate.value, bounds[1] - bounds[0], t_quantile(n - 1, estimate.level)
    differ = n * max(value - estimate.low, estimate.high - value) / t / (ALIKE * width)
    if differ >= 1:
        return low, high
    share = (1 - differ) * wilson(0.0, n, z=t).high
    return min(low, value - share * (value - bounds[0])), max(high, value + share * (bounds[1] - value))


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
    mean_forecast, mean = ratio(forecasts.sum(axis=0), count), ratio(shares.sum(axis=0), count)
    effective = ratio(count**2, (weights**2).sum(axis=0))
    apart = shares - weights * filled(mean)
    error = ratio(np.sqrt(ratio((apart**2).sum(axis=0) * effective, effective - 1)), count)
    half = error * [t_quantile(n - 1) for n in effective.tolist()]
    gaps = shares - forecasts
    return ShareCurve(
        count,
        mean_forecast,
        mean,
        np.maximum(mean - half, 0),
        np.minimum(mean + half, 1),
        gaps @ np.sign(gaps.sum(axis=0)),
    )
