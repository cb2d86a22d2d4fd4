"""The similarities by name, alone or joined."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from probsense.answers import similarity
from probsense.answers.questions import Similarity
from probsense.tasks.frames.names import check_name

SPELLINGS: Final[Mapping[str, Similarity]] = {
    "exact": similarity.exact,
    "substring": similarity.substring,
    "subsequence": similarity.subsequence,
}
NAMES: Final = ("cosine", "wordnet", "wup", *SPELLINGS)


def check_similarity(names: str) -> None:
    """Refuse unknown names; several are joined by "+"."""
    for name in names.split("+"):
        check_name("similarity", name, NAMES)


def load_similarity(names: str, embeddings: str, strings: Sequence[str]) -> Similarity:
    """Load what says how alike answers are.

    Parameters
    ----------
    names : str
        One of :data:`NAMES`, or several joined by "+" for the highest of them.
    embeddings : str
        The vectors behind "cosine": see :func:`~probsense.tasks.frames.embedders.load_embedder`.
    strings : sequence of str
        All answers at hand.

    Raises
    ------
    InputError
        For an unknown name, and for a name that needs what is not installed.
    """
    check_similarity(names)
    loaded = [_load(name, embeddings, strings) for name in dict.fromkeys(names.split("+"))]
    return loaded[0] if len(loaded) == 1 else similarity.union(*loaded)


def _load(name: str, embeddings: str, strings: Sequence[str]) -> Similarity:
    if name == "cosine":
        from probsense.answers.embedding import cosine
        from probsense.tasks.frames.embedders import load_embedder

        return cosine(load_embedder(embeddings, strings))
    if name in SPELLINGS:
        return SPELLINGS[name]
    from probsense.answers import wordnet
    from probsense.data.wordnet import load

    return wordnet.wordnet(load()) if name == "wordnet" else wordnet.wup(load())
