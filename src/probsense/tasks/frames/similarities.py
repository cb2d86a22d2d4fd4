"""Similarities by name, alone or joined."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from probsense.answers import similarity
from probsense.answers.questions import Similarity
from probsense.tasks.frames.definite import CHARS
from probsense.tasks.frames.names import check_name

SPELLINGS: Final[Mapping[str, Similarity]] = {
    "exact": similarity.exact,
    "substring": similarity.substring,
    "subsequence": similarity.subsequence,
}
COSINE: Final = "cosine"
NAMES: Final = (COSINE, CHARS, "wordnet", "wup", *SPELLINGS)


def check_similarity(names: str) -> None:
    """Refuse unknown names; several are joined by "+" or by commas."""
    for name in parts(names):
        check_name("similarity", name, NAMES)


def parts(names: str) -> list[str]:
    """List the single names in order, also those that come twice."""
    return [name for highest in names.split(",") for name in highest.split("+")]


def load_similarity(names: str, embeddings: str, strings: Sequence[str]) -> Similarity:
    """Load the function that measures how alike answers are.

    Parameters
    ----------
    names : str
        One of :data:`NAMES`, several joined by "+" for the highest of them, or several joined by commas for their
        mean. "+" binds more closely: "cosine+wordnet,chars" is the mean of two numbers.
    embeddings : str
        The vectors behind "cosine" ("chars" always stands for the built-in ones). See
        :func:`~probsense.tasks.frames.embedders.load_embedder`.
    strings : sequence of str
        All answers at hand.

    Raises
    ------
    InputError
        For an unknown name, and for a name that needs a package or data not installed.
    """
    check_similarity(names)
    loaded = {name: _load(name, embeddings, strings) for name in parts(names)}
    highest = [similarity.union(*(loaded[name] for name in part.split("+"))) for part in names.split(",")]
    return similarity.mean(*highest)


def _load(name: str, embeddings: str, strings: Sequence[str]) -> Similarity:
    if name in (COSINE, CHARS):
        from probsense.answers.embedding import cosine
        from probsense.tasks.frames.embedders import load_embedder

        return cosine(load_embedder(embeddings if name == COSINE else CHARS, strings))
    if name in SPELLINGS:
        return SPELLINGS[name]
    from probsense.answers import wordnet
    from probsense.data.wordnet import load

    return wordnet.wordnet(load()) if name == "wordnet" else wordnet.wup(load())
