"""Estimates means of questions, with intervals over questions and, where it is known who answered, over people.

Every value of a set of questions is linearised: each question, or cluster of questions, and each person's answer adds
something to it, from which :func:`~probsense.analysis.inference.raters.crossed_interval` makes an error. The spread
of questions holds the chance of who answered each of them; what the same people add by answering several comes on top.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from probsense.analysis.arrays import Floats, Ints
from probsense.analysis.human_choices.measures import Distributions
from probsense.analysis.inference.bounded import bounded
from probsense.analysis.inference.estimate import LEVEL, TWO_WAY, Estimate
from probsense.analysis.inference.raters import Cells, Linear, crossed_interval
from probsense.core.records import Json


class Answers(NamedTuple):
    """Hold who chose what; all arrays have the shape (answers,).

    Attributes
    ----------
    question, option : ndarray of int
        Row and column of the counts.
    rater : ndarray of int
        The person.
    """

    question: Ints
    option: Ints
    rater: Ints


class Values(NamedTuple):
    """Hold what is measured of each question, and what each answer adds to it.

    Attributes
    ----------
    values : ndarray, shape (questions,)
        NaN where unknown.
    influences : ndarray, shape (questions, K), or None
        By how much an answer with this option moves the value, from :func:`answer_influences`; None where it is not
        known who answered.
    """

    values: Floats
    influences: Floats | None = None

    def less(self, other: Values) -> Values:
        """Return the differences from other values of the same questions, known where both are."""
        if self.influences is None or other.influences is None:
            return Values(self.values - other.values)
        return Values(self.values - other.values, self.influences - other.influences)


def measured(function: Callable[[Distributions], Floats], pair: Distributions, *, raters: bool) -> Values:
    """Measure questions, and what each answer adds if it is known who gave it, and on any question what it adds.

    Parameters
    ----------
    function : callable
        Function of distributions that returns a value for each question, such as a measure or a noise floor.
    pair : Distributions
    raters : bool
        Whether it is known.
    """
    if not raters:
        return Values(function(pair))
    moved = answer_influences(function, pair)
    return Values(function(pair), None if np.isnan(moved).any(axis=1).all() else np.nan_to_num(moved))


def answer_influences(function: Callable[[Distributions], Floats], pair: Distributions) -> Floats:
    """Compute by how much each answer moves the value of its question, by leaving it out (Tukey 1958).

    With θ₋ₖ, the value without one answer of option k, it is (θ̄ − θ₋ₖ)(n − 1)/n, where θ̄ is the mean of θ₋ over the n
    answers. For a mean this is (x − x̄)/n. Answers with the same option move the value by the same.

    Parameters
    ----------
    function : callable
    pair : Distributions

    Returns
    -------
    ndarray, shape (questions, options)
        0 where nobody chose the option, and otherwise NaN where a value without one answer is unknown.
    """
    counts = pair.p * pair.people[:, None]
    without = np.zeros(pair.p.shape)
    fewer = np.where(pair.people > 1, pair.people - 1, np.nan)
    for option in range(pair.p.shape[1]):
        left = counts.copy()
        left[:, option] -= 1
        rest = pair._replace(p=np.maximum(left, 0) / fewer[:, None], people=fewer)
        without[:, option] = np.where(counts[:, option] >= 1, function(rest), 0)
    middle = (pair.p * without).sum(axis=1, keepdims=True)
    moved = (middle - without) * (fewer / pair.people)[:, None]
    return np.where(counts > 0, moved, 0)


def mean(found: Values, clusters: ArrayLike | None = None, answers: Answers | None = None) -> Linear:
    """Compute the mean over the questions whose value is known.

    Parameters
    ----------
    found : Values
    clusters : array_like, shape (questions,), optional
        Label of each question's cluster, of any kind; by default each is one by itself.
    answers : Answers, optional
        Who answered, if the interval is to speak for other people, too.
    """
    return ratio(found, Values(np.ones(len(found.values))), clusters, answers)


def normalised(
    apart: Values,
    floor: Values,
    far: Values,
    clusters: ArrayLike | None = None,
    answers: Answers | None = None,
) -> Linear:
    """Compute a normalised distance, (a − f)/(b − f) of the means of three distances.

    Parameters
    ----------
    apart, floor, far : Values
        Of the model, from :mod:`~probsense.analysis.human_choices.measures`; of another sample of as many people, and
        of what lies far, from :mod:`~probsense.analysis.human_choices.floors`. Questions count where all three are
        known.
    clusters, answers
        As for :func:`mean`.

    Returns
    -------
    Linear
        NaN where b is not above f.
    """
    return ratio(apart.less(floor), far.less(floor), clusters, answers)


def ratio(
    above: Values, below: Values, clusters: ArrayLike | None = None, answers: Answers | None = None
) -> Linear:
    """Compute the ratio of the means of two values over the questions that know both.

    Parameters
    ----------
    above, below : Values
    clusters, answers
        As for :func:`mean`.

    Returns
    -------
    Linear
        Its items are clusters. NaN without a question, and where the mean below is not above 0.
    """
    known = np.flatnonzero(~np.isnan(above.values + below.values))
    x, y = above.values[known], below.values[known]
    if not len(known) or y.mean() <= 0:
        return Linear(math.nan, np.full(len(known), np.nan))
    total = float(y.sum())
    value = float(x.sum()) / total
    labels = known if clusters is None else np.asarray(clusters)[known]
    names, place = np.unique(labels, return_inverse=True)
    items = np.bincount(place, (x - value * y) / total, len(names)).astype(np.float64)
    if answers is None or above.influences is None:
        return Linear(value, items)
    moved = above.influences - value * (0.0 if below.influences is None else below.influences)
    cluster = np.full(len(above.values), -1)
    cluster[known] = place
    return Linear(value, items, _by_cluster(answers, moved / total, cluster))


def _by_cluster(answers: Answers, moved: Floats, cluster: Ints) -> Cells:
    """Add up what each person's answers to the questions of a cluster move; cluster −1 does not count."""
    kept = cluster[answers.question] >= 0
    question, option, rater = (part[kept] for part in answers)
    _, person = np.unique(rater, return_inverse=True)
    pairs, place = np.unique(person * (int(cluster.max()) + 1) + cluster[question], return_inverse=True)
    person, item = np.divmod(pairs, int(cluster.max()) + 1)
    return Cells(item, person, np.bincount(place, moved[question, option]).astype(np.float64))


def estimate(
    measure: str,
    by: Mapping[str, Json],
    found: Linear,
    questions: int,
    *,
    bounds: tuple[float, float] = (-math.inf, math.inf),
) -> Estimate:
    """Estimate a value with Student's t, bounded by what the measure can be.

    Parameters
    ----------
    measure, by
        As in :class:`~probsense.analysis.inference.estimate.Estimate`.
    found : Linear
    questions : int
        How many questions it is about.
    bounds : (float, float)
        The smallest and the largest possible value.

    Returns
    -------
    Estimate
        With the method "two-way clustered" where it speaks for other people, and "clustered" where it does not.
        Its ``clusters`` are those of questions. Unknown for a single one.
    """
    method = TWO_WAY if found.raters else "clustered"
    # Clusters are those of questions, however few people answer them all: by these, values are told to be alike.
    units = LEVEL, questions, len(found.items)
    return bounded(Estimate(measure, by, found.value, *crossed_interval(found), *units, method), bounds)
