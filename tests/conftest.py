"""Fixtures that every test may use."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

import pytest
from coverage import Coverage
from hypothesis import HealthCheck, settings

import real_models

# What `make test` tries is the same each time; --hypothesis-profile chooses one of the others.
settings.register_profile(
    "test",
    max_examples=25,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
settings.register_profile("all", settings.get_profile("test"), max_examples=100)
settings.register_profile("nightly", settings.get_profile("test"), max_examples=1000, derandomize=False)
settings.load_profile("test")


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Save what a worker has measured, since one that takes long to end is killed."""
    if hasattr(session.config, "workeroutput") and (measured := Coverage.current()):
        measured.save()


REFERENCE = Path(os.environ.get("PROBSENSE_REFERENCE", Path(__file__).parents[2] / "shared" / "data"))


@pytest.fixture(scope="session")
def reference_data():
    """The folder of published data and expected figures, where there is one."""
    if not REFERENCE.is_dir():
        pytest.skip(f"published data not found in {REFERENCE} (set PROBSENSE_REFERENCE to its folder)")
    return REFERENCE


@pytest.fixture(scope="session", autouse=True)
def _own_cache(tmp_path_factory):
    """Keep what the tests cache away from the user's cache, and fingerprints the same on every processor."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PROBSENSE_PRODUCTS", "torch")
        patch.setenv("PROBSENSE_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


def _real_model(name: Literal["smollm2", "gemma3"]) -> Path:
    """Return the folder of a real model, or skip the test with the reason why it cannot be had."""
    try:
        return real_models.real_model(name)
    except real_models.UnavailableError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def smollm2():
    """The folder of SmolLM2-135M-Instruct, a chat model, dequantised to float32."""
    return _real_model("smollm2")


@pytest.fixture(scope="session")
def gemma3():
    """The folder of Gemma-3-270m, a base model, dequantised to float32."""
    return _real_model("gemma3")


@pytest.fixture(scope="session")
def gguf_file(tmp_path_factory):
    """The built-in model in the format of llama.cpp."""
    from probsense.models.small.builtin import HERE
    from to_gguf import convert

    path = tmp_path_factory.mktemp("gguf") / "tiny.gguf"
    convert(HERE / "tiny", path)
    return path


@pytest.fixture(scope="session")
def tiny():
    """The built-in model, loaded once."""
    from probsense.models.registry import load_model

    return load_model("builtin:tiny")
