"""The built-in model in vLLM, on the CPU, and in transformers."""

import pytest

from probsense.models.registry import load_model
from probsense.models.small.builtin import HERE

FOLDER = HERE / "tiny"


@pytest.fixture(scope="session")
def tiny():
    """The built-in model in vLLM."""
    return load_model(f"vllm:{FOLDER}", dtype="float32")


@pytest.fixture(scope="session")
def plain():
    """The built-in model in transformers."""
    return load_model(f"hf:{FOLDER}", dtype="float32", device="cpu")
