"""Similarity less what people's answers have in common."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from probsense.analysis.open_answers.contrast import contrasted


def units(rng: np.random.Generator, n: int) -> np.ndarray:
    vectors = rng.normal(size=(n, 5)) + 1
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@given(st.integers(0, 10**6), st.integers(1, 6), st.integers(1, 6), st.floats(0, 0.9))
def test_it_is_the_cosine_of_vectors_moved_by_a_part_of_the_mean(seed, people, others, strength):
    rng = np.random.default_rng(seed)
    gold, answers = units(rng, people), units(rng, others)
    moved = strength * (1 - 1 / people) * gold.mean(axis=0)

    def cosine(x, y):
        x, y = x - moved, y - moved
        return (x @ y.T) / np.linalg.norm(x, axis=1)[:, None] / np.linalg.norm(y, axis=1)

    found = contrasted(answers @ gold.T, gold @ gold.T, strength)
    np.testing.assert_allclose(found[0], cosine(answers, gold), rtol=0, atol=1e-12)
    np.testing.assert_allclose(found[1], cosine(gold, gold), rtol=0, atol=1e-12)


def test_equal_strings_stay_equal_and_one_string_has_nothing_in_common():
    gold = np.array([[1.0, 0.6], [0.6, 1.0]])
    np.testing.assert_allclose(np.diag(contrasted(gold, gold, 0.5)[0]), 1)
    alone = contrasted(np.array([[0.3]]), np.ones((1, 1)), 0.5)
    assert alone[0][0, 0] == 0.3


def test_strings_alike_by_their_subject_alone_come_apart():
    gold = np.full((8, 8), 0.6) + 0.4 * np.eye(8)
    assert contrasted(gold, gold, 0.5)[1][0, 1] < 0.45


def test_no_answers_are_no_rows():
    assert contrasted(np.zeros((0, 2)), np.eye(2), 0.5)[0].shape == (0, 2)
