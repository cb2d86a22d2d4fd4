"""Clusters that are known, of vectors and of similarities."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import silhouette_samples

from probsense.analysis.open_answers.clusters import best_partition, hac, partitions, silhouette


@given(st.lists(st.integers(0, 30), min_size=1, max_size=12), st.integers(1, 5))
def test_single_linkage_joins_what_a_chain_of_short_steps_connects(places, threshold):
    labels = hac(np.array(places, dtype=float)[:, None], threshold)
    ordered = sorted(set(places))
    chain = np.concatenate([[0], np.cumsum(np.diff(ordered) > threshold)])
    group = dict(zip(ordered, chain, strict=True))
    for i, a in enumerate(places):
        for j, b in enumerate(places):
            assert (labels[i] == labels[j]) == (group[a] == group[b])
    assert labels[0] == 0
    assert sorted(set(labels.tolist())) == list(range(labels.max() + 1))


BLOBS = np.repeat([0, 1, 2], 4)
ALIKE = np.where(BLOBS[:, None] == BLOBS, 0.8, 0.1) + 0.2 * np.eye(12)


def same(labels, truth):
    return bool(((labels[:, None] == labels) == (truth[:, None] == truth)).all())


def test_three_groups_are_found_by_the_best_silhouette():
    assert same(best_partition(ALIKE), BLOBS)


def test_each_number_of_clusters_is_given_once():
    found = partitions(ALIKE, (1, 3, 12, 50))
    assert [len(set(labels)) for labels in found] == [1, 3, 12]
    assert same(found[1], BLOBS)


def test_few_strings_stay_alone():
    for n in (0, 1, 2):
        assert list(best_partition(np.eye(n))) == list(range(n))
    assert [list(labels) for labels in partitions(np.eye(1), (6, 12))] == [[0]]


@given(st.integers(0, 10**6), st.integers(4, 9), st.integers(2, 3))
def test_the_silhouette_is_that_of_scikit_learn(seed, n, clusters):
    rng = np.random.default_rng(seed)
    similarity = rng.random((n, n))
    similarity = (similarity + similarity.T) / 2
    labels = np.concatenate([np.arange(clusters), rng.integers(clusters, size=n - clusters)])
    np.fill_diagonal(similarity, 1)
    expected = silhouette_samples(1 - similarity, labels, metric="precomputed")
    np.testing.assert_allclose(silhouette(similarity, labels), expected, atol=1e-12)
