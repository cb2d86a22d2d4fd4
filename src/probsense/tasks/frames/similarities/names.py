"""Similarities by name, alone or joined."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from probsense.analysis.open_answers import similarity
from probsense.analysis.open_answers.questions import Question, Similarity
from probsense.analysis.open_answers.settings import ComparisonSettings
from probsense.core.errors import InputError, check_name
from probsense.tasks.frames.similarities.embeddings import (
    AUTO,
    CHARS,
    described,
    embeds_sentences,
    load_embedder,
)

SPELLINGS: Final[Mapping[str, Similarity]] = {
    "exact": similarity.exact,
    "substring": similarity.substring,
    "subsequence": similarity.subsequence,
}
COSINE: Final = "cosine"
NAMES: Final = (COSINE, CHARS, "wordnet", "wup", *SPELLINGS)
SEVERAL: Final = "several"

MEANS: Final = ((0,), (0, 1), (0, 1, 2))
"""What "several" averages: indices of the cosine, the cosine of question and answer together, and "chars"."""


def definite_similarity(names: str, embeddings: str, clusters: str = "people") -> str:
    """Say which similarity a name stands for.

    Parameters
    ----------
    names : str
        "auto", which stands for "several" with a sentence embedding unless there are no clusters, and for "cosine"
        elsewhere; "several"; or as for :func:`load_similarity`.
    embeddings : str
        As from :func:`~probsense.tasks.frames.similarities.embeddings.definite`.
    clusters : str
        As of :class:`~probsense.analysis.open_answers.settings.ComparisonSettings`.

    Raises
    ------
    InputError
        For an unknown name, and for "several" where it cannot be computed.
    """
    fits = embeds_sentences(embeddings) and clusters != "none"
    if names == AUTO:
        return SEVERAL if fits else COSINE
    if names == SEVERAL and not fits:
        raise InputError(
            f"similarity {SEVERAL} with embeddings {described(embeddings)} and clusters {clusters}",
            expected="embeddings minilm or st:MODEL, and clusters people or automatic",
        )
    known = NAMES if len(parts(names)) > 1 else (AUTO, SEVERAL, *NAMES)
    for name in parts(names):
        check_name("similarity", name, known)
    return names


def parts(names: str) -> list[str]:
    """List the single names in order, also those that come twice."""
    return [name for highest in names.split(",") for name in highest.split("+")]


def load_similarity(
    names: str, embeddings: str, strings: Sequence[str], *, spelt: Callable[[str], str] | None = None
) -> Similarity:
    """Load the function that measures how alike answers are.

    Parameters
    ----------
    names : str
        One of :data:`NAMES`, several joined by "+" for the highest of them, or several joined by commas for their
        mean. "+" binds more closely: "cosine+wordnet,chars" is the mean of two numbers.
    embeddings : str
        The vectors behind "cosine" ("chars" always stands for the built-in ones). See
        :func:`~probsense.tasks.frames.similarities.embeddings.load_embedder`.
    strings : sequence of str
        All answers at hand.
    spelt : callable, optional
        How answers are written before their spelling is compared; by default as they are.

    Raises
    ------
    InputError
        For a name that needs a package or data not installed.
    """
    loaded = {
        name: _spelt(SPELLINGS[name], spelt)
        if name in SPELLINGS and spelt
        else _load(name, embeddings, strings)
        for name in parts(names)
    }
    highest = [similarity.union(*(loaded[name] for name in part.split("+"))) for part in names.split(",")]
    return similarity.mean(*highest)


def _spelt(alike: Similarity, spelt: Callable[[str], str]) -> Similarity:
    return lambda a, b: alike([*map(spelt, a)], [*map(spelt, b)])


def load_several(
    embeddings: str, strings: Sequence[str], settings: ComparisonSettings
) -> Callable[[Question], similarity.Similarities]:
    """Load the similarities of a question that "several" stands for, where people made no clusters.

    Parameters
    ----------
    embeddings, strings
        As for :func:`load_similarity`; a sentence embedding.
    settings : ComparisonSettings
    """
    embed = load_embedder(embeddings, strings)
    answer, spelling = (_load(name, embeddings, strings) for name in (COSINE, CHARS))
    contrasts = (settings.contrast, settings.question_contrast, settings.contrast)

    def of(question: Question) -> similarity.Similarities:
        sources = (answer, similarity.cosine_with(question, embed), spelling)
        return similarity.Similarities(sources, contrasts, MEANS, kernel=True)

    return of


def _load(name: str, embeddings: str, strings: Sequence[str]) -> Similarity:
    if name in (COSINE, CHARS):
        return similarity.cosine(load_embedder(embeddings if name == COSINE else CHARS, strings))
    if name in SPELLINGS:
        return SPELLINGS[name]
    from probsense.analysis.open_answers import wordnet
    from probsense.tasks.frames.similarities.wordnet import load

    return wordnet.wordnet(load()) if name == "wordnet" else wordnet.wup(load())
