"""Optimal transport between equally many answers, without any clusters."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from probsense.answers.questions import Floats


def transport(cost: Floats, people: NDArray[np.int64], model: NDArray[np.int64]) -> float:
    """Mean cost of turning some answers into as many others, one for one, at the least cost.

    Between equally many answers of equal weight, the earth mover's distance is that of the best assignment (Birkhoff
    1946), which is found exactly and faster than by a linear program.

    Parameters
    ----------
    cost : ndarray, shape (U, G)
        Of turning the model's string into the people's.
    people, model : ndarray of int, shape (n,)
        Columns and rows of the cost.

    Returns
    -------
    float
        In the unit of the cost.
    """
    from scipy.optimize import linear_sum_assignment

    matrix = cost[np.ix_(model, people)]
    return float(matrix[linear_sum_assignment(matrix)].mean())
