"""Compares forecasts of people's shares with the shares, in bins of the forecasts."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from probsense.analysis.agreement.scores import ratio
from probsense.analysis.distributions.calibration import BINS, bin_of
from probsense.analysis.inference.quantiles import t_quantile


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

    statements: NDArray[np.float64]
    forecast: NDArray[np.float64]
    share: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    gap: NDArray[np.float64]


def share_curve(
    forecast: NDArray[np.float64],
    share: NDArray[np.float64],
    weight: NDArray[np.float64] | None = None,
    *,
    level: float = 0.95,
) -> ShareCurve:
    """Sort statements into bins by what was forecast of them.

    The interval of a bin's mean share treats statements as independent. It takes Student's t with one degree of freedom
    less than the bin has statements, of which there are (Σw)²/Σw² (Kish 1965).

    Parameters
    ----------
    forecast, share : ndarray, shape (statements, ways)
        Forecast shares and observed ones, all known.
    weight : ndarray, shape (statements, ways), optional
        Probability of each way, if a statement has several; the weights of a statement sum to 1.
    level : float
        Nominal coverage of the intervals.

    Returns
    -------
    ShareCurve
    """
    weight = np.ones(forecast.shape) if weight is None else weight
    place, row = bin_of(forecast), np.arange(len(forecast))[:, None]

    def sums(values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Add up values by statement and bin, shape (statements, bins)."""
        found = np.zeros((len(forecast), BINS))
        np.add.at(found, (row, place), weight * values)
        return found

    weights, forecasts, shares = sums(np.ones(forecast.shape)), sums(forecast), sums(share)
    count = weights.sum(axis=0)
    mean = ratio(shares.sum(axis=0), count)
    effective = ratio(count**2, (weights**2).sum(axis=0))
    apart = shares - weights * np.where(np.isnan(mean), 0, mean)
    error = np.sqrt((apart**2).sum(axis=0) * ratio(effective, np.maximum(effective - 1, 0))) / np.maximum(
        count, np.finfo(float).tiny
    )
    half = np.array(
        [
            t_quantile(float(n) - 1, level) * e if n > 1 else np.nan
            for n, e in zip(effective, error, strict=True)
        ]
    )
    gaps = shares - forecasts
    return ShareCurve(
        count,
        ratio(forecasts.sum(axis=0), count),
        mean,
        np.maximum(mean - half, 0),
        np.minimum(mean + half, 1),
        gaps @ np.sign(gaps.sum(axis=0)),
    )
