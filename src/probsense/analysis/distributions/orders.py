"""Measures how much a model's shares depend on the order in which the options of a question stand."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]


def order_variance(shares: Floats) -> Floats:
    """Compute the variance of a model's shares between orders, summed over options.

    Parameters
    ----------
    shares : ndarray, shape (orders, questions, options)
        The shares in each order of the options. An option stands in the same column whatever the order; those that a
        question does not have are NaN. A question that was asked in fewer orders has NaN in all options of the others.

    Returns
    -------
    ndarray, shape (questions,)
        From 0, where the order does not matter, to 1, where it alone decides.
        NaN where fewer than two orders are known.
    """
    asked = np.asarray(~np.isnan(shares).all(axis=2))
    orders = asked.sum(axis=0).astype(np.float64)
    given = np.nan_to_num(shares)
    middle = given.sum(axis=0) / np.maximum(orders, 1)[:, None]
    apart = np.where(asked[:, :, None], given - middle, 0)
    return np.asarray((apart**2).sum(axis=(0, 2)) / np.where(orders > 1, orders - 1, np.nan))


def place_shares(shares: Floats, places: NDArray[np.int64]) -> Floats:
    """Compute the share that a model gives to each place in the list of options, whatever stands there.

    Where every option stands once in every place, a model that does not heed the order gives each of K places 1/K.

    Parameters
    ----------
    shares : ndarray, shape (orders, questions, options)
        As for :func:`order_variance`.
    places : ndarray of int, shape (orders, questions, options)
        The place of each option in each order, from 0.

    Returns
    -------
    ndarray, shape (questions, options)
        Means over orders by place; NaN for places that a question does not have.
    """
    known = ~np.isnan(shares)
    questions, options = shares.shape[1:]
    row = np.broadcast_to(np.arange(questions)[:, None], shares.shape)
    at = (row * options + places)[known]
    total = np.bincount(at, shares[known], questions * options)
    count = np.bincount(at, minlength=questions * options)
    return np.asarray(total / np.where(count > 0, count, np.nan)).reshape(questions, options)
