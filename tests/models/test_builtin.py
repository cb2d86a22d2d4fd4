from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from probsense.errors import InputError
from probsense.models import builtin, hf
from probsense.models.base import Model
from probsense.records import ScoreRequest


def test_an_unknown_name_lists_those_there_are() -> None:
    with pytest.raises(InputError, match=r"no built-in model 'huge' \(expected one of tiny\)"):
        builtin.load("huge")


def test_it_is_loaded_from_the_package_by_the_same_code(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, saved_model: Callable[..., Path]
) -> None:
    shutil.copytree(saved_model("llama", "llama3", "a template"), tmp_path / "tiny")
    monkeypatch.setattr(builtin, "HERE", tmp_path)
    model = builtin.load("tiny", device="cpu")
    assert model.name == "builtin:tiny"
    assert not model.capabilities.chat
    assert model.details == hf.load(str(tmp_path / "tiny"), dtype="float32", device="cpu", chat=False).details


@pytest.mark.skipif(
    not (builtin.HERE / "tiny" / "model.safetensors").is_file(), reason="builtin:tiny is not trained yet"
)
def test_tiny_scores_options() -> None:
    pytest.importorskip("torch")
    model = builtin.load("tiny", device="cpu")
    assert isinstance(model, Model)
    assert model.name == "builtin:tiny"
    assert not model.capabilities.chat
    assert model.details["dtype"] == "float32"
    ((pair,),) = model.score([ScoreRequest("The answer is", (" TRUE", " FALSE"))])
    index, response = pair
    assert index == 0
    assert all(value < 0 for option in response.options for value in option.option.logprobs)
