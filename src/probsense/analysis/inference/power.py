"""Computes how small a difference a test could have found."""

from __future__ import annotations

from probsense.analysis.inference.estimate import Estimate
from probsense.analysis.inference.quantiles import t_quantile


def detectable(estimate: Estimate, *, power: float = 0.8, level: float = 0.95) -> float:
    """Compute the smallest true difference that a two-sided test with this error would have found.

    The difference is (t₁₋α⸝₂ + t_power) · se, with one degree of freedom less than there are clusters (Bloom 1995,
    Evaluation Review 19(5), 547–556; Miller 2024, arXiv 2411.00640, section 5).

    Parameters
    ----------
    estimate : Estimate
        Estimate of the mean difference.
    power : float
        Probability of finding the difference.
    level : float
        Confidence level 1 − α of the test.

    Returns
    -------
    float
        Difference in the measure's own unit; NaN where the error is unknown.
    """
    freedom = max(estimate.units - 1, 1)
    return (t_quantile(freedom, level) + t_quantile(freedom, 2 * power - 1)) * estimate.stderr
