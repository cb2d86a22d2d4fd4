"""Clusters of answers: those of people, or found by distances of vectors and by similarities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from probsense.analysis.open_answers.questions import Cluster, Floats

ClusterLabels: TypeAlias = NDArray[np.int64]

PUBLISHED_THRESHOLDS: Mapping[str, float] = {"wordnet": 0.4123, "cosine": 0.215, "gaussian": 0.298}
"""Distances at which the published evaluation cuts single linkage, by how answers are matched.

Quirk: the authors tuned them, in up to 100 runs each, for the reported correlation on the reported questions.
"""


def hac(vectors: Floats, threshold: float) -> ClusterLabels:
    """Cluster by single linkage of Euclidean distances (scipy's ``linkage`` and ``fcluster``).

    Parameters
    ----------
    vectors : ndarray, shape (n, dimensions)
        One vector for each answer, repeated answers included.
    threshold : float
        Distance from which clusters are not joined.

    Returns
    -------
    ndarray of int, shape (n,)
        Labels from 0, in the order of the first members.
    """
    from scipy.cluster.hierarchy import fcluster, linkage

    if len(vectors) < 2:
        return np.zeros(len(vectors), dtype=np.int64)
    labels = fcluster(linkage(vectors, "single"), threshold, criterion="distance")
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
    members = membership(labels)
    size = members.sum(axis=0)
    distance = np.maximum(1 - similarity, 0.0)
    np.fill_diagonal(distance, 0.0)
    sums = distance @ members
    own = sums[np.arange(len(labels)), labels] / np.maximum(size[labels] - 1, 1)
    other = np.where(members, np.inf, sums / size).min(axis=1)
    larger = np.maximum(own, other)
    return np.where((size[labels] > 1) & (larger > 0), (other - own) / np.where(larger > 0, larger, 1), 0.0)


def best_partition(similarity: Floats) -> ClusterLabels:
    """Return the partition with the largest mean silhouette, of all from 2 to 20 clusters, fewer than strings.

    Parameters
    ----------
    similarity : ndarray, shape (G, G)

    Returns
    -------
    ndarray of int, shape (G,)
        Labels; those with fewer clusters if partitions are equally good, and every string alone if there are fewer than
        three strings.
    """
    if len(similarity) < 3:
        return np.arange(len(similarity))
    found = partitions(similarity, range(2, min(20, len(similarity) - 1) + 1))
    return max(
        found, key=lambda labels: float(silhouette(similarity, labels).mean()) if labels.any() else -1.0
    )


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
