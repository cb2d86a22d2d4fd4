"""Tabulates how many columns each subset of a few rows shares."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from probsense.analysis.agreement.pq.front import Front

ROWS = 17
"""Rows of the largest table: 2^17 subsets in 16 bits stay in a core's cache."""


def tabulate(
    matrix: NDArray[np.float32], rows: NDArray[np.int64], chosen: NDArray[np.bool_], front: Front
) -> None:
    """Offer to a front the best groups that consist of all chosen rows and of any of a few others.

    How many columns a subset shares is the sum, over all its supersets, of the number of columns held by exactly
    that superset (the fast zeta transform: Yates 1937; Björklund et al. 2007): n·2ⁿ⁻¹ additions for n rows.

    Parameters
    ----------
    matrix : ndarray of 0 and 1, shape (n, columns)
        The other rows, at most :data:`ROWS`, in the columns that all chosen rows hold.
    rows : ndarray of int, shape (n,)
        Indices of the other rows in the front.
    chosen : ndarray of bool, shape (rows of the front,)
    front : Front
    """
    n, columns = matrix.shape
    low = n - n // 2
    counter = np.dtype(np.uint16 if columns < 1 << 16 else np.uint32)
    holders = (np.float32(2) ** np.arange(n, dtype=np.float32) @ matrix).astype(np.int64)
    exactly = np.bincount(holders, minlength=1 << n).astype(counter).reshape(-1, 1 << low)
    # Each half of the bits has its turn along the first axis, because whole lines add up fast.
    shared = _superset_sums(np.ascontiguousarray(_superset_sums(exactly).T))
    low_bits, high_bits = (_bits(length) for length in shared.shape)
    best = _max_by_bits(_max_by_bits(shared, low_bits).T, high_bits).T
    sizes = int(chosen.sum()) + np.add.outer(*(np.arange(length) for length in best.shape))
    for i, j in np.argwhere(best > front.shared[sizes]):
        lows, highs = np.flatnonzero(low_bits == i), np.flatnonzero(high_bits == j)
        at = np.argwhere(shared[np.ix_(lows, highs)] == best[i, j])[0]
        subset = int(lows[at[0]]) | int(highs[at[1]]) << low
        group = chosen.copy()
        group[rows[subset >> np.arange(n) & 1 == 1]] = True
        front.offer(group, int(best[i, j]))


def _superset_sums(counts: NDArray[np.unsignedinteger[Any]]) -> NDArray[np.unsignedinteger[Any]]:
    """Compute in place, for every number along the first axis, the sum over all numbers that have its bits set."""
    size = len(counts)
    for bit in (1 << b for b in range(size.bit_length() - 1)):
        pairs = counts.reshape(size // (2 * bit), 2, bit, -1)
        pairs[:, 0] += pairs[:, 1]
    return counts


def _bits(size: int) -> NDArray[np.int64]:
    """Count the bits that are set in each number below a power of two."""
    bits = np.zeros(1, dtype=np.int64)
    while len(bits) < size:
        bits = np.concatenate([bits, bits + 1])
    return bits


def _max_by_bits(
    values: NDArray[np.unsignedinteger[Any]], bits: NDArray[np.int64]
) -> NDArray[np.unsignedinteger[Any]]:
    """Return the greatest value along the first axis for every number of bits."""
    first = np.cumsum(np.bincount(bits)) - np.bincount(bits)
    return np.maximum.reduceat(values[np.argsort(bits, kind="stable")], first, axis=0)
