"""Searches groups of rows by branch and bound: how many columns k rows can share, for every k in one search.

For a single k this is the maximum k-subset intersection problem, which is NP-hard. Its linear relaxation is the concave
hull of the solutions as a function of k. The solutions fall steeply at first, so the hull is far from them, and an
integer program takes many times as long for one k as this search does for all. Two things make the search short: a
bound that is cheap for all k at once, and a table of every subset of the last few rows, which need no search.
"""

from __future__ import annotations

import heapq
from itertools import count
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from probsense.analysis.agreement.pq.front import Front
from probsense.analysis.agreement.pq.table import ROWS, tabulate

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

    chosen: NDArray[np.bool_]
    candidates: NDArray[np.int64]
    bound: NDArray[np.int64]

    @property
    def sizes(self) -> slice:
        """Return the sizes of its groups, from that of the chosen rows alone."""
        least = int(self.chosen.sum())
        return slice(least, least + len(self.bound))

    def lead(self, front: Front) -> int:
        """Return by how much the bound exceeds what is found, summed over all sizes; 0 if the node can be forgotten."""
        return int(np.maximum(self.bound - front.shared[self.sizes], 0).sum())


def search(matrix: NDArray[np.float32], front: Front, *, effort: float = EFFORT) -> NDArray[np.int64]:
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


def bounds(matrix: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
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
