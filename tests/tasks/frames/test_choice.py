"""How recorded answers are compared: what goes together, and what does not."""

from __future__ import annotations

from typing import Any

import pytest

from probsense.errors import InputError
from probsense.tasks.frames.choice import make_choice
from probsense.tasks.frames.compare import Choice
from probsense.tasks.frames.definite import definite
from probsense.tasks.frames.published import Published


def test_each_method_has_its_own_similarity() -> None:
    assert make_choice(embeddings="chars") == Choice()
    assert make_choice().facts()["embeddings"] == definite("auto")
    assert make_choice("published") == Published(similarity="wordnet", embeddings="chars")
    chosen = make_choice(similarity="exact", divergence="js", answers=7, seed=2)
    assert isinstance(chosen, Choice)
    assert chosen.similarity == "exact"
    assert (chosen.settings.divergence, chosen.settings.answers, chosen.settings.seed) == ("js", 7, 2)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"method": "publisht"}, "did you mean 'published'"),
        ({"method": "default", "similarity": "cosin"}, "did you mean 'cosine'"),
        ({"method": "default", "similarity": "gaussian"}, "no such similarity"),
        ({"method": "default", "clusters": "hac"}, "clusters"),
        ({"method": "default", "divergence": "kll"}, "divergence"),
        ({"method": "default", "answers": 0}, "answers"),
        ({"method": "published", "clusters": "automatic"}, "no such clusters by the method published"),
        ({"method": "published", "similarity": "cosine+exat"}, "similarity"),
        ({"method": "published", "divergence": "js"}, "a divergence by the method published"),
        ({"method": "published", "answers": 5}, "a number of answers by the method published"),
    ],
)
def test_words_that_cannot_be(words: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        make_choice(**words)
