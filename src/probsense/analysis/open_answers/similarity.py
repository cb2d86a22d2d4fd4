"""Measures the similarity of two strings by their characters or by vectors, as it is or contrasted."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

import numpy as np

from probsense.analysis.open_answers.questions import Embed, Floats, Question, Similarity
from probsense.core.errors import InputError


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


NGRAM_SIZES = (2, 3)
"""Lengths of the character n-grams."""


def cosine(embed: Embed) -> Similarity:
    """Return the cosine of two strings' vectors as a similarity; 0 where it is negative, and for a string whose
    vector is 0.

    Parameters
    ----------
    embed : Embed
        Embedding; it is called once for each string, with all new strings of a call together.

    Returns
    -------
    Similarity

    Raises
    ------
    InputError
        Raised by the similarity if the embedding gives a vector that is not finite.
    """

    @each_once
    def units(strings: Sequence[str]) -> Floats:
        vectors = np.asarray(embed(strings), dtype=np.float64)
        if not np.isfinite(vectors).all():
            raise InputError("an embedding has entries that are not finite", expected="numbers")
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        return np.asarray(vectors / np.where(lengths > 0, lengths, 1.0))

    def similarity(a: Sequence[str], b: Sequence[str]) -> Floats:
        if not a or not b:
            return np.zeros((len(a), len(b)))
        return np.clip(units(a) @ units(b).T, 0.0, 1.0)

    return similarity


def cosine_with(question: Question, embed: Embed) -> Similarity:
    """Return the cosine of the vectors of two strings, each embedded behind the question.

    Parameters
    ----------
    question : Question
    embed : Embed
        Embedding of whole sentences.
    """
    return cosine(lambda strings: embed([f"{question.text} {string}" for string in strings]))


def each_once(embed: Embed) -> Embed:
    """Return an embedding that keeps vectors, and embeds all new strings of a call together.

    Parameters
    ----------
    embed : Embed
        It gives a vector for each string.
    """
    known: dict[str, Floats] = {}

    def remembering(strings: Sequence[str]) -> Floats:
        new = [string for string in dict.fromkeys(strings) if string not in known]
        if new:
            known.update(zip(new, embed(new), strict=True))
        return np.stack([known[string] for string in strings]) if strings else np.zeros((0, 0))

    return remembering


def char_tfidf(corpus: Sequence[str]) -> Embed:
    """Return an embedding by character n-grams, weighted by their rarity in a corpus; it knows spelling, not meaning.

    Each word, with a space on either side, is cut into all its pieces of two and three characters. The weight of a
    piece is the number of times that it occurs, times ``ln((1 + N) / (1 + n)) + 1`` where n of the N strings have it.
    The embedding works in any language and script: strings are compared in Unicode's compatibility form, without
    case.

    Parameters
    ----------
    corpus : sequence of str
        All strings of the data; each counts once. The embedding ignores pieces that none of them has.

    Returns
    -------
    Embed
        Vectors of length 1 with one dimension for each piece of the corpus; 0 for a string without any.

    References
    ----------
    Salton & Buckley (1988), Term-weighting approaches in automatic text retrieval.
    Information Processing & Management 24(5). Smoothed as in scikit-learn's ``TfidfVectorizer``.
    """
    strings = dict.fromkeys(corpus)
    holders = Counter(piece for string in strings for piece in _pieces(string))
    columns = {piece: column for column, piece in enumerate(sorted(holders))}
    weights = {piece: np.log((1 + len(strings)) / (1 + count)) + 1 for piece, count in holders.items()}

    def embed(strings: Sequence[str]) -> Floats:
        vectors = np.zeros((len(strings), len(columns)))
        for row, string in enumerate(strings):
            for piece, count in _pieces(string).items():
                if piece in columns:
                    vectors[row, columns[piece]] = count * weights[piece]
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors / np.where(lengths > 0, lengths, 1.0)

    return embed


def _pieces(string: str) -> Counter[str]:
    words = (f" {word} " for word in unicodedata.normalize("NFKC", string).casefold().split())
    return Counter(
        word[start : start + size]
        for word in words
        for size in NGRAM_SIZES
        for start in range(len(word) - size + 1)
    )


SMALLEST = 1e-9
"""Squared length below which a string is similar to nothing."""


def contrasted(similarity: Floats, gold: Floats, strength: float) -> tuple[Floats, Floats]:
    """Compute the cosine after a part of the mean of people's answers is subtracted from every vector.

    Answers to one question resemble each other by its subject alone: all vegetables are similar, although people may
    distinguish them. With vectors x and the mean m of the G strings of people, the result is the cosine of x − c m and
    y − c m. It follows from similarities alone, like the centred kernel of kernel PCA (Schölkopf et al. 1998), so
    similarities without vectors can use it, too. A mean of few strings is close to each of them; therefore
    c = strength · (1 − 1/G).

    Parameters
    ----------
    similarity : ndarray, shape (U, G)
        Similarity of answers and people's strings, 1 for equal ones.
    gold : ndarray, shape (G, G)
        Similarity of people's strings.
    strength : float
        From 0, which changes nothing, to below 1.

    Returns
    -------
    tuple of ndarray
        Both similarities after the subtraction: at most 1, and below 0 where strings are less similar than an average
        pair of answers.
    """
    part = strength * (1 - 1 / max(len(gold), 1))
    common = gold.mean() if gold.size else 0.0
    of_gold, of_answers = gold.mean(axis=1), similarity.mean(axis=1)
    length = np.sqrt(np.maximum(np.diag(gold) - 2 * part * of_gold + part**2 * common, SMALLEST))
    others = np.sqrt(np.maximum(1 - 2 * part * of_answers + part**2 * common, SMALLEST))

    def moved(raw: Floats, rows: Floats, lengths: Floats) -> Floats:
        inner = raw - part * rows[:, None] - part * of_gold + part**2 * common
        return np.asarray(np.minimum(inner / (lengths[:, None] * length), 1.0))

    return moved(similarity, of_answers, others), moved(gold, of_gold, length)


@dataclass(frozen=True, slots=True)
class Similarities:
    """Hold S similarities of answers to one question, and the V means of them by which answers are compared.

    Attributes
    ----------
    sources : tuple of Similarity
        S similarities. The first alone says which answers match, and which are nearest.
    contrasts : tuple of float
        For each of them, the share of what all answers to a question have in common that is removed.
    means : tuple of tuple of int
        For each of the V means, the indices of the similarities that it averages after the contrast. The first mean is
        the first similarity.
    kernel : bool
        Whether automatic clusters have the kernel beside them, half and half.
    """

    sources: tuple[Similarity, ...]
    contrasts: tuple[float, ...]
    means: tuple[tuple[int, ...], ...] = ((0,),)
    kernel: bool = False

    def raw(self, a: Sequence[str], b: Sequence[str]) -> Floats:
        """Return the similarities of n strings and m strings as they are, shape (S, n, m)."""
        return np.stack([similarity(a, b) for similarity in self.sources])

    def contrasted(self, raw: Floats, gold: Floats) -> tuple[Floats, Floats]:
        """Contrast similarities, and average them.

        Parameters
        ----------
        raw : ndarray, shape (S, U, G)
            Similarities of answers and people's strings.
        gold : ndarray, shape (S, G, G)
            Similarities of people's strings.

        Returns
        -------
        tuple of ndarray
            The means of both, shapes (V, U, G) and (V, G, G): see
            :func:`contrasted`.
        """
        each = [contrasted(*own) for own in zip(raw, gold, self.contrasts, strict=True)]
        found = [
            np.stack([np.mean([part[i] for i in mean], axis=0) for mean in self.means])
            for part in zip(*each, strict=True)
        ]
        return found[0], found[1]
