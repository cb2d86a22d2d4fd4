"""llama.cpp's server with the built-in model, on a free port of this machine."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from probsense.models.base import Model
from probsense.models.registry import load_model

SECONDS = 60
CONTEXT = 512
PLAIN = '{"top_k": 0, "top_p": 1, "min_p": 0, "repeat_penalty": 1}'
"""Unless told otherwise, the server draws texts from another distribution than the model's."""


@pytest.fixture(scope="session")
def base_url(gguf_file: Path) -> Iterator[str]:
    """Where the server's routes begin."""
    pytest.importorskip("llama_cpp.server.app", reason="needs llama-cpp-python[server] (make server-test)")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    # Keys and values in float32 (0), where llama.cpp keeps 16 bits unless told.
    settings = {
        **{"model": gguf_file, "model_alias": "tiny", "host": "127.0.0.1", "port": port, "n_ctx": CONTEXT},
        **{
            "logits_all": True,
            "type_k": 0,
            "type_v": 0,
            "n_threads": 1,
            "n_threads_batch": 1,
            "verbose": False,
        },
    }
    words = [word for name, value in settings.items() for word in (f"--{name}", str(value))]
    log = gguf_file.with_suffix(".log")
    environment = {
        name: value for name, value in os.environ.items() if name not in ("HOST", "PORT", "CONFIG_FILE")
    }
    with log.open("w") as stream:
        process = subprocess.Popen(
            [sys.executable, "-m", "llama_cpp.server", *words], env=environment, stdout=stream, stderr=stream
        )
        try:
            url = f"http://127.0.0.1:{port}/v1"
            _wait_for(f"{url}/models", process, log)
            yield url
        finally:
            process.terminate()
            try:
                process.wait(SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()


@pytest.fixture(scope="session")
def served(base_url: str) -> Model:
    """The model behind the server, by its completions: it knows no chat."""
    return load_model("openai:tiny", base_url=base_url, route="completions", extra_body=PLAIN)


@pytest.fixture(scope="session")
def local() -> Model:
    """The same model in this process."""
    return load_model("builtin:tiny")


def _wait_for(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    deadline = time.monotonic() + SECONDS
    while True:
        try:
            with opener.open(url, timeout=SECONDS):
                return
        except OSError:
            assert process.poll() is None, log.read_text()
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.05)
