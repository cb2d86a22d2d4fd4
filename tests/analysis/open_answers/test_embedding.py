"""Cosines, and character n-grams."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import TfidfVectorizer

from probsense.analysis.open_answers.embedding import char_tfidf, cosine
from probsense.core.errors import InputError

PLANE = {
    "east": [2.0, 0.0],
    "north": [0.0, 3.0],
    "west": [-1.0, 0.0],
    "north east": [1.0, 1.0],
    "": [0.0, 0.0],
}


def test_cosine_of_vectors() -> None:
    scores = cosine(lambda strings: np.array([PLANE[string] for string in strings]))(
        ["east", "north east", ""], list(PLANE)
    )
    half = np.sqrt(0.5)
    np.testing.assert_allclose(scores, [[1, 0, 0, half, 0], [half, half, 0, 1, 0], [0] * 5], atol=1e-15)


def test_each_string_is_embedded_once() -> None:
    asked: list[str] = []

    def embed(strings: Sequence[str]):
        asked.extend(strings)
        return np.ones((len(strings), 2))

    similarity = cosine(embed)
    similarity(["east", "east"], ["north", "east"])
    similarity(["north"], ["west"])
    assert similarity([], ["never"]).shape == (0, 1)
    assert asked == ["east", "north", "west"]


@pytest.mark.parametrize(
    ("vectors", "says"),
    [(np.ones(2), r"shape \(2,\)"), (np.ones((3, 2)), "shape"), ([[1.0], [np.nan]], "not finite")],
)
def test_a_faulty_embedding_is_refused(vectors, says: str) -> None:
    with pytest.raises(InputError, match=says):
        cosine(lambda strings: vectors)(["east", "west"], ["east"])


def test_n_grams_as_scikit_learn_has_them() -> None:
    corpus = ["a tall ship", "Ships sail", "the sailor's knot", "sand sand castle", "é Été", "naïve"]
    expected = TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 3)).fit_transform(corpus).toarray()
    vectors = char_tfidf(corpus)(corpus)
    np.testing.assert_allclose(vectors @ vectors.T, expected @ expected.T, atol=1e-12)


@given(st.lists(st.text(max_size=12), min_size=1, max_size=6))
def test_any_text_has_a_vector(strings: list[str]) -> None:
    lengths = np.linalg.norm(char_tfidf(strings)(strings), axis=1)
    np.testing.assert_allclose(lengths, [float(bool(string.split())) for string in strings], atol=1e-12)


def test_scripts_case_and_emoji() -> None:
    strings = ["ספינה גדולה", "ספינה", "Ｓｈｉｐ", "SHIP", "⛵️", "船が来る", "船"]
    scores = cosine(char_tfidf(strings))(strings, strings)
    np.testing.assert_allclose(np.diag(scores), 1.0)
    assert scores[2, 3] == pytest.approx(1.0)
    assert scores[0, 1] > 0.3
    assert scores[5, 6] > 0.1
    assert scores[0, 4] == scores[3, 5] == 0


def test_strings_outside_the_corpus_are_like_what_they_share_with_it() -> None:
    scores = cosine(char_tfidf(["rope", "ladder"]))(["ropes", "zzz", ""], ["rope", "ladder", "zzz"])
    assert scores[0, 0] > 0.7
    assert not scores[1:].any()


def test_a_repeated_string_of_the_corpus_counts_once() -> None:
    strings = ["rope", "ladder", "rope bridge"]
    np.testing.assert_array_equal(char_tfidf(strings)(strings), char_tfidf([*strings, "rope"])(strings))
