"""Similarities of characters and of vectors, joined and contrasted."""

from difflib import SequenceMatcher

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics.pairwise import cosine_similarity

from probsense.analysis.open_answers.similarity import (
    char_tfidf,
    contrasted,
    cosine,
    exact,
    subsequence,
    substring,
)
from probsense.core.errors import InputError

STRINGS = st.lists(st.text(alphabet="abc é😀ש", max_size=6), max_size=5)


def longest_block(a, b):
    return max(
        (end - start for start in range(len(a)) for end in range(start + 1, len(a) + 1) if a[start:end] in b),
        default=0,
    )


def matching_blocks(a, b):
    return sum(block.size for block in SequenceMatcher(None, a, b).get_matching_blocks())


@pytest.mark.parametrize(
    ("similarity", "common"),
    [(exact, lambda a, b: len(a) * (a == b)), (substring, longest_block), (subsequence, matching_blocks)],
)
@given(a=STRINGS, b=STRINGS)
def test_what_both_have_is_a_share_of_the_longer_one(similarity, common, a, b):
    scores = similarity(a, b)
    assert scores.shape == (len(a), len(b))
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            assert scores[i, j] == (common(x, y) / max(len(x), len(y)) if x or y else 1.0)


PLANE = {"east": [2, 0], "north": [0, 3], "west": [-1, 0], "north east": [1, 1], "": [0, 0]}


def test_cosine_of_vectors():
    similarity = cosine(lambda strings: np.array([PLANE[string] for string in strings]))
    scores = similarity(["east", "north east", ""], [*PLANE])
    half = np.sqrt(0.5)
    np.testing.assert_allclose(scores, [[1, 0, 0, half, 0], [half, half, 0, 1, 0], [0] * 5], atol=1e-15)


def test_each_string_is_embedded_once():
    asked = []

    def embed(strings):
        asked.extend(strings)
        return np.ones((len(strings), 2))

    similarity = cosine(embed)
    similarity(["east", "east"], ["north", "east"])
    similarity(["north"], ["west"])
    assert similarity([], ["never"]).shape == (0, 1)
    assert asked == ["east", "north", "west"]


def test_a_faulty_embedding_is_refused():
    with pytest.raises(InputError, match="not finite"):
        cosine(lambda strings: np.array([[1.0], [np.nan]]))(["east", "west"], ["east"])


def test_n_grams_as_scikit_learn_has_them():
    corpus = ["a tall ship", "Ships sail", "the sailor's knot", "sand sand castle", "é Été", "naïve"]
    expected = TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 3)).fit_transform(corpus).toarray()
    vectors = char_tfidf(corpus)(corpus)
    np.testing.assert_allclose(vectors @ vectors.T, expected @ expected.T, atol=1e-12)


@given(st.lists(st.text(max_size=12), min_size=1, max_size=6))
def test_any_text_has_a_vector(strings):
    lengths = np.linalg.norm(char_tfidf(strings)(strings), axis=1)
    np.testing.assert_allclose(lengths, [float(bool(string.split())) for string in strings], atol=1e-12)


def test_scripts_case_and_emoji():
    strings = ["ספינה גדולה", "ספינה", "Ｓｈｉｐ", "SHIP", "⛵️", "船が来る", "船"]
    scores = cosine(char_tfidf(strings))(strings, strings)
    np.testing.assert_allclose(np.diag(scores), 1.0)
    assert scores[2, 3] == pytest.approx(1.0)
    assert scores[0, 1] > 0.3
    assert scores[5, 6] > 0.1
    assert scores[0, 4] == scores[3, 5] == 0


def units(rng, n):
    vectors = rng.normal(size=(n, 5)) + 1
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@given(st.integers(0, 10**6), st.integers(1, 6), st.integers(1, 6), st.floats(0, 0.9))
def test_it_is_the_cosine_of_vectors_moved_by_a_part_of_the_mean(seed, people, others, strength):
    rng = np.random.default_rng(seed)
    gold, answers = units(rng, people), units(rng, others)
    moved = strength * (1 - 1 / people) * gold.mean(axis=0)
    found = contrasted(answers @ gold.T, gold @ gold.T, strength)
    for similarity, own in zip(found, (answers, gold), strict=True):
        expected = cosine_similarity(own - moved, gold - moved)
        np.testing.assert_allclose(similarity, expected, rtol=0, atol=1e-12)
