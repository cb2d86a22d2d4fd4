"""Clusters that are known; assignments and Gaussian regression against the loops that they replace."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from probsense.analysis.open_answers.clusters import (
    GAUSSIAN_NOISE,
    assign,
    best_partition,
    cluster_scores,
    gaussian_scores,
    hac,
    membership,
    partitions,
    silhouette,
)
from probsense.analysis.open_answers.probeval import GAUSSIAN_FLOOR


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


def test_nothing_has_no_clusters() -> None:
    assert hac(np.zeros((0, 2)), 1.0).shape == (0,)


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


@st.composite
def cases(draw: st.DrawFn):
    answers, gold, clusters = draw(st.integers(0, 5)), draw(st.integers(0, 6)), draw(st.integers(0, 4))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    return rng.integers(0, 4, (answers, gold)) / 3, rng.random((gold, clusters)) < 0.4


def plain(similarity: np.ndarray, groups: np.ndarray, floor: float) -> np.ndarray:
    clusters = groups.shape[1]
    found = np.zeros((len(similarity), clusters + 1))
    for i, row in enumerate(similarity):
        best = [
            max((s for s, inside in zip(row, groups[:, k], strict=True) if inside), default=0.0)
            for k in range(clusters)
        ]
        winners = [k for k in range(clusters) if best[k] == max(best) and best[k] > floor]
        for k in winners or [clusters]:
            found[i, k] = 1 / max(len(winners), 1)
    return found


@given(cases(), st.sampled_from([0.0, 0.5]))
def test_an_answer_goes_to_its_best_clusters(case, floor: float) -> None:
    similarity, groups = case
    found = assign(cluster_scores(similarity, groups), floor)
    np.testing.assert_array_equal(found, plain(similarity, groups, floor))
    np.testing.assert_allclose(found.sum(axis=1), 1, atol=1e-12)


def test_labels_become_members() -> None:
    assert membership(np.array([1, 0, 1])).tolist() == [[False, True], [True, False], [False, True]]


def test_no_scores_at_all() -> None:
    assert assign(np.zeros((2, 0))).tolist() == [[1.0], [1.0]]
    assert assign(np.zeros((0, 3))).shape == (0, 4)


def test_gaussian_regression_is_that_of_every_observation_on_its_own() -> None:
    rng = np.random.default_rng(1)
    gold, answers = rng.normal(size=(6, 3)), rng.normal(size=(4, 3))
    counts, labels = np.array([1, 3, 2, 1, 1, 5]), np.array([0, 0, 1, 2, 1, 2])
    repeated, outcomes = np.repeat(gold, counts, axis=0), np.eye(3)[np.repeat(labels, counts)]
    between = np.exp(-((repeated[:, None] - repeated) ** 2).sum(axis=2) / 2)
    across = np.exp(-((answers[:, None] - repeated) ** 2).sum(axis=2) / 2)
    plain = across @ np.linalg.solve(between + GAUSSIAN_NOISE * np.eye(len(repeated)), outcomes)
    members = membership(labels)
    found = gaussian_scores(answers, gold, counts, members)
    np.testing.assert_allclose(found, plain, atol=1e-6)  # the plain way loses digits to the small noise
    assert (
        assign(gaussian_scores(gold, gold, counts, members), GAUSSIAN_FLOOR).argmax(axis=1).tolist()
        == labels.tolist()
    )
    assert assign(gaussian_scores(np.full((1, 3), 50.0), gold, counts, members), GAUSSIAN_FLOOR).tolist() == [
        [0, 0, 0, 1]
    ]
    unseen = np.append(gold, [[9.0, 9.0, 9.0]], axis=0)
    found_without = gaussian_scores(answers, unseen, np.append(counts, 0), membership(np.append(labels, 0)))
    np.testing.assert_allclose(found_without, found, atol=1e-12)
