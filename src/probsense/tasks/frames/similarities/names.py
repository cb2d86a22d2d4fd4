"""Similarities by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from probsense.analysis.open_answers import similarity
from probsense.analysis.open_answers.questions import ComparisonSettings, Question, Similarity
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


def definite_similarity(name: str, embeddings: str, clusters: str = "people") -> str:
    """Say which similarity a name stands for.

    Parameters
    ----------
    name : str
        "auto", which stands for "several" with a sentence embedding unless there are no clusters, and for "cosine"
        elsewhere; "several"; or one of :data:`NAMES`.
    embeddings : str
        As from :func:`~probsense.tasks.frames.similarities.embeddings.definite`.
    clusters : str
        As of :class:`~probsense.analysis.open_answers.questions.ComparisonSettings`.

    Raises
    ------
    InputError
        For an unknown name, and for "several" where it cannot be computed.
    """
    check_name("similarity", name, (AUTO, SEVERAL, *NAMES))
    fits = embeds_sentences(embeddings) and clusters != "none"
    if name == SEVERAL and not fits:
        raise InputError(
            f"similarity {SEVERAL} with embeddings {described(embeddings)} and clusters {clusters}",
            expected="embeddings minilm or st:MODEL, and clusters people or automatic",
        )
    return (SEVERAL if fits else COSINE) if name == AUTO else name


def load_similarity(
    name: str, embeddings: str, strings: Sequence[str], *, spelt: Callable[[str], str] = str
) -> Similarity:
    """Load the function that measures how alike answers are.

    Parameters
    ----------
    name : str
        One of :data:`NAMES`.
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
    if name in (COSINE, CHARS):
        return similarity.cosine(load_embedder(embeddings if name == COSINE else CHARS, strings))
    if alike := SPELLINGS.get(name):
        return lambda a, b: alike([*map(spelt, a)], [*map(spelt, b)])
    from probsense.analysis.open_answers import wordnet
    from probsense.tasks.frames.similarities.wordnet import load

    return wordnet.wordnet(load()) if name == "wordnet" else wordnet.wup(load())


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
    answer, spelling = (load_similarity(name, embeddings, strings) for name in (COSINE, CHARS))
    contrasts = (settings.contrast, settings.question_contrast, settings.contrast)

    def of(question: Question) -> similarity.Similarities:
        sources = (answer, similarity.cosine_with(question, embed), spelling)
        return similarity.Similarities(sources, contrasts, MEANS, kernel=True)

    return of
