"""Loads a model in the format of llama.cpp: ``gguf:FILE``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from probsense.core.errors import InputError, ModelError
from probsense.core.extras import install
from probsense.core.records import Json
from probsense.models.align import encoder
from probsense.models.findings import architecture
from probsense.models.fingerprint import TOKENIZER_SUFFIXES, file_hash, folder_hash
from probsense.models.gguf.guard import guard
from probsense.models.gguf.network import Network
from probsense.models.gguf.read import read
from probsense.models.gguf.tokens import FileTokenizer, check_tokens
from probsense.models.gguf.write import write
from probsense.models.hf import HuggingFaceModel, local_model
from probsense.models.hf_read import one_line
from probsense.models.reading import Runner

BATCH = 512
"""Tokens in a pass. More of them would look at each other for nothing: they are of different branches."""


def load(
    argument: str,
    *,
    context: int | None = None,
    threads: int | None = None,
    batch_tokens: int = BATCH,
    tokenizer: Path | None = None,
    truncate: str | None = None,
    chat: bool | None = None,
    system_prompt: str | None = None,
    prompt_format: str | None = None,
) -> HuggingFaceModel:
    """Load a language model from a GGUF file, and compute it by llama.cpp.

    Parameters
    ----------
    argument : str
        The file.
    context : int, optional
        Tokens that it can read at once; by default those of its training, 4,096 at most. Memory grows with them.
    threads : int, optional
        Threads of the computation; by default as many as PyTorch takes.
    batch_tokens : int
        Tokens in a pass; results do not depend on it beyond rounding.
    tokenizer : Path, optional
        A folder with the model's original tokenizer; by default the file's own is used.
    truncate : {"left"}, optional
        Drop the beginning (left) of texts that are longer than the model takes, and count them; by default they are
        refused.
    chat, system_prompt, prompt_format
        As for :func:`probsense.models.hf.load`.

    Raises
    ------
    InputError
        For a file that is not there or of another format, options out of range or at odds.
    ModelError
        Without llama-cpp-python, PyTorch and transformers, or if the model cannot be loaded.
    """
    try:
        import torch
        import transformers
    except ImportError:
        raise ModelError(f"gguf: needs torch and transformers: {install('gguf')}") from None
    if not argument:
        raise InputError("gguf: names no file", expected="gguf:FILE")
    for name, value, least in (
        ("context", context, 2),
        ("threads", threads, 1),
        ("batch_tokens", batch_tokens, 2),
    ):
        if value is not None and value < least:
            raise InputError(f"{name} {value}", expected=f"at least {least}")
    if truncate not in (None, "left"):
        raise InputError(f"truncate {truncate!r}", expected="left, or nothing")
    path = Path(argument).expanduser()
    network = Network(path, context, batch_tokens, threads or torch.get_num_threads())
    own = FileTokenizer(network)
    given = own if tokenizer is None else _original(tokenizer, own)
    numeric: dict[str, Json] = {
        "backend": "gguf",
        "weights": file_hash(path),
        "tokenizer": None if tokenizer is None else folder_hash(tokenizer, TOKENIZER_SUFFIXES),
        "context": network.context,
        "cache": network.cache,
        "versions": {"llama.cpp": network.version, "transformers": transformers.__version__},
    }
    guard(network, {**numeric, "batch_tokens": network.batch_tokens})
    runner = Runner(network, network.vocabulary, network.context, batch_tokens, read, truncate is not None)
    return local_model(
        f"gguf:{argument}",
        {**numeric, "apart": network.apart},
        runner,
        encoder(given),
        None,
        lambda: write,
        architecture(network.architecture, network.parameters),
        chat=chat,
        system_prompt=system_prompt,
        prompt_format=prompt_format,
    )


def _original(folder: Path, own: FileTokenizer) -> Any:
    """Read the tokenizer of a folder, with the file's chat template if it has none."""
    from transformers import AutoTokenizer

    if not folder.is_dir():
        raise InputError("no such folder", path=folder, expected="a folder with a tokenizer")
    try:
        found = AutoTokenizer.from_pretrained(folder)
    except (
        Exception
    ) as error:  # A broken file may raise any error inside the library: the user gets one line.
        raise ModelError(f"{folder}: the tokenizer cannot be loaded: {one_line(error)}") from None
    check_tokens(found, own, folder)
    if found.chat_template is None:
        found.chat_template = own.chat_template
    return found
