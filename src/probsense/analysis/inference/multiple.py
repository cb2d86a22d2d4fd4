"""Adjusts the p-values of many tests for their number."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from probsense.core.errors import InputError


def adjust(p: NDArray[np.float64], method: str = "holm", *, tests: int | None = None) -> NDArray[np.float64]:
    """Adjust p-values for their number.

    Parameters
    ----------
    p : ndarray
        p-values, of any shape; NaN stands for no test and stays NaN.
    method : str
        "bonferroni" or "holm" (Holm 1979), which bound the probability of any false finding, or
        "benjamini-hochberg" (1995), which bounds the expected share of false ones among the findings.
    tests : int, optional
        Number of tests, if there were more than these; the others count as the least significant.

    Returns
    -------
    ndarray
        Adjusted p-values of the same shape, at most 1.

    Raises
    ------
    InputError
        If the method is unknown, or there are fewer tests than p-values.
    """
    if method not in METHODS:
        raise InputError(f"no such correction: {method!r}", expected="one of " + ", ".join(METHODS))
    known = ~np.isnan(p)
    order = np.argsort(p[known])
    count = len(order) if tests is None else tests
    if count < len(order):
        raise InputError(f"{len(order)} p-values of {count} tests", expected="as many tests or more")
    found, adjusted = np.full(p.shape, np.nan), np.empty(len(order))
    adjusted[order] = METHODS[method](p[known][order], count)
    found[known] = np.minimum(adjusted, 1)
    return found


def _bonferroni(p: NDArray[np.float64], tests: int) -> NDArray[np.float64]:
    return p * tests


def _holm(p: NDArray[np.float64], tests: int) -> NDArray[np.float64]:
    return np.maximum.accumulate(p * (tests - np.arange(len(p))))


def _benjamini_hochberg(p: NDArray[np.float64], tests: int) -> NDArray[np.float64]:
    return np.minimum.accumulate((p * tests / np.arange(1, len(p) + 1))[::-1])[::-1]


METHODS: Mapping[str, Callable[[NDArray[np.float64], int], NDArray[np.float64]]] = MappingProxyType(
    {"bonferroni": _bonferroni, "holm": _holm, "benjamini-hochberg": _benjamini_hochberg}
)
"""Functions of sorted p-values and the number of tests that return adjusted p-values."""
