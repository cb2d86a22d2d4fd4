"""Computes optimal transport between equally many answers, without any clusters."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from probsense.analysis.open_answers.questions import Floats


def transport(cost: Floats, people: NDArray[np.int64], model: NDArray[np.int64]) -> float:
    """Compute the least mean cost of turning some answers into as many others, one for one.

    Between equally many answers of equal weight, the earth mover's distance is the cost of the best assignment
    (Birkhoff 1946), which the Hungarian method finds exactly and faster than a linear program.

    Parameters
    ----------
    cost : ndarray, shape (U, G)
        Cost of turning each string of the model into each string of people.
    people, model : ndarray of int, shape (n,)
        Columns (people) and rows (model) of the cost.

    Returns
    -------
    float
        Mean cost, in the unit of ``cost``.
    """
    from scipy.optimize import linear_sum_assignment

    matrix = cost[np.ix_(model, people)]
    return float(matrix[linear_sum_assignment(matrix)].mean())
