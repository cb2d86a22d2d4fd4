"""GGUF files that transformers dequantises: the same numbers and tokens as the folder from which they were made."""

import json
import logging
import shutil
from types import SimpleNamespace

import numpy as np
import pytest
from safetensors.torch import load_file, save_file

from probsense.core.errors import InputError, ModelError
from probsense.core.records import ScoreRequest
from probsense.models.registry import fingerprint
from probsense.models.small.builtin import HERE
from probsense.models.transformers import files
from probsense.models.transformers.load import load
from support.models.answers import answers, logprobs
from to_gguf import convert

TEXT = ScoreRequest("Tom stands left of Ann.  In 1987 he", (" sat 12 times", " left"), ".\n")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The built-in model without its biases, which transformers would drop from a GGUF file, and as such a file."""
    path = tmp_path_factory.mktemp("dequantised") / "model"
    shutil.copytree(HERE / "tiny", path)
    config = json.loads((path / "config.json").read_text())
    (path / "config.json").write_text(json.dumps(config | {"attention_bias": False}))
    weights = load_file(path / "model.safetensors")
    kept = {name: tensor for name, tensor in weights.items() if not name.endswith("bias")}
    save_file(kept, path / "model.safetensors", metadata={"format": "pt"})
    convert(path, path.parent / "alone.gguf")
    shutil.copy(path.parent / "alone.gguf", path / "beside.gguf")
    return path


def test_a_file_has_the_numbers_and_tokens_of_its_folder(folder, capfd):
    expected = load(str(folder), chat=False)
    capfd.readouterr()
    alone = load(str(folder.parent / "alone.gguf"))
    beside = load(str(folder), gguf_file="beside.gguf", dtype="float64")
    assert capfd.readouterr() == ("", "")  # nothing is said on the terminal
    assert [model.details["dtype"] for model in (alone, beside)] == ["float32", "float64"]
    for model in (alone, beside):
        np.testing.assert_allclose(
            *(logprobs(answers(one.score([TEXT]))) for one in (model, expected)), atol=1e-5
        )
    assert alone.details["weights"] == beside.details["weights"]
    assert alone.details["tokenizer"] is None
    assert beside.details["tokenizer"] is not None
    assert len({fingerprint(model) for model in (expected, alone, beside)}) == 3


def test_numbers_that_would_be_left_out_are_an_error(gguf_file):
    with pytest.raises(ModelError, match="leaves out 2,048 of the file's numbers; gguf: reads them all"):
        load(str(gguf_file))


def test_files_that_are_not_there(folder, tmp_path):
    with pytest.raises(InputError, match=r"other.gguf: no such file"):
        load(str(folder), gguf_file="other.gguf")
    with pytest.raises(InputError, match="not a GGUF file"):
        load(str(folder), gguf_file="config.json")
    with pytest.raises(InputError, match=r"a GGUF file already .expected no --gguf-file x.gguf"):
        load(str(folder / "beside.gguf"), gguf_file="x.gguf")
    (tmp_path / "a.gguf").write_bytes(b"GGUF")
    with pytest.raises(InputError, match=r"has GGUF files only .expected --gguf-file a.gguf"):
        load(str(tmp_path))


def test_missing_packages_are_named(folder, monkeypatch):
    monkeypatch.setattr(files, "find_spec", lambda name: None)
    with pytest.raises(ModelError, match=r"takes .*gguf and accelerate: pip install .*gguf accelerate"):
        load(str(folder / "beside.gguf"))


def file_with(**fields):
    names = {"kind": "tokenizer.ggml.model", "split": "tokenizer.ggml.pre"}
    return SimpleNamespace(
        fields={
            names[key]: SimpleNamespace(contents=lambda value=value: value) for key, value in fields.items()
        }
    )


@pytest.mark.parametrize(
    ("fields", "warned"),
    [
        ({"kind": "gpt2", "split": "gpt-2"}, False),
        ({"kind": "llama", "split": "default"}, False),
        ({"kind": "gpt2"}, False),
        ({"kind": "gpt2", "split": "of-tomorrow"}, True),
    ],
)
def test_an_unknown_split_of_texts_is_said(fields, warned, caplog):
    with caplog.at_level(logging.WARNING):
        files.split_as_named(None, file_with(**fields), "x.gguf")
    assert ("put its tokenizer.json beside the file" in caplog.text) is warned
