"""Turns a GGUF file into a folder of plain weights, as ``hf:`` loads it."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

from probsense.errors import ModelError

NEEDED = ("torch", "transformers", "accelerate", "gguf")
"""Packages that it takes; transformers asks for the last two when it reads GGUF."""


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
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        raise ModelError(f"to read a GGUF file, install: pip install {' '.join(missing)}")
    import torch
    from tokenizers import pre_tokenizers
    from transformers import AutoModelForCausalLM, AutoTokenizer

    model: Any = AutoModelForCausalLM.from_pretrained(file.parent, gguf_file=file.name, dtype=torch.float32)
    # The weights are plain numbers now; transformers would still refuse to save a "quantised" model.
    model.hf_quantizer = None
    model.is_quantized = False
    del model.config.quantization_config
    tokenizer = AutoTokenizer.from_pretrained(file.parent, gguf_file=file.name)
    if model.config.model_type == "llama":
        # SmolLM2 splits numbers into single digits before it applies merges; the GGUF file says so only by the name
        # "smollm" of its pre-tokenizer, which the conversion does not know. It matters after several blanks.
        backend = tokenizer.backend_tokenizer
        backend.pre_tokenizer = pre_tokenizers.Sequence(
            [pre_tokenizers.Digits(individual_digits=True), backend.pre_tokenizer]
        )
    model.save_pretrained(target)
    tokenizer.save_pretrained(target)
