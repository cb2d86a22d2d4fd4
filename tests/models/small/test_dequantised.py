"""A GGUF file becomes a folder with the same numbers and tokens as the one from which it was made."""

import json
import shutil

import numpy as np
import pytest
from safetensors.torch import load_file, save_file

from probsense.core.errors import ModelError
from probsense.core.records import ScoreRequest
from probsense.models.small import builtin
from probsense.models.transformers.load import load
from support.models.answers import answers, logprobs
from to_gguf import convert

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
