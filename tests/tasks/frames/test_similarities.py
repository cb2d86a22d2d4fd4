"""Similarities by name, alone and joined."""

from __future__ import annotations

import numpy as np
import pytest

from probsense.answers import similarity
from probsense.answers.embedding import char_tfidf, cosine
from probsense.errors import InputError
from probsense.tasks.frames.similarities import check_similarity, load_similarity

A, B = ["a boat", "boats", "a saw"], ["a boat", "a goat", "saws"]


def loaded(names: str) -> np.ndarray:
    return load_similarity(names, "chars", [*A, *B])(A, B)


def test_a_plus_takes_the_highest_and_a_comma_the_mean() -> None:
    exact, sub, seq = (getattr(similarity, name)(A, B) for name in ("exact", "substring", "subsequence"))
    chars = cosine(char_tfidf([*A, *B]))(A, B)
    np.testing.assert_array_equal(loaded("substring"), sub)
    np.testing.assert_array_equal(loaded("exact+substring"), np.maximum(exact, sub))
    np.testing.assert_allclose(loaded("exact,substring"), (exact + sub) / 2, atol=1e-15)
    np.testing.assert_allclose(
        loaded("exact+chars,subsequence"), (np.maximum(exact, chars) + seq) / 2, atol=1e-15
    )
    np.testing.assert_array_equal(loaded("chars"), loaded("cosine"))


@pytest.mark.parametrize("names", ["", "cosine,", ",exact", "exact+", "exact,exat", "exact, chars"])
def test_a_name_that_is_none(names: str) -> None:
    with pytest.raises(InputError, match="no such similarity"):
        check_similarity(names)
