"""The built-in model as a GGUF file of float32 numbers, where the results are known."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from probsense.models.builtin import HERE
from probsense.models.gguf.tokens import FileTokenizer
from probsense.models.hf import HuggingFaceModel


@pytest.fixture(scope="session")
def known() -> HuggingFaceModel:
    """The same model, computed by transformers."""
    from probsense.models.builtin import load

    return load("tiny")


@pytest.fixture(scope="session")
def tiny(gguf_file: Path) -> HuggingFaceModel:
    pytest.importorskip("llama_cpp", reason="needs llama-cpp-python (make server-test)")
    from probsense.models.gguf.load import load

    return load(str(gguf_file))


@pytest.fixture(scope="session")
def own(tiny: HuggingFaceModel) -> FileTokenizer:
    assert isinstance(tiny.encoder.tokenizer, FileTokenizer)
    return tiny.encoder.tokenizer


@pytest.fixture(scope="session")
def original() -> Any:
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(HERE / "tiny")
