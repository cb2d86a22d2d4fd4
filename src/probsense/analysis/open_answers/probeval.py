"""Computes ProbEval as published: people's clusters against a model's answers, matched hard and smoothed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from probsense.analysis.distributions.divergence import kl, laplace
from probsense.analysis.open_answers.clusters import cluster_members, hac
from probsense.analysis.open_answers.questions import Counts, Embed, Floats, Question, Similarity
from probsense.core.errors import InputError

LENGTH = 50
"""Number of characters of a model's answer that count."""

RECOGNISED = 40
"""Number of characters by which an answer is found again after its assignment."""

GAUSSIAN_NOISE = 1e-7
"""Variance of one observation in :func:`gaussian_scores`."""

GAUSSIAN_FLOOR = 0.2
"""An answer whose best cluster does not score more than this by Gaussian regression is wrong."""

REPEATED = 20_000
"""The most answers that the published clustering takes, in pairs: 1.6 GB."""


@dataclass(frozen=True, slots=True, eq=False)
class PublishedGold:
    """Hold what people answered, each string once.

    Attributes
    ----------
    strings : tuple of str
    counts : ndarray of int, shape (G,)
        Number of answers of each string; 0 for a string that only a cluster lists, which is matched but has no weight.
    groups : ndarray of bool, shape (G, K)
        Membership of each string in each cluster.
    clusters : tuple of str
        Names of the K clusters, without "wrong".
    people : ndarray, shape (K + 1,)
        People's distribution over the clusters and, last, "wrong".
    """

    strings: tuple[str, ...]
    counts: NDArray[np.int64]
    groups: NDArray[np.bool_]
    clusters: tuple[str, ...]
    people: Floats


Matcher: TypeAlias = Callable[[Sequence[str], PublishedGold], Floats]
"""Function that assigns U answers to the clusters of a gold: assignment of shape (U, K + 1), "wrong" last."""


def human_gold(question: Question) -> PublishedGold:
    """Return clusters made by people; their distribution is smoothed, (count + 1)/(N + K) with "wrong" among the K.

    Raw answers outside all clusters do not count, and a string in two clusters belongs to both.

    Parameters
    ----------
    question : Question

    Returns
    -------
    PublishedGold

    Raises
    ------
    InputError
        If the question has no clusters.
    """
    clusters = question.clusters
    if not clusters:
        raise InputError(f"question {question.id!a} has no clusters", expected="clusters made by people")
    strings = tuple(dict.fromkeys(answer for cluster in clusters for answer in cluster.answers))
    return PublishedGold(
        strings,
        np.array([question.raw.get(answer, 0) for answer in strings], dtype=np.int64),
        cluster_members(strings, clusters),
        tuple(cluster.id for cluster in clusters),
        laplace([*(cluster.count for cluster in clusters), 0]),
    )


def published_automatic_gold(question: Question, embed: Embed, threshold: float) -> PublishedGold:
    """Find clusters in the vectors of people's answers, each repeated as often as it was given.

    Quirks: people's distribution is not smoothed, although the paper smooths both and the model's always is. Raw
    answers that people put in no cluster are left out, although the clusters are found anew; if people made no
    clusters, all raw answers count. A string that people put in two clusters counts twice as often.

    Parameters
    ----------
    question : Question
    embed : Embed
    threshold : float
        Distance at which single linkage is cut.

    Returns
    -------
    PublishedGold
        Clusters named "c_1", "c_2" …; 0 for "wrong".

    Raises
    ------
    InputError
        If the question has no answers, or more than :data:`REPEATED`.
    """
    if question.clusters:
        listed = [answer for cluster in question.clusters for answer in cluster.answers]
        given = [(answer, question.raw.get(answer, 0)) for answer in listed]
    else:
        given = list(question.raw.items())
    if not 0 < (total := sum(count for _, count in given)) <= REPEATED:
        raise InputError(
            f"question {question.id!a} has {total:,} answers of people",
            expected=f"1 to {REPEATED:,}, since the published clustering compares them one by one",
        )
    place = {answer: i for i, answer in enumerate(dict.fromkeys(answer for answer, _ in given))}
    counts = np.zeros(len(place), dtype=np.int64)
    for answer, count in given:
        counts[place[answer]] += count
    instances = np.repeat(np.arange(len(place)), counts)
    labels = hac(embed(list(place))[instances], threshold)
    groups = np.zeros((len(place), int(labels.max()) + 1), dtype=np.bool_)
    groups[instances, labels] = True
    shares = np.bincount(labels, minlength=groups.shape[1]) / len(labels)
    names = tuple(f"c_{k}" for k in range(1, groups.shape[1] + 1))
    return PublishedGold(tuple(place), counts, groups, names, np.append(shares, 0.0))


def cluster_scores(similarity: Floats, groups: NDArray[np.bool_]) -> Floats:
    """Score an answer and a cluster by the maximum similarity over the strings of the cluster.

    Parameters
    ----------
    similarity : ndarray, shape (U, G)
        Similarity of answers and gold strings, from 0.
    groups : ndarray of bool, shape (G, K)
        Membership of each string in each cluster; it may be in several.

    Returns
    -------
    ndarray, shape (U, K)
        0 for a cluster without strings.
    """
    scores = np.zeros((len(similarity), groups.shape[1]))
    for k, member in enumerate(groups.T):
        scores[:, k] = similarity[:, member].max(axis=1, initial=0.0)
    return scores


def assign(scores: Floats, floor: float = 0.0) -> Floats:
    """Give each answer to its best cluster.

    Parameters
    ----------
    scores : ndarray, shape (U, K)
    floor : float
        An answer whose best cluster does not score more than this is wrong.

    Returns
    -------
    ndarray, shape (U, K + 1)
        Clusters that tie exactly share the answer evenly.
    """
    best = scores.max(axis=1, initial=-np.inf, keepdims=True)
    found = (scores == best) & (best > floor)
    assignment = np.zeros((len(scores), scores.shape[1] + 1))
    assignment[:, :-1] = found / np.maximum(found.sum(axis=1, keepdims=True), 1)
    assignment[:, -1] = ~found.any(axis=1)
    return assignment


def gaussian_scores(
    vectors: Floats, gold: Floats, counts: NDArray[np.int64], groups: NDArray[np.bool_]
) -> Floats:
    """Fit a Gaussian-process regression of membership of each cluster, one against the rest, in closed form.

    With the kernel k(x, y) = exp(−‖x − y‖²/2) and outcomes Y of 0 and 1, the posterior mean at x is
    k(x, X)(K + noise·I)⁻¹Y, with the noise of :data:`GAUSSIAN_NOISE`, over all observations X (Rasmussen & Williams
    2006, equation 2.25). All observations of a string are merged into one with the variance noise/count, which gives
    the same posterior. One Cholesky factor serves all clusters.

    The released evaluation fits scikit-learn's ``GaussianProcessRegressor``. Up to version 1.1 its default kernel was
    fixed; later versions optimise it silently, so this function writes the kernel out. The released code stops with an
    error if two clusters tie exactly; here they share the answer.

    Parameters
    ----------
    vectors : ndarray, shape (U, dimensions)
        Vectors of the answers.
    gold : ndarray, shape (G, dimensions)
        Vectors of the gold strings.
    counts : ndarray of int, shape (G,)
        Number of answers of each gold string; 0 for a string that is not observed.
    groups : ndarray of bool, shape (G, K)

    Returns
    -------
    ndarray, shape (U, K)
        About 0 for an answer unlike all strings of the cluster, about 1 for one of them.
    """
    from scipy.linalg import cho_factor, cho_solve
    from scipy.spatial.distance import cdist

    observed = gold[counts > 0]

    def kernel(x: Floats) -> Floats:
        return np.asarray(np.exp(-cdist(x, observed, "sqeuclidean") / 2))

    factor = cho_factor(kernel(observed) + np.diag(GAUSSIAN_NOISE / counts[counts > 0]), lower=True)
    outcomes = groups[counts > 0].astype(np.float64)
    return np.asarray(kernel(vectors) @ cho_solve(factor, outcomes))


def by_similarity(similarity: Similarity) -> Matcher:
    """Return a matcher to the cluster with the most similar string; any partial overlap counts."""
    return lambda answers, gold: assign(cluster_scores(similarity(answers, gold.strings), gold.groups))


def by_gaussian(embed: Embed) -> Matcher:
    """Return a matcher by Gaussian regression
    (:func:`gaussian_scores`).

    The published results called "cosine" come from this matcher, too: the released code accepts that name and never
    uses it.
    """

    def match(answers: Sequence[str], gold: PublishedGold) -> Floats:
        scores = gaussian_scores(embed(answers), embed(gold.strings), gold.counts, gold.groups)
        return assign(scores, GAUSSIAN_FLOOR)

    return match


def published_answer(answer: str) -> str:
    """Return an answer of a model as it is compared: in lower case, its first 50 characters, stripped.

    Quirk: people's answers stay as they are.
    """
    return answer.lower()[:LENGTH].strip()


def published_counts(samples: Sequence[Counts]) -> tuple[list[str], Floats]:
    """Count how often each different answer was given in each sample.

    Quirk: answers whose first 40 characters are the same after lower-casing and stripping count as the first of them in
    their sample.

    Parameters
    ----------
    samples : sequence of Counts
        S samples of answers to one question.

    Returns
    -------
    strings : list of str
        U different answers as they are compared.
    counts : ndarray, shape (S, U)
    """
    place: dict[str, int] = {}
    rows: list[Counter[int]] = []
    for sample in samples:
        first: dict[str, str] = {}
        row: Counter[int] = Counter()
        for answer, count in sample.items():
            string = published_answer(answer)
            string = first.setdefault(string[:RECOGNISED], string)
            row[place.setdefault(string, len(place))] += count
        rows.append(row)
    counts = np.zeros((len(rows), len(place)))
    for i, row in enumerate(rows):
        counts[i, list(row)] = list(row.values())
    return list(place), counts


def published_scores(gold: PublishedGold, samples: Sequence[Counts], match: Matcher) -> Floats:
    """Score samples of answers to one question by ProbEval: KL(people ‖ model) over the clusters and "wrong".

    Every different answer is matched once, and one product of the counts and the assignment scores all samples.

    Quirks: smoothing adds 1 to the model's counts whatever their number, so few answers score like nearly uniform ones.
    The quirks of :func:`published_answer` and :func:`published_counts` apply, too.

    Parameters
    ----------
    gold : PublishedGold
    samples : sequence of Counts
        S samples.
    match : Matcher

    Returns
    -------
    ndarray, shape (S,)
        Scores in nats; lower is more similar.
    """
    strings, counts = published_counts(samples)
    return kl(gold.people, laplace(counts @ match(strings, gold)))
