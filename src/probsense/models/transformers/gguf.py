"""Reads GGUF files by transformers: what it needs for that, what it misses, and plain weights instead of the file."""

from __future__ import annotations

import logging
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from probsense.core.errors import ModelError

if TYPE_CHECKING:
    from gguf import GGUFReader


PACKAGES = ("torch", "transformers", "gguf", "accelerate")
DIGITS = "smollm"
"""The pre-tokenizer that splits numbers into digits and is GPT-2's otherwise."""
PLAIN = ("", "default", "gpt-2")
"""Pre-tokenizers that the library's byte-level tokenizer follows by itself."""


def check_packages(path: Path) -> None:
    """Refuse to read a GGUF file without the packages that it takes.

    Raises
    ------
    ModelError
        If one of them is missing.
    """
    missing = [name for name in PACKAGES if find_spec(name) is None]
    if missing:
        raise ModelError(
            f"{path}: to dequantise a GGUF file takes {' and '.join(missing)}: pip install {' '.join(missing)}"
        )


def read_file(path: Path) -> GGUFReader:
    """Open a GGUF file, without its numbers in memory."""
    from gguf import GGUFReader

    return GGUFReader(path)


def check_complete(network: Any, file: GGUFReader) -> None:
    """Refuse a network that has fewer numbers than its file: the library drops what its class has no place for.

    Raises
    ------
    ModelError
        If numbers are left out.
    """
    # Factors of rotary embeddings are no parameters; the library takes them, or others, from its configuration.
    stored = sum(int(tensor.n_elements) for tensor in file.tensors if not tensor.name.startswith("rope_"))
    absent = stored - sum(parameter.numel() for parameter in network.parameters())
    if absent > 0:
        raise ModelError(f"transformers leaves out {absent:,} of the file's numbers; gguf: reads them all")


def split_as_named(tokenizer: Any, file: GGUFReader, name: str) -> None:
    """Let a byte-level tokenizer out of a GGUF file split texts as the file says by a name that the library ignores.

    Where that cannot be done, a warning asks for the original tokenizer.

    Parameters
    ----------
    tokenizer : Any
    file : GGUFReader
    name : str
        Names the file in the warning.
    """
    from tokenizers import pre_tokenizers

    kind, split = (
        str(file.fields[key].contents()) if key in file.fields else ""
        for key in ("tokenizer.ggml.model", "tokenizer.ggml.pre")
    )
    if kind != "gpt2" or split in PLAIN or split in _splits():
        return
    if split == DIGITS:
        backend = tokenizer.backend_tokenizer
        backend.pre_tokenizer = pre_tokenizers.Sequence(
            [pre_tokenizers.Digits(individual_digits=True), backend.pre_tokenizer]
        )
        return
    logging.getLogger("probsense").warning(
        "%s: transformers does not know the pre-tokenizer %r, so tokens may differ from those of the model; "
        "put its tokenizer.json beside the file",
        name,
        split,
    )


def _splits() -> frozenset[str]:
    """Return the names of pre-tokenizers that the installed library knows; earlier releases know none."""
    try:
        from transformers.integrations.gguf import gguf_tokenizer_mapping as known
    except ImportError:
        return frozenset()
    return frozenset(getattr(known, "GGUF_PRE_TOKENIZER_SPLITS", ()))


def dequantise(file: Path, target: Path) -> None:
    """Dequantise a GGUF file to float32, and save it as safetensors with its tokenizer.

    Parameters
    ----------
    file : Path
    target : Path
        The folder to make.

    Raises
    ------
    ModelError
        If a package is missing.
    """
    check_packages(file)
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    model: Any = AutoModelForCausalLM.from_pretrained(file.parent, gguf_file=file.name, dtype=torch.float32)
    # The weights are plain numbers now; transformers would still refuse to save a "quantised" model.
    model.hf_quantizer = None
    model.is_quantized = False
    del model.config.quantization_config
    tokenizer = AutoTokenizer.from_pretrained(file.parent, gguf_file=file.name)
    split_as_named(tokenizer, read_file(file), file.name)
    model.save_pretrained(target)
    tokenizer.save_pretrained(target)
