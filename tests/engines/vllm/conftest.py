"""Models in vLLM, on the CPU."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from probsense.models.base import Model
from probsense.models.builtin import HERE
from probsense.models.registry import load_model

WHY = "needs vLLM (make vllm-test)"
FOLDER = HERE / "tiny"


@pytest.fixture(scope="session", autouse=True)
def _engine() -> Iterator[None]:
    """Skip without vLLM, and let its caches be small."""
    pytest.importorskip("vllm", reason=WHY)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("VLLM_CPU_KVCACHE_SPACE", "1")
        yield


@pytest.fixture(scope="session")
def tiny(_engine: None) -> Model:
    """The built-in model in vLLM."""
    return load_model(f"vllm:{FOLDER}", dtype="float32")


@pytest.fixture(scope="session")
def plain(_engine: None) -> Model:
    """The built-in model in transformers."""
    return load_model(f"hf:{FOLDER}", dtype="float32", device="cpu")
