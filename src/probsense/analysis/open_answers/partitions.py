"""Clusters people's answers where people made no clusters, from coarse to fine or with the number that fits best."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from probsense.analysis.open_answers.clustering import ClusterLabels
from probsense.analysis.open_answers.questions import Floats


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
    found = [fcluster(tree, size, "maxclust").astype(np.int64) - 1 for size in sizes]
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
