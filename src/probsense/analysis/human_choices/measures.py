"""Distributions over the options of questions, people's and a model's, and measures of how they compare.

Every measure maps :class:`Distributions` to a value for each question, NaN where it is unknown. :data:`MEASURES` has
them all by name.

With :func:`share_within` and :func:`squared_within`, questions on which people agree are measured apart from others,
without a bias from the choice. Few people may agree by chance. If they choose the questions and are compared with
the model, too, what chance did is counted twice: with 8 people, a model seems twice as far from them where they agree
as it is. So two people are compared with the model at a time, and the others say whether people agree. This is a mean
over all pairs of people, without any draw.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from probsense.analysis.arrays import Bools, Floats, Ints, ratio
from probsense.analysis.distributions import divergence
from probsense.analysis.distributions.divergence import laplace
from probsense.analysis.inference.bounded import ShareCurve, share_curve
from probsense.analysis.inference.correlations import RankCorrelation, spearman

PSEUDOCOUNT = 1.0
"""What is added to each count of a model's answers before logarithms, as in frames."""


class Distributions(NamedTuple):
    """Hold the distributions of people and of a model over the options of each question.

    Questions have different numbers of options. Options that a question does not have have shares of 0.

    Attributes
    ----------
    p, q : ndarray, shape (questions, K)
        Shares of people and of the model; NaN in all options of a question where they are unknown.
    exists : ndarray of bool, shape (questions, K)
        Whether the question has this option, for K options at most.
    people, answers : ndarray, shape (questions,)
        How many people and how many answers of the model the shares rest on. NaN stands for an unknown number of
        people, infinity for exact probabilities.
    variance : ndarray, shape (questions,), optional
        The variance of the model's shares, summed over the options, where its answers are no simple sample, because so
        many come from each order of the options.
    """

    p: Floats
    q: Floats
    exists: Bools
    people: Floats
    answers: Floats
    variance: Floats | None = None

    def where(self, chosen: Bools | Ints) -> Distributions:
        """Return the distributions of some of the questions, by a mask or by indices."""
        return Distributions(*(None if part is None else part[chosen] for part in self))  # type: ignore[arg-type]


def distributions(
    counts: Floats, shares: Floats, *, people: ArrayLike | None = None, answers: ArrayLike = np.inf
) -> Distributions:
    """Set a model's shares beside people's counts.

    Parameters
    ----------
    counts : ndarray, shape (questions, options)
        How many people chose each option; NaN where a question has no such option. With ``people``, these are shares,
        and are taken as they are.
    shares : ndarray, shape (questions, options)
        Shares of the model, which sum to 1 within a question; NaN in all options of a question that the model has not
        answered.
    people : array_like, shape (questions,), optional
        How many people answered each question, NaN if unknown; by default the sum of the counts.
    answers : array_like, shape (questions,)
        How many answers the model's shares rest on; infinite for exact probabilities.

    Returns
    -------
    Distributions
    """
    exists = ~np.isnan(counts)
    given = np.where(exists, counts, 0.0)
    total = given.sum(axis=1)
    p = given if people is not None else ratio(given, total[:, None])
    q = np.where(exists, shares, 0.0)
    q = np.where(np.isnan(q).any(axis=1, keepdims=True), np.nan, q)
    questions = (len(counts),)
    return Distributions(
        p,
        q,
        exists,
        np.broadcast_to(np.asarray(total if people is None else people, dtype=np.float64), questions),
        np.broadcast_to(np.asarray(answers, dtype=np.float64), questions),
    )


def uniform(exists: Bools) -> Floats:
    """Return equal shares of all options that a question has, and 0 for the others."""
    return np.asarray(exists / exists.sum(axis=-1, keepdims=True))


def smoothed(q: Floats, answers: Floats, exists: Bools) -> Floats:
    """Keep every share above 0, so that its logarithm is finite.

    Shares that rest on m answers become (m·q + 1)/(m + K) over the K options of the question, the additive smoothing
    of frames (Laplace 1814). Exact probabilities stay as they are, but for the smallest number that is not 0.

    Parameters
    ----------
    q : ndarray, shape (questions, options)
    answers : ndarray, shape (questions,)
    exists : ndarray of bool, shape (questions, options)

    Returns
    -------
    ndarray, shape (questions, options)
        0 for options that the question does not have.
    """
    sampled = np.isfinite(answers)[:, None]
    added = laplace(np.where(sampled, answers[:, None], 1.0) * q, PSEUDOCOUNT * exists)
    return np.where(exists, np.where(sampled, added, np.maximum(q, np.finfo(np.float64).tiny)), 0.0)


def total_variation(pair: Distributions) -> Floats:
    """Compute ½ Σ|p − q|, the share of people who would have to answer otherwise."""
    return divergence.total_variation(pair.p, pair.q)


def js(pair: Distributions) -> Floats:
    """Compute the Jensen–Shannon divergence in nats (Lin 1991)."""
    return divergence.js(pair.p, pair.q)


def root_js(pair: Distributions) -> Floats:
    """Compute the root of the divergence in nats, a distance (Endres & Schindelin 2003), as ChaosNLI prints it."""
    return np.asarray(np.sqrt(np.maximum(js(pair), 0)))


def kl(pair: Distributions) -> Floats:
    """Compute KL(p ‖ q) in nats, with q smoothed by :func:`smoothed`."""
    return divergence.kl(pair.p, smoothed(pair.q, pair.answers, pair.exists))


def squared(pair: Distributions) -> Floats:
    """Compute Σ(p − q)², by which the Brier score of q exceeds that of p (Brier 1950)."""
    return np.asarray(((pair.p - pair.q) ** 2).sum(axis=1))


def sampling_variance(shares: Floats, n: Floats) -> Floats:
    """Estimate the variance of shares around those of everybody, Σ p(1 − p)/(n − 1), which has no bias.

    Parameters
    ----------
    shares : ndarray, shape (questions, options)
    n : ndarray, shape (questions,)
        Number of answers; infinite for exact probabilities.

    Returns
    -------
    ndarray, shape (questions,)
        NaN where there are fewer than two answers, or nobody knows how many.
    """
    return ratio((shares * (1 - shares)).sum(axis=1), n - 1)


def model_variance(pair: Distributions) -> Floats:
    """Return the variance of the model's shares: as it is known, or that of a simple sample, shape (questions,)."""
    return sampling_variance(pair.q, pair.answers) if pair.variance is None else pair.variance


def squared_corrected(pair: Distributions) -> Floats:
    """Estimate the squared distance from everybody, of whom only n were asked, without bias.

    From n people it is larger by the variance of their shares, Σ p(1 − p)/(n − 1), and so it is from m answers of the
    model. Values of single questions may be negative.
    """
    return squared(pair) - sampling_variance(pair.p, pair.people) - model_variance(pair)


def wasserstein(pair: Distributions) -> Floats:
    """Compute the 1-Wasserstein distance on a scale, in steps divided by the number of steps (Vallender 1974).

    It is Σ|F − G|/(K − 1) of the cumulative shares over K options, which are in the order of the scale.
    """
    apart = np.abs(np.cumsum(pair.p - pair.q, axis=1))
    steps = pair.exists.sum(axis=1) - 1
    return ratio(np.where(pair.exists, apart, 0).sum(axis=1), steps)


def expected_agreement(pair: Distributions) -> Floats:
    """Compute Σ p·q, the probability that a person and one answer of the model agree."""
    return np.asarray((pair.p * pair.q).sum(axis=1))


def top_agreement(pair: Distributions) -> Floats:
    """Tell whether the most frequent answers agree: 1, 0, or a half where one of two options is as frequent.

    In general it is the probability that they agree if each side draws one of its most frequent answers.
    """
    ours, theirs = (_modes(shares, pair.exists) for shares in (pair.p, pair.q))
    both = (ours & theirs).sum(axis=1)
    found = both / np.maximum(ours.sum(axis=1) * theirs.sum(axis=1), 1)
    return np.where(np.isnan(pair.p + pair.q).any(axis=1), np.nan, found)


TIE = 1e-12
"""Shares that differ by less are as frequent."""


def _modes(shares: Floats, exists: Bools) -> Bools:
    return np.asarray(exists & (shares >= shares.max(axis=1, keepdims=True) - TIE))


def entropy(shares: Floats, n: Floats | None = None) -> Floats:
    """Compute the entropy −Σ p log p in nats (Shannon 1948).

    Parameters
    ----------
    shares : ndarray, shape (questions, options)
    n : ndarray, shape (questions,), optional
        Number of answers. The entropy of few is too low, so (c − 1)/2n is added where it is known, for the c options
        that have answers (Miller 1955).

    Returns
    -------
    ndarray, shape (questions,)
    """
    from scipy.special import entr

    plain = np.asarray(entr(shares).sum(axis=1))
    return plain if n is None else plain + np.nan_to_num(((shares > 0).sum(axis=1) - 1) / (2 * n))


def people_entropy(pair: Distributions) -> Floats:
    """Compute the corrected entropy of people; see :func:`entropy`."""
    return entropy(pair.p, pair.people)


def model_entropy(pair: Distributions) -> Floats:
    """Compute the corrected entropy of the model; that of exact probabilities needs no correction."""
    return entropy(pair.q, pair.answers)


def entropy_difference(pair: Distributions) -> Floats:
    """Compute the model's corrected entropy less people's: below 0 where the model is too sure."""
    return model_entropy(pair) - people_entropy(pair)


def majority_share(pair: Distributions) -> Floats:
    """Return the share of people who gave the most frequent answer."""
    return np.asarray(pair.p.max(axis=1))


class ChoiceMeasure(NamedTuple):
    """Describe a measure of questions.

    Attributes
    ----------
    function : callable
        Function of distributions that returns a value for each question.
    bounds : (float, float)
        The smallest and the largest possible value.
    ordered : bool
        Whether it has a meaning only where options form a scale.
    """

    function: Callable[[Distributions], Floats]
    bounds: tuple[float, float]
    ordered: bool = False


MEASURES: Final[Mapping[str, ChoiceMeasure]] = {
    "squared_corrected": ChoiceMeasure(squared_corrected, (-1, 2)),
    "total_variation": ChoiceMeasure(total_variation, (0, 1)),
    "js": ChoiceMeasure(js, (0, math.log(2))),
    "root_js": ChoiceMeasure(root_js, (0, math.sqrt(math.log(2)))),
    "kl": ChoiceMeasure(kl, (0, math.inf)),
    "squared": ChoiceMeasure(squared, (0, 2)),
    "wasserstein": ChoiceMeasure(wasserstein, (0, 1), ordered=True),
    "expected_agreement": ChoiceMeasure(expected_agreement, (0, 1)),
    "top_agreement": ChoiceMeasure(top_agreement, (0, 1)),
    "entropy_difference": ChoiceMeasure(entropy_difference, (-math.inf, math.inf)),
    "model_entropy": ChoiceMeasure(model_entropy, (0, math.inf)),
    "people_entropy": ChoiceMeasure(people_entropy, (0, math.inf)),
    "majority_share": ChoiceMeasure(majority_share, (0, 1)),
}
"""All measures by name; the first one leads, because few people do not bias it."""


def calibration(pair: Distributions) -> ShareCurve:
    """Sort the options of all questions into bins of the model's share, and compare these with people's.

    Each question counts as one, divided evenly among its options, and the intervals of the bins treat questions as
    independent.

    Parameters
    ----------
    pair : Distributions

    Returns
    -------
    ShareCurve
        The mean of ``gap``, over the questions whose shares are known, is the calibration error.
    """
    known = np.asarray(~np.isnan(pair.p + pair.q).any(axis=1))
    own = pair.where(known)
    weight = own.exists / own.exists.sum(axis=1, keepdims=True)
    return share_curve(own.q, own.p, weight)


def entropy_correlation(pair: Distributions) -> RankCorrelation:
    """Correlate the ranks of the model's entropies and of people's: is it unsure where people disagree?

    Parameters
    ----------
    pair : Distributions

    Returns
    -------
    RankCorrelation
        Of the questions whose shares are known; NaN where either does not vary. Few people make it too small, because
        their entropies are noisy.
    """
    ours, theirs = people_entropy(pair), model_entropy(pair)
    known = ~np.isnan(ours + theirs)
    return spearman(ours[known], theirs[known])


FEWEST: Final = 3
"""Fewer people are not two and others."""

Member = Callable[[Distributions], Bools]
"""A function of distributions that tells which questions belong to a part, by what people answered to them."""


def share_within(pair: Distributions, member: Member) -> Floats:
    """Compute the share of pairs of people whose others put the question into a part.

    Parameters
    ----------
    pair : Distributions
    member : callable

    Returns
    -------
    ndarray, shape (questions,)
        From 0 to 1; NaN where fewer than three people answered, or the model did not.
    """
    return _mean(pair, member, lambda first, second: np.ones(len(pair.p)))


def squared_within(pair: Distributions, member: Member) -> Floats:
    """Estimate the squared distance from everybody, times the share of pairs whose others put it into a part.

    A pair who chose the options k and l estimates Σ(π − q)² without bias by 1{k = l} − qₖ − qₗ + Σ q². Over a part
    and all other questions, values add up to
    :func:`~probsense.analysis.human_choices.measures.squared_corrected`. The mean over a part is their sum over that of
    :func:`share_within`.

    Parameters
    ----------
    pair : Distributions
    member : callable

    Returns
    -------
    ndarray, shape (questions,)
        NaN where fewer than three people answered, or the model did not.
    """
    common = (pair.q**2).sum(axis=1) - model_variance(pair)
    return _mean(
        pair,
        member,
        lambda first, second: float(first == second) - pair.q[:, first] - pair.q[:, second] + common,
    )


def _mean(pair: Distributions, member: Member, value: Callable[[int, int], Floats]) -> Floats:
    """Average a value of what two people chose over all pairs, 0 where the others leave out the question."""
    found = np.zeros(len(pair.p))
    for first, second, often, others in _pairs(pair):
        inside = (often > 0) & member(others)
        found += np.where(inside, often * value(first, second), 0)
    known = (pair.people >= FEWEST) & ~np.isnan(pair.p + pair.q).any(axis=1)
    return np.where(known, found, np.nan)


def _pairs(pair: Distributions) -> Iterator[tuple[int, int, Floats, Distributions]]:
    """Yield two options, the share of pairs of people who chose them, and all people but such a pair."""
    n = np.where(pair.people >= FEWEST, pair.people, np.nan)
    counts = pair.p * n[:, None]
    for first in range(counts.shape[1]):
        for second in range(first, counts.shape[1]):
            rest = counts.copy()
            rest[:, first] -= 1
            rest[:, second] -= 1
            both = counts[:, first] * (counts[:, second] - (first == second)) * (2 - (first == second))
            often = np.maximum(np.nan_to_num(both / (n * (n - 1))), 0)
            shares = np.maximum(np.nan_to_num(rest / (n - 2)[:, None]), 0)
            yield first, second, often, pair._replace(p=shares, people=n - 2)
