"""Similarities of characters."""

from __future__ import annotations

from difflib import SequenceMatcher

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probsense.answers.similarity import exact, mean, subsequence, substring, union

STRINGS = st.lists(st.text(alphabet="abc é😀ש", max_size=6), max_size=5)


def longest_block(a: str, b: str) -> int:
    return max(
        (end - start for start in range(len(a)) for end in range(start + 1, len(a) + 1) if a[start:end] in b),
        default=0,
    )


@given(STRINGS, STRINGS)
def test_exact_is_equality(a: list[str], b: list[str]) -> None:
    expected = np.array([[float(x == y) for y in b] for x in a]).reshape(len(a), len(b))
    np.testing.assert_array_equal(exact(a, b), expected)


@given(STRINGS, STRINGS)
def test_substring_is_the_longest_that_both_have(a: list[str], b: list[str]) -> None:
    scores = substring(a, b)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            expected = longest_block(x, y) / max(len(x), len(y)) if x or y else 1.0
            assert scores[i, j] == expected


@given(STRINGS, STRINGS)
def test_subsequence_sums_the_matching_blocks(a: list[str], b: list[str]) -> None:
    scores = subsequence(a, b)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            blocks = SequenceMatcher(None, x, y).get_matching_blocks()
            expected = sum(block.size for block in blocks) / max(len(x), len(y)) if x or y else 1.0
            assert scores[i, j] == expected


@pytest.mark.parametrize("similarity", [exact, substring, subsequence])
def test_no_strings_make_an_empty_table(similarity) -> None:
    assert similarity([], ["a", "b"]).shape == (0, 2)
    assert similarity(["a"], []).shape == (1, 0)


def test_parts_of_words_are_shares_of_the_longer_one() -> None:
    assert substring(["sandcastle"], ["castle"])[0, 0] == 0.6
    assert subsequence(["boat house"], ["boathouse"])[0, 0] == 0.9


def test_union_takes_the_highest() -> None:
    a, b = ["lamp", "lantern"], ["lamps", "lantern"]
    np.testing.assert_array_equal(union(exact, substring)(a, b), substring(a, b))
    np.testing.assert_array_equal(union(exact)(a, b), exact(a, b))


def test_the_mean_of_one_is_itself_and_of_several_lies_between_them() -> None:
    a, b = ["boat", "saw"], ["boats", "was", "saw"]
    np.testing.assert_array_equal(mean(substring)(a, b), substring(a, b))
    parts = np.array([substring(a, b), subsequence(a, b), exact(a, b)])
    np.testing.assert_allclose(mean(substring, subsequence, exact)(a, b), parts.sum(axis=0) / 3, atol=1e-15)
