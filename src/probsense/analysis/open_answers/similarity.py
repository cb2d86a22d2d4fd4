"""Measures the similarity of two strings by their characters alone, and combines similarities."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from difflib import SequenceMatcher

import numpy as np

from probsense.analysis.open_answers.questions import Floats, Similarity


def exact(a: Sequence[str], b: Sequence[str]) -> Floats:
    """Return 1 where two strings are equal, else 0.

    Parameters
    ----------
    a, b : sequence of str
        n strings and m strings.

    Returns
    -------
    numpy.ndarray
        Shape (n, m).
    """
    place = {string: column for column, string in enumerate(dict.fromkeys(b))}
    columns = np.array([place[string] for string in b], dtype=np.int64)
    rows = np.array([place.get(string, -1) for string in a], dtype=np.int64)
    return np.equal.outer(rows, columns).astype(np.float64)


def substring(a: Sequence[str], b: Sequence[str]) -> Floats:
    """Return the length of the longest common substring, as a share of the longer string; two empty strings are
    equal.

    Parameters
    ----------
    a, b : sequence of str
        n strings and m strings.

    Returns
    -------
    numpy.ndarray
        Shape (n, m).

    References
    ----------
    Boratko et al. (2020), ProtoQA: A Question Answering Dataset for Prototypical Common-Sense Reasoning (EMNLP):
    their evaluator's ``longest_common_substring``.
    """
    return _by_matcher(a, b, lambda matcher: matcher.find_longest_match().size)


def subsequence(a: Sequence[str], b: Sequence[str]) -> Floats:
    """Return the number of characters in matching blocks, as a share of the longer string; two empty strings are
    equal.

    The blocks are those of Ratcliff and Obershelp: the longest common substring, then the same to its left and to its
    right. Their sum is at most the length of the longest common subsequence, which gives the measure its name in the
    ProtoQA evaluator.

    Parameters
    ----------
    a, b : sequence of str
        n strings and m strings.

    Returns
    -------
    numpy.ndarray
        Shape (n, m).

    References
    ----------
    See `substring`: the evaluator's ``longest_common_subsequence``, by Python's ``difflib.SequenceMatcher``.
    """
    return _by_matcher(a, b, lambda matcher: sum(block.size for block in matcher.get_matching_blocks()))


def _by_matcher(a: Sequence[str], b: Sequence[str], size: Callable[[SequenceMatcher[str]], int]) -> Floats:
    scores = np.zeros((len(a), len(b)))
    matcher: SequenceMatcher[str] = SequenceMatcher(None)
    for column, right in enumerate(b):
        # The matcher caches its analysis of the second string.
        matcher.set_seq2(right)
        letters = set(right)
        for row, left in enumerate(a):
            if left == right:
                scores[row, column] = 1.0
            elif not letters.isdisjoint(left):
                matcher.set_seq1(left)
                scores[row, column] = size(matcher) / max(len(left), len(right))
    return scores


def mean(*similarities: Similarity) -> Similarity:
    """Return the mean of several similarities, for each pair.

    Parameters
    ----------
    similarities : Similarity
        At least one.

    Returns
    -------
    Similarity
    """
    return _joined(similarities, np.mean)


def union(*similarities: Similarity) -> Similarity:
    """Return the highest of several similarities, for each pair.

    Parameters
    ----------
    similarities : Similarity
        At least one.

    Returns
    -------
    Similarity
    """
    return _joined(similarities, np.max)


def _joined(similarities: Sequence[Similarity], join: Callable[..., Floats]) -> Similarity:
    """Return what becomes of several similarities of each pair; ``join`` reduces an axis, as NumPy's functions do."""
    return lambda a, b: join([similarity(a, b) for similarity in similarities], axis=0)
