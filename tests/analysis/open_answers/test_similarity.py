"""Similarities of characters."""

from __future__ import annotations

from collections.abc import Callable
from difflib import SequenceMatcher

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probsense.analysis.open_answers.questions import Similarity
from probsense.analysis.open_answers.similarity import exact, mean, subsequence, substring, union

STRINGS = st.lists(st.text(alphabet="abc é😀ש", max_size=6), max_size=5)


def longest_block(a: str, b: str) -> int:
    return max(
        (end - start for start in range(len(a)) for end in range(start + 1, len(a) + 1) if a[start:end] in b),
        default=0,
    )


def matching_blocks(a: str, b: str) -> int:
    return sum(block.size for block in SequenceMatcher(None, a, b).get_matching_blocks())


@pytest.mark.parametrize(
    ("similarity", "common"),
    [(exact, lambda a, b: len(a) * (a == b)), (substring, longest_block), (subsequence, matching_blocks)],
)
@given(a=STRINGS, b=STRINGS)
def test_what_both_have_is_a_share_of_the_longer_one(
    similarity: Similarity, common: Callable[[str, str], int], a: list[str], b: list[str]
) -> None:
    scores = similarity(a, b)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            assert scores[i, j] == (common(x, y) / max(len(x), len(y)) if x or y else 1.0)


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
