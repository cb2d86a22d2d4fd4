"""Represents strings as vectors: the cosine of any embedding, and a built-in embedding without download."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Sequence

import numpy as np

from probsense.analysis.open_answers.questions import Embed, Floats, Question, Similarity
from probsense.core.errors import InputError

SIZES = (2, 3)
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
        Raised by the similarity if the embedding does not give a finite vector for each string.
    """

    @each_once
    def units(strings: Sequence[str]) -> Floats:
        vectors = _checked(embed(strings), len(strings))
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


def _checked(vectors: Floats, strings: int) -> Floats:
    vectors = np.asarray(vectors, dtype=np.float64)
    if vectors.ndim != 2 or len(vectors) != strings:
        raise InputError(
            f"the embedding of {strings} strings has shape {vectors.shape}",
            expected=f"({strings}, number of dimensions)",
        )
    if not np.isfinite(vectors).all():
        raise InputError("an embedding has entries that are not finite", expected="numbers")
    return vectors


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
        for size in SIZES
        for start in range(len(word) - size + 1)
    )
