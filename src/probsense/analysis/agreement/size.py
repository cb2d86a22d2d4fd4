"""Estimates whether larger models score higher, by a mixed model over families."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from probsense.analysis.inference.quantiles import t_p_value, t_quantile
from probsense.core.errors import InputError

LARGEST = 1e4
"""Upper limit of the search for the ratio of the variance between families to the variance within."""


@dataclass(frozen=True, slots=True)
class SizeEffect:
    """Hold a linear mixed model, score ~ 1 + log₁₀(parameters) + (1 | family), fitted by REML.

    Attributes
    ----------
    slope, stderr, low, high, p : float
        Difference in score between a model and one with ten times its parameters.
    intercept : float
        Score at one unit of parameters.
    family_variance, residual_variance : float
        Variance between families, and within families.
    n, families : int
    """

    slope: float
    stderr: float
    low: float
    high: float
    p: float
    intercept: float
    family_variance: float
    residual_variance: float
    n: int
    families: int


class _Fit(NamedTuple):
    """Hold the fit at one ratio of variances."""

    criterion: float
    coefficients: NDArray[np.float64]
    covariance: NDArray[np.float64]
    variance: float


def size_effect(
    scores: NDArray[np.float64],
    parameters: NDArray[np.float64],
    family: Sequence[str],
    *,
    level: float = 0.95,
) -> SizeEffect:
    """Estimate the effect of size on scores, with a level of its own for each family (Laird & Ware 1982).

    Parameters
    ----------
    scores : ndarray, shape (models,)
        Finite; published in per cent.
    parameters : ndarray, shape (models,)
        Number of parameters, above zero; published in 10⁹.
    family : sequence of str
        One for each model.
    level : float
        Nominal coverage of the interval.

    Returns
    -------
    SizeEffect

    Raises
    ------
    InputError
        If a score or size is not a number, or there are too few families, sizes or models.

    Notes
    -----
    Given the ratio of the two variances, everything else has a closed form, and a search along a line finds the ratio.
    This is the profile of Bates et al. (2015, J. Stat. Software 67(1)) and the method of R's lmer, which computed the
    published estimates. Error and interval take the ratio as known, as lmer does. Student's t has
    models − families − 1 degrees of freedom, those of a slope within groups (Pinheiro & Bates 2000, section 2.4.2).
    """
    from scipy.optimize import minimize_scalar

    x = np.asarray(parameters, dtype=np.float64)
    if not (np.isfinite(x) & (x > 0) & np.isfinite(scores)).all():
        raise InputError("a model without score or size", expected="numbers; parameters above zero")
    names, place = np.unique(np.asarray(family), return_inverse=True)
    freedom = len(x) - len(names) - 1
    if len(names) < 2 or freedom < 1 or np.ptp(x) == 0:
        raise InputError(
            f"{len(x)} models of {len(names)} families",
            expected="models of several sizes, two families or more, and at least two models more than families",
        )
    design = np.column_stack([np.ones(len(x)), np.log10(x)])
    same = (place[:, None] == place).astype(np.float64)

    def fit(ratio: float) -> _Fit:
        return _fit(scores, design, np.eye(len(x)) + ratio * same)

    # The scale is logarithmic, so the ratio 0 (no variance between families) is compared separately.
    found = minimize_scalar(
        lambda log: fit(float(np.exp(log))).criterion,
        bounds=(-np.log(LARGEST), np.log(LARGEST)),
        method="bounded",
        options={"xatol": 1e-9},
    )
    ratio = min((0.0, float(np.exp(found.x))), key=lambda ratio: fit(ratio).criterion)
    best = fit(ratio)
    slope, stderr = float(best.coefficients[1]), float(np.sqrt(best.covariance[1, 1]))
    half = t_quantile(freedom, level) * stderr
    t = abs(slope) / stderr if stderr > 0 else np.inf
    return SizeEffect(
        slope,
        stderr,
        slope - half,
        slope + half,
        float(t_p_value(t, freedom)),
        float(best.coefficients[0]),
        ratio * best.variance,
        best.variance,
        len(x),
        len(names),
    )


def _fit(y: NDArray[np.float64], design: NDArray[np.float64], shape: NDArray[np.float64]) -> _Fit:
    """Fit generalised least squares with errors of covariance σ² · shape; the criterion is minus twice the REML
    log-likelihood.
    """
    inverse = np.linalg.inv(shape)
    information = design.T @ inverse @ design
    coefficients = np.linalg.solve(information, design.T @ inverse @ y).astype(np.float64)
    residual = y - design @ coefficients
    freedom = len(y) - design.shape[1]
    variance = float(residual @ inverse @ residual) / freedom
    logs = np.linalg.slogdet(shape)[1] + np.linalg.slogdet(information)[1]
    # If all scores lie exactly on lines, the variance is 0 and has no logarithm.
    criterion = float(logs + freedom * np.log(max(variance, np.finfo(np.float64).tiny)))
    covariance = np.linalg.inv(information).astype(np.float64) * variance
    return _Fit(criterion, coefficients, covariance, variance)
