"""Assignments against a loop over answers, and Gaussian regression against the one it writes out."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from probsense.analysis.open_answers.matching import (
    GAUSSIAN_FLOOR,
    GAUSSIAN_NOISE,
    assign,
    cluster_scores,
    gaussian_scores,
    membership,
)


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
