"""Clusters answers by their vectors or their similarities, by a distance or with a number of clusters that is found.

Each function of vectors gives a label to every row, from 0, numbered by which cluster comes first.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from probsense.analysis.open_answers.questions import Floats
from probsense.core.errors import InputError
from probsense.core.registry import install

ClusterLabels: TypeAlias = NDArray[np.int64]

Clustering: TypeAlias = Callable[[Floats], ClusterLabels]
"""Function that clusters n vectors: shape (n, dimensions) -> labels from 0, shape (n,)."""

CRITICAL = 1.8692
"""Critical value of the corrected Anderson–Darling statistic at the level 0.0001 (Hamerly & Elkan 2003)."""

PUBLISHED_SEED = 153
PUBLISHED_STARTS = 20
"""The seed of each k-means, and from how many starts the best one is kept."""

PublishedClustering: TypeAlias = Literal["hac", "gmeans", "xmeans"]
"""The clusterings of the published evaluation: single linkage, G-means and X-means."""

Matching: TypeAlias = Literal["wordnet", "cosine", "gaussian"]
"""How the published evaluation matches answers, on which its settings depend."""

PUBLISHED_THRESHOLDS: Mapping[Matching, float] = {"wordnet": 0.4123, "cosine": 0.215, "gaussian": 0.298}
"""Distances at which the published evaluation cuts single linkage, by how answers are matched."""

PUBLISHED_START: Mapping[Matching, int] = {"wordnet": 4, "cosine": 7, "gaussian": 7}
"""Numbers of clusters from which its G-means start, by how answers are matched."""


def hac(
    vectors: Floats,
    threshold: float,
    method: Literal["single", "complete", "average", "centroid", "median", "ward", "weighted"] = "single",
) -> ClusterLabels:
    """Cluster hierarchically by Euclidean distance (scipy's ``linkage`` and ``fcluster``).

    Parameters
    ----------
    vectors : ndarray, shape (n, dimensions)
        One vector for each answer, repeated answers included.
    threshold : float
        Distance from which clusters are not joined.
    method : str
        Distance between two clusters.

    Returns
    -------
    ndarray of int, shape (n,)
    """
    from scipy.cluster.hierarchy import fcluster, linkage

    if len(vectors) < 2:
        return np.zeros(len(vectors), dtype=np.int64)
    return _in_order(fcluster(linkage(vectors, method), threshold, criterion="distance"))


def gmeans(vectors: Floats, start: int = 4) -> ClusterLabels:
    """Split clusters until each looks normal along the line on which it would be split (G-means).

    The algorithm starts from ``start`` clusters of k-means and cuts every cluster in two. A cluster stays cut if its
    vectors, projected on the line between the two centres, fail the Anderson–Darling test of normality at the level
    0.0001. K-means from all centres follows, until no cluster is cut any more (Hamerly & Elkan 2003, Learning the k in
    k-means). The defaults are those of the published evaluation, which used another implementation and other random
    numbers.

    Parameters
    ----------
    vectors : ndarray, shape (n, dimensions)
        One vector for each answer, repeated answers included.
    start : int
        Initial number of clusters, from 1; fewer if there are fewer different vectors.

    Returns
    -------
    ndarray of int, shape (n,)

    Raises
    ------
    InputError
        If scikit-learn is not installed.
    """

    def gain(members: Floats, centres: Floats) -> float:
        return _anderson_darling(members @ (centres[1] - centres[0])) - CRITICAL

    return _split_means(vectors, start, len(vectors), gain)


def xmeans(vectors: Floats, start: int = 14, most: int = 20) -> ClusterLabels:
    """Split clusters as long as the Bayesian information criterion improves (X-means).

    The algorithm starts from ``start`` clusters of k-means and cuts every cluster in two. A cluster stays cut if two
    spherical normal distributions of one variance have a better BIC than one. K-means from all centres follows, until
    no cluster is cut any more (Pelleg & Moore 2000, X-means). If the limit does not allow all cuts, those that gain
    most are made. The defaults are those of the published evaluation, which used another implementation and other
    random numbers.

    Parameters
    ----------
    vectors : ndarray, shape (n, dimensions)
        One vector for each answer, repeated answers included.
    start, most : int
        Initial and largest number of clusters, from 1; fewer if there are fewer different vectors.

    Returns
    -------
    ndarray of int, shape (n,)

    Raises
    ------
    InputError
        If scikit-learn is not installed.
    """

    def gain(members: Floats, centres: Floats) -> float:
        squares = ((members[:, None, :] - centres) ** 2).sum(axis=2)
        whole = ((members - members.mean(axis=0)) ** 2).sum()
        sizes = np.bincount(squares.argmin(axis=1), minlength=2)
        dimensions = members.shape[1]
        return _bic(sizes, squares.min(axis=1).sum(), dimensions) - _bic(
            sizes.sum(keepdims=True), whole, dimensions
        )

    return _split_means(vectors, start, most, gain)


def published_clustering(name: PublishedClustering, matching: Matching) -> Clustering:
    """Return a clustering with the settings of the published evaluation.

    Quirk: the authors tuned the settings, in up to 100 runs each, for the reported correlation on the reported
    questions.

    Parameters
    ----------
    name : str
        "hac" (single linkage), "gmeans" or "xmeans" (the same whatever the matching).
    matching : str

    Returns
    -------
    Clustering
    """
    if name == "hac":
        return partial(hac, threshold=PUBLISHED_THRESHOLDS[matching])
    return partial(gmeans, start=PUBLISHED_START[matching]) if name == "gmeans" else xmeans


def _split_means(
    vectors: Floats, start: int, most: int, gain: Callable[[Floats, Floats], float]
) -> ClusterLabels:
    """Run k-means and cut clusters in two as long as this gains something."""
    try:
        from sklearn.cluster import KMeans
    except ImportError:
        raise InputError("G-means and X-means need scikit-learn", expected=install("cluster")) from None
    most = min(most, len(np.unique(vectors, axis=0)))
    if most < 2:
        return np.zeros(len(vectors), dtype=np.int64)
    fresh = partial(KMeans, n_init=PUBLISHED_STARTS, random_state=PUBLISHED_SEED)
    means = fresh(min(start, most)).fit(vectors)
    while True:
        found: list[tuple[float, int, Floats]] = []
        for k in range(len(means.cluster_centers_)):
            members = vectors[means.labels_ == k]
            # Fewer than three vectors have no variance within halves, and equal vectors cannot be cut.
            if len(members) > 2 and np.ptp(members, axis=0).any():
                halves = fresh(2).fit(members).cluster_centers_
                found.append((gain(members, halves), k, halves))
        room = most - len(means.cluster_centers_)
        cut = {k: halves for gained, k, halves in sorted(found, key=lambda f: -f[0])[:room] if gained > 0}
        if not cut:
            return _in_order(means.labels_)
        kept = np.delete(means.cluster_centers_, list(cut), axis=0)
        centres = np.concatenate([kept, *cut.values()])
        means = KMeans(len(centres), init=centres, n_init=1, random_state=PUBLISHED_SEED).fit(vectors)


def _anderson_darling(values: Floats) -> float:
    """Compute the Anderson–Darling statistic of normality with estimated mean and variance, A²(1 + 4/n − 25/n²)."""
    from scipy.special import log_ndtr

    n = len(values)
    z = np.sort((values - values.mean()) / values.std(ddof=1))
    weight = 2 * np.arange(1, n + 1) - 1
    statistic = -n - (weight * (log_ndtr(z) + log_ndtr(-z[::-1]))).sum() / n
    return float(statistic * (1 + 4 / n - 25 / n**2))


def _bic(sizes: NDArray[np.int64], squares: float, dimensions: int) -> float:
    """Compute the BIC of spherical normal distributions of one variance: log-likelihood − (parameters/2) log n.

    The variance is the unbiased sum of squares over dimensions·(n − clusters). Pelleg and Moore's text leaves out the
    dimensions, which does not fit their likelihood. The BIC is infinite where all vectors lie on a centre.
    """
    n, k = int(sizes.sum()), len(sizes)
    freedom = dimensions * (n - k)
    if squares <= 0:
        return math.inf
    likelihood = (
        float((sizes * np.log(sizes / n)).sum())
        - n * dimensions / 2 * math.log(2 * math.pi * squares / freedom)
        - freedom / 2
    )
    return likelihood - (k - 1 + dimensions * k + 1) / 2 * math.log(n)


def _in_order(labels: ClusterLabels) -> ClusterLabels:
    """Number the same clusters from 0 in the order of their first members."""
    _, first, place = np.unique(labels, return_index=True, return_inverse=True)
    return np.asarray(np.argsort(np.argsort(first))[place], dtype=np.int64)


def partitions(similarity: Floats, sizes: Sequence[int]) -> list[ClusterLabels]:
    """Cut one average-linkage tree on 1 − similarity into several numbers of clusters.

    Parameters
    ----------
    similarity : ndarray, shape (G, G)
    sizes : sequence of int
        Numbers of clusters, from 1. A number of at least G leaves every string alone.

    Returns
    -------
    list of ndarray of int, shape (G,)
        Cluster of each string, for each different number of clusters that is found.
    """
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.spatial.distance import squareform

    if len(similarity) < 2:
        return [np.zeros(len(similarity), dtype=np.int64)]
    distance = 1 - (similarity + similarity.T) / 2
    np.fill_diagonal(distance, 0.0)
    tree = linkage(squareform(np.maximum(distance, 0.0), checks=False), "average")
    # Up to version 1.14, SciPy joins strings whose distances are equal, even where each may stay alone.
    found = [
        np.arange(len(tree) + 1)
        if size > len(tree)
        else fcluster(tree, size, "maxclust").astype(np.int64) - 1
        for size in sizes
    ]
    return list({int(labels.max()): labels for labels in found}.values())


def silhouette(similarity: Floats, labels: ClusterLabels) -> Floats:
    """Compute how much closer each string lies to its own cluster than to the nearest other one (Rousseeuw 1987).

    Parameters
    ----------
    similarity : ndarray, shape (G, G)
    labels : ndarray of int, shape (G,)
        Labels of at least two clusters, numbered from 0.

    Returns
    -------
    ndarray, shape (G,)
        Silhouettes from −1 to 1; 0 for a string that is alone in its cluster.
    """
    members = np.equal(labels[:, None], np.arange(labels.max() + 1))
    size = members.sum(axis=0)
    distance = np.maximum(1 - similarity, 0.0)
    np.fill_diagonal(distance, 0.0)
    sums = distance @ members
    own = sums[np.arange(len(labels)), labels] / np.maximum(size[labels] - 1, 1)
    other = np.where(members, np.inf, sums / size).min(axis=1)
    larger = np.maximum(own, other)
    return np.where((size[labels] > 1) & (larger > 0), (other - own) / np.where(larger > 0, larger, 1), 0.0)


def best_partition(similarity: Floats, most: int = 20) -> ClusterLabels:
    """Return the partition with the largest mean silhouette, of all from 2 to some number of clusters.

    Parameters
    ----------
    similarity : ndarray, shape (G, G)
    most : int
        Largest number of clusters; there are always fewer clusters than strings.

    Returns
    -------
    ndarray of int, shape (G,)
        Labels; those with fewer clusters if partitions are equally good, and every string alone if there are fewer than
        three strings.
    """
    if len(similarity) < 3:
        return np.arange(len(similarity))
    found = partitions(similarity, range(2, min(most, len(similarity) - 1) + 1))
    return max(
        found, key=lambda labels: float(silhouette(similarity, labels).mean()) if labels.any() else -1.0
    )
