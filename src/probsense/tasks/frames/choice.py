"""How recorded answers are compared, from the words of a user."""

from __future__ import annotations

from typing import Any, Final, get_args, get_type_hints

from probsense.analysis.open_answers.settings import ComparisonSettings
from probsense.core.errors import InputError
from probsense.tasks.frames.compare import Choice
from probsense.tasks.frames.definite import AUTO, CHARS, definite
from probsense.tasks.frames.names import check_name
from probsense.tasks.frames.published import Published
from probsense.tasks.frames.similarities import definite_similarity

METHODS: Final = ("default", "published")


def make_choice(
    method: str = "default",
    *,
    similarity: str = AUTO,
    embeddings: str = AUTO,
    clusters: str = "people",
    divergence: str | None = None,
    answers: int | None = None,
    seed: int = 0,
) -> Choice | Published:
    """Put the options of ``analyse`` together; each method has its own defaults.

    Parameters
    ----------
    method, similarity, embeddings, clusters, divergence, answers, seed
        As for :func:`~probsense.tasks.frames.analyse.analyse`.

    Raises
    ------
    InputError
        For an unknown name, and for an option that does not belong to the method.
    """
    check_name("method", method, METHODS)
    if method == "published":
        if divergence is not None or answers is not None:
            option = "a number of answers" if divergence is None else "a divergence"
            raise InputError(f"{option} by the method published", expected="the method default")
        vectors = CHARS if embeddings == AUTO else definite(embeddings)
        return Published("wordnet" if similarity == AUTO else similarity, vectors, clusters, seed=seed)
    hints = get_type_hints(ComparisonSettings)
    check_name("clusters", clusters, get_args(hints["clusters"]))
    if divergence is not None:
        check_name("divergence", divergence, get_args(hints["divergence"]))
    known = {"clusters": clusters, "divergence": divergence, "answers": answers, "seed": seed}
    settings: dict[str, Any] = {name: value for name, value in known.items() if value is not None}
    embeddings = definite(embeddings)
    similarity = definite_similarity(similarity, embeddings, clusters)
    return Choice(similarity, embeddings, ComparisonSettings(**settings))
