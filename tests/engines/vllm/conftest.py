"""The built-in model in vLLM, on the CPU, and in transformers."""

from __future__ import annotations

import pytest

from probsense.models.base import Model
from probsense.models.registry import load_model
from probsense.models.small.builtin import HERE

FOLDER = HERE / "tiny"


@pytest.fixture(scope="session")
def tiny() -> Model:
    """The built-in model in vLLM."""
    return load_model(f"vllm:{FOLDER}", dtype="float32")


@pytest.fixture(scope="session")
def plain() -> Model:
    """The built-in model in transformers."""
    return load_model(f"hf:{FOLDER}", dtype="float32", device="cpu")
