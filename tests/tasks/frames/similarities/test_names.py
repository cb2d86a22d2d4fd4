"""Similarities by name."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from probsense.analysis.open_answers import similarity
from probsense.analysis.open_answers.questions import ComparisonSettings, Question
from probsense.analysis.open_answers.similarity import char_tfidf, cosine
from probsense.core.errors import InputError
from probsense.tasks.frames.questions.prompts import clean
from probsense.tasks.frames.similarities.names import definite_similarity, load_several, load_similarity

A, B = ["a boat", "boats", "a saw"], ["a boat", "a goat", "saws"]


def test_each_name_is_a_similarity() -> None:
    for name in ("exact", "substring", "subsequence"):
        np.testing.assert_array_equal(
            load_similarity(name, "chars", [*A, *B])(A, B), getattr(similarity, name)(A, B)
        )
    chars = cosine(char_tfidf([*A, *B]))(A, B)
    for name in ("chars", "cosine"):
        np.testing.assert_array_equal(load_similarity(name, "chars", [*A, *B])(A, B), chars)


@pytest.mark.parametrize(
    "names",
    ["", "exat", "cosine+chars", "exact,chars"],
)
def test_a_name_that_is_none(names: str) -> None:
    with pytest.raises(InputError, match="no such similarity"):
        definite_similarity(names, "minilm")


@pytest.mark.parametrize(
    ("embeddings", "clusters", "found"),
    [
        ("minilm#sha256=53aa", "people", "several"),
        ("st:any/model", "automatic", "several"),
        ("minilm", "none", "cosine"),
        ("chars", "automatic", "cosine"),
    ],
)
def test_several_similarities_need_a_sentence_embedding_and_clusters(
    embeddings: str, clusters: str, found: str
) -> None:
    assert definite_similarity("auto", embeddings, clusters) == found
    assert definite_similarity("chars", embeddings, clusters) == "chars"
    if found == "several":
        assert definite_similarity("several", embeddings, clusters) == "several"
    else:
        with pytest.raises(InputError, match=f"several with embeddings {embeddings} and clusters {clusters}"):
            definite_similarity("several", embeddings, clusters)


def test_each_of_several_knows_its_question(monkeypatch: pytest.MonkeyPatch) -> None:
    """The vectors are made up: every string has a direction of its own, unless it has the same letters."""

    def embed(strings: Sequence[str]) -> np.ndarray:
        return np.array([[string.count(letter) for letter in "abcdefg?"] for string in strings], float)

    monkeypatch.setattr("probsense.tasks.frames.similarities.names.load_embedder", lambda *_: embed)
    settings = ComparisonSettings(contrast=0.2, question_contrast=0.6)
    of = load_several("minilm", ["ab", "ac"], settings)
    for question in (Question("q", "dd?", {}), Question("r", "b?", {})):
        found = of(question)
        assert found.kernel
        assert found.contrasts == (0.2, 0.6, 0.2)
        assert found.means == ((0,), (0, 1), (0, 1, 2))
        raw = found.raw(["ab"], ["ac"])
        together = cosine(embed)([f"{question.text} ab"], [f"{question.text} ac"])
        np.testing.assert_allclose(raw[:, 0, 0], [0.5, together[0, 0], 0.5])
    assert of(Question("q", "dd?", {})).raw(["ab"], ["ac"])[1, 0, 0] == pytest.approx(6 / 7)


@pytest.mark.parametrize("name", ["exact", "substring", "subsequence"])
def test_spellings_are_compared_as_answers_are_cleaned(name: str) -> None:
    people = ["am Strand", "The Park."]
    alike = load_similarity(name, "chars", people, spelt=clean)
    assert alike([clean(answer) for answer in people], people).diagonal().tolist() == [1, 1]
    assert load_similarity(name, "chars", people)(["am strand"], people).max() < 1
