"""Quantiles and p-values of the normal distribution and of Student's t."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

LEVEL: Final = 0.95
"""Nominal coverage of intervals."""
Z: Final = 1.959963984540054
"""Half the width of a normal interval of that coverage, in standard errors."""


def t_quantile(freedom: float, level: float = LEVEL) -> float:
    """Return half the width of an interval of Student's t, in standard errors.

    Parameters
    ----------
    freedom : float
        Degrees of freedom.
    level : float
        Nominal coverage of the interval.
    """
    from scipy.special import stdtrit

    return float(stdtrit(freedom, (1 + level) / 2))


def t_p_value(t: ArrayLike, freedom: ArrayLike) -> NDArray[np.float64]:
    """Return the two-sided p-value of Student's t.

    Parameters
    ----------
    t, freedom : array_like, of shapes that broadcast
        The statistic and its degrees of freedom.
    """
    from scipy.special import stdtr

    return np.asarray(2 * stdtr(freedom, -np.abs(t)))
