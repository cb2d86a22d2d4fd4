"""Assigns answers to clusters, as weights over the clusters and, last, "wrong".

An assignment has shape (U, K + 1) for U answers and K clusters. Its rows sum to 1; its last column is "wrong".
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from probsense.analysis.open_answers.questions import Cluster, Floats

GAUSSIAN_NOISE = 1e-7
"""Variance of one observation in :func:`gaussian_scores`."""

GAUSSIAN_FLOOR = 0.2
"""An answer whose best cluster does not score more than this by :func:`gaussian_scores` is wrong."""


def membership(labels: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Tell which strings belong to which cluster, shape (G, K), from the cluster of each, from 0."""
    return np.equal(labels[:, None], np.arange(labels.max(initial=-1) + 1))


def cluster_members(strings: Sequence[str], clusters: Sequence[Cluster]) -> NDArray[np.bool_]:
    """Tell which strings are in which cluster, shape (strings, clusters); all answers of clusters are among them."""
    place = {string: i for i, string in enumerate(strings)}
    members = np.zeros((len(place), len(clusters)), dtype=np.bool_)
    for k, cluster in enumerate(clusters):
        members[[place[answer] for answer in cluster.answers], k] = True
    return members


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
