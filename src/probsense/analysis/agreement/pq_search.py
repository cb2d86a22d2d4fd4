"""Searches groups of rows of a boolean matrix by branch and bound: how many columns k rows share, for every k at once.

For a single k this is the maximum k-subset intersection problem, which is NP-hard. Its linear relaxation is the concave
hull of the solutions as a function of k. The solutions fall steeply at first, so the hull is far from them, and an
integer program takes many times as long for one k as this search does for all. Two things make the search short: a
bound that is cheap for all k at once, and a table of every subset of the last few rows, which need no search.
"""

from __future__ import annotations

import heapq
from itertools import count
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from probsense.analysis.arrays import Bools, Ints


class Front(NamedTuple):
    """Hold the best group of rows found so far for every size; it improves in place.

    Attributes
    ----------
    shared : ndarray of int, shape (rows + 1,)
        Number of columns that all rows of the best group of at least k rows hold; never rises with k.
    group : ndarray of bool, shape (rows + 1, rows)
        That group.
    """

    shared: Ints
    group: Bools

    @classmethod
    def of(cls, matrix: Bools) -> Front:
        """Return a front that knows the group of all rows and the empty group, which shares every column.

        Parameters
        ----------
        matrix : ndarray of bool, shape (rows, columns)
        """
        rows, columns = matrix.shape
        front = cls(np.full(rows + 1, -1, dtype=np.int64), np.zeros((rows + 1, rows), dtype=bool))
        front.offer(np.ones(rows, dtype=bool), int(matrix.all(axis=0).sum()))
        front.offer(np.zeros(rows, dtype=bool), columns)
        return front

    def offer(self, group: Bools, shared: int) -> None:
        """Keep a group for every size for which it is the best so far."""
        better = np.flatnonzero(self.shared[: int(group.sum()) + 1] < shared)
        self.shared[better] = shared
        self.group[better] = group


def transposed(front: Front, matrix: Bools) -> Front:
    """Convert groups of columns that share rows to groups of rows that share columns.

    Parameters
    ----------
    front : Front
        Front of the transpose of ``matrix``.
    matrix : ndarray of bool, shape (rows, columns)
    """
    found = Front.of(matrix)
    for columns in front.group[1:]:
        group: Bools = np.all(matrix[:, columns], axis=1)
        found.offer(group, int(matrix[group].all(axis=0).sum()))
    return found


def transposed_bound(bound: Ints, rows: int) -> Ints:
    """Convert bounds on the rows that k columns share to bounds on the columns that k rows share.

    Parameters
    ----------
    bound : ndarray of int, shape (columns + 1,)
        Bound for every number of columns; never rises.
    rows : int

    Returns
    -------
    ndarray of int, shape (rows + 1,)
    """
    columns: Ints = np.sum(bound[None, 1:] >= np.arange(rows + 1)[:, None], axis=1)
    return columns


ROWS = 17
"""Rows of the largest table: 2^17 subsets in 16 bits stay in a core's cache."""


def tabulate(matrix: NDArray[np.float32], rows: Ints, chosen: Bools, front: Front) -> None:
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


def _bits(size: int) -> Ints:
    """Count the bits that are set in each number below a power of two."""
    bits = np.zeros(1, dtype=np.int64)
    while len(bits) < size:
        bits = np.concatenate([bits, bits + 1])
    return bits


def _max_by_bits(values: NDArray[np.unsignedinteger[Any]], bits: Ints) -> NDArray[np.unsignedinteger[Any]]:
    """Return the greatest value along the first axis for every number of bits."""
    first = np.cumsum(np.bincount(bits)) - np.bincount(bits)
    return np.maximum.reduceat(values[np.argsort(bits, kind="stable")], first, axis=0)


EFFORT = 3e10
"""Number of additions of 0s and 1s at which a search stops, some ten seconds on one core."""
NODE = 2e5
"""Cost of a node in the same unit when it is made, and again when it is opened, however small it is."""
TABLE = 20
"""Cost of an entry of a table in the same unit."""


class Node(NamedTuple):
    """Hold the groups of the chosen rows and any of the candidates; with t candidates they share at most bound[t]
    columns.
    """

    chosen: Bools
    candidates: Ints
    bound: Ints

    @property
    def sizes(self) -> slice:
        """Return the sizes of its groups, from that of the chosen rows alone."""
        least = int(self.chosen.sum())
        return slice(least, least + len(self.bound))

    def lead(self, front: Front) -> int:
        """Return by how much the bound exceeds what is found, summed over all sizes; 0 if the node can be forgotten."""
        return int(np.maximum(self.bound - front.shared[self.sizes], 0).sum())


def search(matrix: NDArray[np.float32], front: Front, *, effort: float = EFFORT) -> Ints:
    """Improve a front until nothing better is possible, or until the effort is spent.

    Nodes are opened in the order of how much better than the front they might be, so the bound is as low as possible
    when the search stops early. The same effort gives the same result on every machine.

    Parameters
    ----------
    matrix : ndarray of 0 and 1, shape (rows, columns)
    front : Front
        Front of the same matrix; the better it is at first, the shorter is the search.
    effort : float
        Number of additions at which the search stops; the first node is opened in any case.

    Returns
    -------
    ndarray of int, shape (rows + 1,)
        Proven upper bound on the columns that k rows share; equal to ``front.shared`` if the search came to its end.
    """
    rows, columns = matrix.shape
    tie = count()
    root = Node(np.zeros(rows, dtype=bool), np.arange(rows), np.full(rows + 1, columns, dtype=np.int64))
    heap = [(0, next(tie), root)]
    while heap:
        _, _, node = heapq.heappop(heap)
        children, cost = _open(matrix, node, front)
        for child in children:
            heapq.heappush(heap, (-child.lead(front), next(tie), child))
        effort -= cost
        if effort <= 0:
            break
    bound = front.shared.copy()
    for _, _, node in heap:
        bound[node.sizes] = np.maximum(bound[node.sizes], node.bound)
    return bound


def bounds(matrix: NDArray[np.float32]) -> tuple[NDArray[np.float32], Ints]:
    """Bound the number of columns that a group can share, by one of its members and its size.

    A group of t rows with row i shares no more columns than (a) those of i that at least t rows hold, and (b)
    those that i shares with the one of its t − 1 best partners that is the worst.

    Parameters
    ----------
    matrix : ndarray of 0 and 1, shape (rows, columns)

    Returns
    -------
    pairs : ndarray, shape (rows, rows)
        How many columns each pair of rows shares.
    bound : ndarray of int, shape (rows, rows)
        ``bound[i, t - 1]`` is that for groups of t rows with row i; never rises with t.
    """
    sizes = np.arange(1, len(matrix) + 1)
    pairs = matrix @ matrix.T
    common = matrix @ (matrix.sum(axis=0)[:, None] >= sizes).astype(np.float32)
    partners = -np.sort(-pairs, axis=1)
    return pairs, np.minimum(common, partners).astype(np.int64)


def _open(matrix: NDArray[np.float32], node: Node, front: Front) -> tuple[list[Node], float]:
    """Offer the best groups of a node that are easily found, and return the remaining nodes and the cost."""
    cost = NODE
    if not node.lead(front):
        return [], cost
    part = matrix[np.ix_(node.candidates, matrix[node.chosen].all(axis=0))]
    free = part.all(axis=1)
    chosen, candidates, part = node.chosen.copy(), node.candidates[~free], part[~free]
    chosen[node.candidates[free]] = True
    front.offer(chosen, part.shape[1])
    start = int(chosen.sum())
    # Drop rows that can be in no better group, and then columns that too few of the other rows hold.
    while True:
        found = front.shared[start + 1 : start + 1 + len(candidates)]
        pairs, bound = bounds(part)
        cost += part.size * len(part)
        most = np.sort(bound, axis=0)[::-1].diagonal()
        open_sizes = most > found
        if not open_sizes.any():
            return [], cost
        useful = (bound > found)[:, open_sizes].any(axis=1)
        if useful.all():
            break
        candidates, part = candidates[useful], part[useful]
        part = part[:, part.sum(axis=0) > np.argmax(open_sizes)]
    order = np.argsort(pairs.diagonal(), kind="stable")
    candidates, part, pairs, bound = candidates[order], part[order], pairs[np.ix_(order, order)], bound[order]
    bound = np.where(open_sizes, np.minimum(bound, most), 0)
    last = max(len(candidates) - ROWS, 0)
    tabulate(part[last:], candidates[last:], chosen, front)
    cost += TABLE * 2.0 ** (len(candidates) - last)
    least = found[open_sizes].min()
    children = []
    for i in range(last):
        # Skip a group that could include an earlier row at no cost: the node of that row has it.
        if (bound[i] > found).any() and not (pairs[i, :i] == pairs[i, i]).any():
            later = candidates[i + 1 :][pairs[i, i + 1 :] > least]
            child = Node(chosen.copy(), later, bound[i, : 1 + len(later)].copy())
            child.chosen[candidates[i]] = True
            children.append(child)
    return children, cost + NODE * len(children)
