"""Reads models as simulated populations: the probability of "yes" is the share of people who say it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from probsense.analysis.agreement.scores import (
    Scores,
    correlation,
    correlation_p_value,
    filled,
    majority,
    match,
    mean_known,
    ratio,
)
from probsense.analysis.inference.influence import Cells


def published_population_scores(p1: NDArray[np.float64], p2: NDArray[np.float64]) -> Scores:
    """Score statements within a model as published, where a tie of the model's own first answer is a "yes".

    Consensus is 2·|p₁ − ½|; awareness is p₂ where p₁ ≥ ½, else 1 − p₂: the majority is the model's *own*
    (Nguyen, Watts & Whiting 2026).

    Parameters
    ----------
    p1, p2 : ndarray, shape (models, statements)
        Probability of "yes" to both questions, without the mass of other answers; NaN where there is none.

    Returns
    -------
    Scores
        Scores of shape (models, statements).
    """
    return Scores(2 * np.abs(p1 - 0.5), np.where(p1 >= 0.5, p2, 1 - p2))


def population_scores(p1: NDArray[np.float64], p2: NDArray[np.float64]) -> Scores:
    """Score statements within a model; at a tie of its own first answer, every second answer is half right.

    Parameters
    ----------
    p1, p2 : ndarray, shape (models, statements)
        Probability of "yes" to both questions; NaN where there is none.

    Returns
    -------
    Scores
        Scores of shape (models, statements).
    """
    return Scores(np.abs(2 * p1 - 1), match(p2, majority(p1)))


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """Hold how near models' values of statements come to people's; all arrays have the shape (models,).

    Attributes
    ----------
    r, p : ndarray
        Pearson's correlation and its two-sided p-value.
    r2 : ndarray
        1 − Σ(h − m)² / Σ(h − h̄)². The model's value itself is the prediction, so that R² may be negative.
    rmse, mae : ndarray
        Root mean square and mean absolute difference, in the unit of the values.
    n : ndarray of int
        Number of statements.
    """

    r: NDArray[np.float64]
    p: NDArray[np.float64]
    r2: NDArray[np.float64]
    rmse: NDArray[np.float64]
    mae: NDArray[np.float64]
    n: NDArray[np.int64]


def fit(people: NDArray[np.float64], models: NDArray[np.float64]) -> Fit:
    """Compare models' values of statements with people's, as published.

    Parameters
    ----------
    people : ndarray, shape (statements,)
        For example the commonsensicality of statements; NaN where it is unknown.
    models : ndarray, shape (models, statements)

    Returns
    -------
    Fit
        Fit of each model on the statements for which both values are known.
    """
    known = ~np.isnan(models) & ~np.isnan(people)
    n = known.sum(axis=1)
    human = np.where(known, people, np.nan)
    apart = human - models
    squares = mean_known(apart**2)
    r = correlation(human, np.where(known, models, np.nan))
    return Fit(
        r,
        correlation_p_value(r, n),
        1 - ratio(squares, mean_known((human - mean_known(human)[:, None]) ** 2)),
        np.sqrt(squares),
        mean_known(np.abs(apart)),
        n,
    )


Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Simulated:
    """Hold what each persona answers.

    Attributes
    ----------
    yes : ndarray, shape (personas, statements)
        Probability of yes; NaN where there is no answer.
    noise : ndarray, shape (personas, statements)
        Variance of that probability around the true one: 0 if it is exact.
    weight : ndarray, shape (personas,)
        How many people each persona stands for, in any unit.
    """

    yes: Floats
    noise: Floats
    weight: Floats

    def of(self, personas: NDArray[np.bool_]) -> Simulated:
        """Select personas."""
        return Simulated(self.yes[personas], self.noise[personas], self.weight[personas])


class Valued(NamedTuple):
    """Hold a value of each statement, NaN where it is unknown, with what every answer adds to it."""

    value: Floats
    cells: Cells


class Answering(NamedTuple):
    """Hold how the respondents of a population answer: each attribute has a value for each statement.

    Attributes
    ----------
    share : Valued
        The share of yes.
    noise : ndarray, shape (statements,)
        Variance of that share around the share of all who might have been asked; a single persona stands for itself.
    variance : Valued
        Variance of one answer, yes or no, of a respondent drawn at random: the variance between respondents and that of
        each respondent's own answers.
    between : Valued
        The part of it that lies between respondents. A person answers once, so that people's own part is not known, and
        ``between`` is the whole variance.
    entropy : Valued
        Entropy of that answer in bits.
    """

    share: Valued
    noise: Floats
    variance: Valued
    between: Valued
    entropy: Valued


def personas_answering(found: Simulated) -> Answering:
    """Measure the answers of simulated people.

    With weights w that sum to 1 over the personas that answer, the variance between them is
    (Σ w(p − p̄)² − Σ (w − w²)·noise) / (1 − Σ w²), which is unbiased if they are drawn from more personas. The variance
    of a drawn answer is that plus Σ w(p(1 − p) + noise). The entropy is that of p̄, corrected by the jackknife (Zahl
    1977, Ecology 58(4)).

    Parameters
    ----------
    found : Simulated

    Returns
    -------
    Answering
        NaN for statements that fewer than two personas answer, but for the share, which one persona has, too.
    """
    known = ~np.isnan(found.yes)
    count = known.sum(axis=0)
    several = count > 1
    weight = np.where(known, found.weight[:, None], 0.0)
    w = filled(ratio(weight, weight.sum(axis=0)))
    p, noise = filled(found.yes), filled(found.noise)
    share = np.where(count > 0, (w * p).sum(axis=0), np.nan)
    off = np.where(w > 0, p - share, 0.0)
    room = np.where(several, 1 - (w**2).sum(axis=0), np.nan)
    squares = (w * off**2).sum(axis=0)
    between = (squares - ((w - w**2) * noise).sum(axis=0)) / room
    own = p * (1 - p) + noise
    within = (w * own).sum(axis=0)
    moves = {
        "share": w * off,
        "between": filled(w * (off**2 - squares) / room),
        "own": w * (own - within),
    }
    without = filled(ratio(share - w * p, 1 - w))
    return Answering(
        Valued(share, _cells(moves["share"], known)),
        np.where(several, squares / room, (w * noise).sum(axis=0)) * (w**2).sum(axis=0),
        Valued(between + within, _cells(moves["between"] + moves["own"], known)),
        Valued(between, _cells(moves["between"], known)),
        _entropy(share, without, w, _cells(moves["share"], known)),
    )


def people_answering(
    yes: Floats, statement: NDArray[np.int64], person: NDArray[np.int64], statements: int
) -> Answering:
    """Measure the answers of people, who each answer once.

    Of n people of whom a share s says yes, the variance is n/(n − 1)·s(1 − s), which is unbiased.

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
    said = np.bincount(statement, yes, statements)
    share = said / n
    variance = share * (1 - share) * n / (n - 1)
    off = Cells(statement, person, filled((yes - share[statement]) / n[statement]))
    spread = Valued(variance, off.times(filled((1 - 2 * share) * n / (n - 1))))
    # Leaving out one who says yes, or one who says no.
    without = np.stack([(said - 1) / (n - 1), said / (n - 1)])
    often = np.stack([share, 1 - share])
    return Answering(
        Valued(share, off),
        share * (1 - share) / (n - 1),
        spread,
        spread,
        _jackknifed(share, without, often, n, off),
    )


def agreement_of_pairs(variance: Floats) -> Floats:
    """Return how often two respondents give the same answer, 1 − 2·variance, shape (statements,)."""
    return 1 - 2 * variance


def _entropy(share: Floats, without: Floats, w: Floats, moved: Cells) -> Valued:
    count = np.where((w > 0).sum(axis=0) > 1, (w > 0).sum(axis=0), np.nan)
    return _jackknifed(share, without, np.where(w > 0, 1 / count, 0.0), count, moved)


def _jackknifed(share: Floats, without: Floats, often: Floats, n: Floats, moved: Cells) -> Valued:
    """Correct entropies by the jackknife: n·H − (n − 1)·(mean H without one respondent).

    ``without`` are the shares without one, shape (kinds, statements), and ``often`` how large a part of respondents
    leave them.
    """
    value = n * _bits(share) - (n - 1) * (often * _bits(np.clip(without, 0, 1))).sum(axis=0)
    inside = (share > 0) & (share < 1)
    at = np.where(inside, share, 0.5)
    steep = np.log2(1 - at) - np.log2(at)  # the ratio of both would be infinite for the smallest shares
    return Valued(value, moved.times(steep))


def _bits(p: Floats) -> Floats:
    from scipy.special import xlogy

    return np.asarray(-(xlogy(p, p) + xlogy(1 - p, 1 - p)) / np.log(2))


def _cells(value: Floats, known: NDArray[np.bool_]) -> Cells:
    rater, item = np.nonzero(known)
    return Cells(item, rater, value[rater, item])
