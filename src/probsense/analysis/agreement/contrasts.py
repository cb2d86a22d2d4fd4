"""Measures how far two groups of respondents, people or personas, are apart in their answers."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from probsense.analysis.agreement.scores import filled, ratio
from probsense.analysis.inference.influence import Cells, Linear

Floats = NDArray[np.float64]


class Answering(NamedTuple):
    """Hold how the respondents of a group answer.

    Attributes
    ----------
    share : ndarray, shape (statements,)
        The share of yes; NaN where it is unknown.
    noise : ndarray, shape (statements,)
        Variance of that share around the share of all who might have been asked; a single persona stands for itself.
    cells : Cells
        What every answer adds to the share.
    """

    share: Floats
    noise: Floats
    cells: Cells


def personas_answering(yes: Floats, noise: Floats, weight: Floats) -> Answering:
    """Measure the answers of simulated people.

    With weights w that sum to 1 over the personas that answer, the variance of their mean p̄ is
    Σ w² · Σ w(p − p̄)² / (1 − Σ w²), as if they were drawn from more personas.

    Parameters
    ----------
    yes : ndarray, shape (personas, statements)
        Probability of yes; NaN where there is no answer.
    noise : ndarray, shape (personas, statements)
        Variance of that probability around the true one: 0 if it is exact.
    weight : ndarray, shape (personas,)
        How many people each persona stands for, in any unit.

    Returns
    -------
    Answering
        NaN for statements that no persona answers.
    """
    known = ~np.isnan(yes)
    count = known.sum(axis=0)
    weight = np.where(known, weight[:, None], 0.0)
    w = filled(ratio(weight, weight.sum(axis=0)))
    p, noise = filled(yes), filled(noise)
    share = np.where(count > 0, (w * p).sum(axis=0), np.nan)
    off = np.where(w > 0, p - share, 0.0)
    room = np.where(count > 1, 1 - (w**2).sum(axis=0), np.nan)
    squares = (w * off**2).sum(axis=0)
    rater, item = np.nonzero(known)
    return Answering(
        share,
        np.where(count > 1, squares / room, (w * noise).sum(axis=0)) * (w**2).sum(axis=0),
        Cells(item, rater, (w * off)[rater, item]),
    )


def people_answering(
    yes: Floats, statement: NDArray[np.int64], person: NDArray[np.int64], statements: int
) -> Answering:
    """Measure the answers of people, who each answer once.

    Of n people of whom a share s says yes, the variance of the share is s(1 − s)/(n − 1), which is unbiased.

    Parameters
    ----------
    yes : ndarray, shape (k,)
        1 or 0.
    statement, person : ndarray of int, shape (k,)
    statements : int

    Returns
    -------
    Answering
        NaN for statements that fewer than two people answer.
    """
    n = np.bincount(statement, minlength=statements).astype(np.float64)
    n = np.where(n > 1, n, np.nan)
    share = np.bincount(statement, yes, statements) / n
    off = filled((yes - share[statement]) / n[statement])
    return Answering(share, share * (1 - share) / (n - 1), Cells(statement, person, off))


def contrast_size(one: Answering, other: Answering) -> Linear:
    """Compute the root mean square difference of the shares of two groups, less their noise.

    Parameters
    ----------
    one, other : Answering
        Nobody is in both groups.

    Returns
    -------
    Linear
        Its items are the statements that both groups answer. Where noise alone is as large as the difference, it is 0,
        and nobody knows what moves it.
    """
    apart = one.share - other.share
    known = np.flatnonzero(~np.isnan(apart))
    squares = (apart**2 - one.noise - other.noise)[known]
    n = len(known)
    if not n:
        return Linear(math.nan, squares)
    value = math.sqrt(max(float(squares.mean()), 0.0))
    # The derivative of the root of a mean.
    slope = 1 / (2 * value * n) if value else math.nan
    place = np.full(len(apart), -1)
    place[known] = np.arange(n)
    statement = np.concatenate([one.cells.item, other.cells.item])
    person = np.concatenate([one.cells.rater, -1 - other.cells.rater])
    moved = np.concatenate([one.cells.value, -other.cells.value]) * 2 * apart[statement] * slope
    both = place[statement] >= 0
    cells = Cells(place[statement][both], person[both], moved[both])
    return Linear(value, (squares - squares.mean()) * slope, cells)
