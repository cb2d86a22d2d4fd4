"""Clusters that are known, of vectors and of similarities."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from probsense.analysis.open_answers.clustering import (
    _anderson_darling,
    _bic,
    best_partition,
    gmeans,
    hac,
    partitions,
    published_clustering,
    silhouette,
    xmeans,
)
from probsense.core.errors import InputError

CENTRES = np.array([[0.0, 0.0], [8.0, 0.0], [0.0, 8.0]])


@pytest.fixture
def blobs() -> np.ndarray:
    return np.random.default_rng(0).normal(CENTRES[:, None], size=(3, 40, 2)).reshape(-1, 2)


@given(st.lists(st.integers(0, 30), min_size=1, max_size=12), st.integers(1, 5))
def test_single_linkage_joins_what_a_chain_of_short_steps_connects(places: list[int], threshold: int) -> None:
    labels = hac(np.array(places, dtype=float)[:, None], threshold)
    ordered = sorted(set(places))
    chain = np.concatenate([[0], np.cumsum(np.diff(ordered) > threshold)])
    group = dict(zip(ordered, chain, strict=True))
    for i, a in enumerate(places):
        for j, b in enumerate(places):
            assert (labels[i] == labels[j]) == (group[a] == group[b])
    assert labels[0] == 0
    assert sorted(set(labels.tolist())) == list(range(labels.max() + 1))


def test_methods_of_linkage_differ() -> None:
    line = np.arange(6.0)[:, None]
    assert hac(line, 1.5).max() == 0
    assert hac(line, 1.5, "complete").max() > 0
    assert hac(np.zeros((0, 2)), 1.0).shape == (0,)


@pytest.mark.parametrize("cluster", [lambda v: gmeans(v, start=1), lambda v: xmeans(v, start=1), gmeans])
def test_means_find_the_number_of_clusters(blobs: np.ndarray, cluster) -> None:
    labels = cluster(blobs)
    true = np.repeat(np.arange(3), 40)
    together = labels[:, None] == labels
    assert not together[true[:, None] != true].any()
    if cluster is not gmeans:  # which starts from four, and never joins
        assert labels.tolist() == true.tolist()
    np.testing.assert_array_equal(labels, cluster(blobs))


@pytest.mark.parametrize("cluster", [gmeans, xmeans])
def test_few_and_equal_vectors(cluster) -> None:
    assert cluster(np.ones((5, 3))).tolist() == [0] * 5
    assert cluster(np.ones((1, 3))).tolist() == [0]
    assert cluster(np.array([[0.0], [0.0], [9.0], [9.0], [9.0]])).tolist() == [0, 0, 1, 1, 1]


def test_published_settings() -> None:
    line = np.array([[0.0], [0.3], [1.0]])
    assert published_clustering("hac", "wordnet")(line).tolist() == [0, 0, 1]
    assert published_clustering("hac", "gaussian")(line).tolist() == [0, 1, 2]


def test_published_means_start_with_many_clusters() -> None:
    vectors = np.random.default_rng(5).normal(size=(60, 2))
    assert published_clustering("gmeans", "cosine")(vectors).max() + 1 == 7
    assert 14 <= published_clustering("xmeans", "cosine")(vectors).max() + 1 <= 20


def test_xmeans_stop_at_the_most_that_is_allowed(blobs: np.ndarray) -> None:
    assert xmeans(blobs, start=1, most=2).max() == 1


def test_without_scikit_learn_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.cluster", None)
    with pytest.raises(InputError, match=r"pip install .*\[cluster\]"):
        gmeans(CENTRES)


def test_the_test_of_normality_is_the_definition() -> None:
    values = np.random.default_rng(3).gamma(2, size=50)
    z = np.sort((values - values.mean()) / values.std(ddof=1))
    logs = norm.logcdf(z) + norm.logsf(z[::-1])
    plain = -50 - sum((2 * i + 1) * logs[i] for i in range(50)) / 50
    assert _anderson_darling(values) == pytest.approx(plain * (1 + 4 / 50 - 25 / 2500), abs=1e-9)
    assert _anderson_darling(np.repeat([0.0, 1.0], 30)) > 1.8692
    assert _anderson_darling(np.random.default_rng(3).normal(size=200)) < 1.8692


def test_the_criterion_is_the_likelihood_less_its_penalty() -> None:
    values = np.random.default_rng(4).normal(size=(12, 2))
    centre = values.mean(axis=0)
    squares = ((values - centre) ** 2).sum()
    spread = np.sqrt(squares / (2 * 11))
    plain = norm.logpdf(values, centre, spread).sum() - 3 / 2 * np.log(12)
    assert _bic(np.array([12]), squares, 2) == pytest.approx(plain, abs=1e-9)


BLOBS = np.repeat([0, 1, 2], 4)
ALIKE = np.where(BLOBS[:, None] == BLOBS, 0.8, 0.1) + 0.2 * np.eye(12)


def same(labels: np.ndarray, truth: np.ndarray) -> bool:
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


@given(st.integers(0, 10**6), st.integers(3, 9), st.integers(2, 3))
def test_the_silhouette_is_that_of_its_definition(seed, n, clusters):
    rng = np.random.default_rng(seed)
    similarity = rng.random((n, n))
    similarity = (similarity + similarity.T) / 2
    labels = np.concatenate([np.arange(clusters), rng.integers(clusters, size=n - clusters)])
    for i, value in enumerate(silhouette(similarity, labels)):
        mean = [
            np.mean([1 - similarity[i, j] for j in range(n) if labels[j] == k and j != i] or [np.nan])
            for k in range(clusters)
        ]
        own, other = mean[labels[i]], min(m for k, m in enumerate(mean) if k != labels[i])
        expected = 0 if np.isnan(own) else (other - own) / max(own, other)
        assert abs(value - expected) < 1e-12


def test_strings_that_are_all_equal_are_no_trouble():
    assert len(best_partition(np.ones((5, 5)))) == 5
