"""Turns a GGUF file into a folder of plain weights, which loads faster than the file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from probsense.models.hf_gguf import check_packages, read_file, split_as_named


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
