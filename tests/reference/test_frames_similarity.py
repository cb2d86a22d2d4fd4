"""Similarities of published pairs of answers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from probsense.answers.similarity import subsequence, substring
from probsense.answers.wordnet import wordnet, wup
from probsense.data.wordnet import WordNet, load
from probsense.errors import InputError

pytestmark = pytest.mark.reference


@pytest.fixture(scope="module")
def lexicon() -> WordNet:
    try:
        return load()
    except InputError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def pairs(reference_data: Path) -> list[dict]:
    return json.loads((reference_data / "frames/expected/wordnet_pairs.json").read_text())


@pytest.mark.parametrize(("name", "similarity"), [("lcs_substr", substring), ("lcs_subseq", subsequence)])
def test_characters(pairs: list[dict], name: str, similarity) -> None:
    for pair in pairs:
        assert similarity([pair["a"]], [pair["b"]])[0, 0] == pytest.approx(pair[name], abs=1e-12), pair


def test_wordnet(pairs: list[dict], lexicon: WordNet) -> None:
    scores = wordnet(lexicon)([pair["a"] for pair in pairs], [pair["b"] for pair in pairs])
    assert len(pairs) == 354
    for score, pair in zip(scores.diagonal(), pairs, strict=True):
        assert score == pytest.approx(pair["wordnet"], abs=1e-12), pair


def test_wu_palmer(reference_data: Path, lexicon: WordNet) -> None:
    pairs = json.loads((reference_data / "frames/expected/wordnet_wup_pairs.json").read_text())
    similarity = wup(lexicon)
    assert len(pairs) == 60
    for a, b, expected in pairs:
        assert similarity([a], [b])[0, 0] == pytest.approx(expected, abs=1e-12), (a, b)
