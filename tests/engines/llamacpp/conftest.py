"""The built-in model in llama.cpp, in this process and behind its server, and in transformers."""

import os
import socket
import subprocess
import sys
import time
import urllib.request

import pytest
from transformers import AutoTokenizer

from engines.llamacpp.asking import PLAIN
from probsense.models.llamacpp.load import load
from probsense.models.llamacpp.tokens import FileTokenizer
from probsense.models.registry import load_model
from probsense.models.small import builtin

SECONDS = 300
CONTEXT = 512


@pytest.fixture(scope="session")
def base_url(gguf_file):
    """Where the server's routes begin."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings = {
        **{"model": gguf_file, "model_alias": "tiny", "host": "127.0.0.1", "port": port, "n_ctx": CONTEXT},
        **{"logits_all": True, "n_threads": 1, "n_threads_batch": 1, "verbose": False},
        # Keys and values in float32 (0), where llama.cpp keeps 16 bits unless told.
        **{"type_k": 0, "type_v": 0},
    }
    words = [word for name, value in settings.items() for word in (f"--{name}", str(value))]
    log = gguf_file.with_suffix(".log")
    own = ("HOST", "PORT", "CONFIG_FILE")
    environment = {name: value for name, value in os.environ.items() if name not in own}
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
def served(base_url):
    """The model behind the server, by its completions: it knows no chat."""
    return load_model("openai:tiny", base_url=base_url, prompt_format="plain", extra_body=PLAIN)


@pytest.fixture(scope="session")
def known():
    """The same model, computed by transformers."""
    return builtin.load("tiny")


@pytest.fixture(scope="session")
def tiny(gguf_file):
    """The model in llama.cpp in this process."""
    return load(str(gguf_file))


@pytest.fixture(scope="session")
def own(tiny):
    """The tokenizer of the file."""
    assert isinstance(tiny.encoder.tokenizer, FileTokenizer)
    return tiny.encoder.tokenizer


@pytest.fixture(scope="session")
def original():
    """The tokenizer from which the file was made."""
    return AutoTokenizer.from_pretrained(builtin.HERE / "tiny")


def _wait_for(url, process, log):
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
