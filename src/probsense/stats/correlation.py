"""The interval of a correlation."""

from __future__ import annotations

import math

from probsense.stats.proportions import Ends


def fisher_interval(r: float, n: int, *, level: float = 0.95) -> Ends:
    """Interval of Pearson's correlation of n independent pairs (Fisher 1921, Metron 1, 3–32).

    artanh r has the standard error 1/√(n − 3).

    Parameters
    ----------
    r : float
    n : int
        Number of pairs.
    level : float
        Nominal coverage of the interval.

    Returns
    -------
    Ends
        Unknown for fewer than four pairs, and where r is 1 or −1 or unknown.
    """
    from scipy.special import ndtri

    if n < 4 or not abs(r) < 1:
        return Ends(math.nan, math.nan)
    half = float(ndtri((1 + level) / 2)) / math.sqrt(n - 3)
    return Ends(math.tanh(math.atanh(r) - half), math.tanh(math.atanh(r) + half))
