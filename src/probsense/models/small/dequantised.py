"""Makes a folder of plain weights out of the GGUF file of a small model."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from probsense.core.errors import ModelError

PACKAGES: Final = ("torch", "transformers", "gguf", "accelerate")
SPLIT: Final = "tokenizer.ggml.pre"
"""The field of a file that names how texts are split before they are tokenised."""
DIGITS: Final = "smollm"
"""The split that takes numbers apart and is GPT-2's otherwise; transformers ignores its name."""


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
    missing = [name for name in PACKAGES if find_spec(name) is None]
    if missing:
        raise ModelError(
            f"{file}: to dequantise a GGUF file takes {' and '.join(missing)}: pip install {' '.join(missing)}"
        )
    import torch
    from gguf import GGUFReader
    from tokenizers import pre_tokenizers
    from transformers import AutoModelForCausalLM, AutoTokenizer

    model: Any = AutoModelForCausalLM.from_pretrained(file.parent, gguf_file=file.name, dtype=torch.float32)
    # The weights are plain numbers now; transformers would still refuse to save a "quantised" model.
    model.hf_quantizer = None
    model.is_quantized = False
    del model.config.quantization_config
    tokenizer: Any = AutoTokenizer.from_pretrained(file.parent, gguf_file=file.name)
    split = GGUFReader(file).fields.get(SPLIT)
    if split is not None and split.contents() == DIGITS:
        backend = tokenizer.backend_tokenizer
        backend.pre_tokenizer = pre_tokenizers.Sequence(
            [pre_tokenizers.Digits(individual_digits=True), backend.pre_tokenizer]
        )
    model.save_pretrained(target)
    tokenizer.save_pretrained(target)
