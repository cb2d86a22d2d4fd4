"""Keeps the best groups of rows of a boolean matrix: for every size, one that shares the most columns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Front:
    """Hold the best group of rows found so far for every size; it improves in place.

    Attributes
    ----------
    shared : ndarray of int, shape (rows + 1,)
        Number of columns that all rows of the best group of at least k rows hold; never rises with k.
    group : ndarray of bool, shape (rows + 1, rows)
        That group.
    """

    shared: NDArray[np.int64]
    group: NDArray[np.bool_]

    @classmethod
    def of(cls, matrix: NDArray[np.bool_]) -> Front:
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

    def offer(self, group: NDArray[np.bool_], shared: int) -> bool:
        """Keep a group for every size for which it is the best so far, and tell whether there was one."""
        better = np.flatnonzero(self.shared[: int(group.sum()) + 1] < shared)
        self.shared[better] = shared
        self.group[better] = group
        return len(better) > 0


def transposed(front: Front, matrix: NDArray[np.bool_]) -> Front:
    """Convert groups of columns that share rows to groups of rows that share columns.

    Parameters
    ----------
    front : Front
        Front of the transpose of ``matrix``.
    matrix : ndarray of bool, shape (rows, columns)
    """
    found = Front.of(matrix)
    for columns in front.group[1:]:
        group: NDArray[np.bool_] = np.all(matrix[:, columns], axis=1)
        found.offer(group, int(matrix[group].all(axis=0).sum()))
    return found


def transposed_bound(bound: NDArray[np.int64], rows: int) -> NDArray[np.int64]:
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
    columns: NDArray[np.int64] = np.sum(bound[None, 1:] >= np.arange(rows + 1)[:, None], axis=1)
    return columns
