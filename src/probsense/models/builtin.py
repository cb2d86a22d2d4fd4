"""The models that need no hub: ``builtin:tiny``, and ``builtin:smollm2`` out of a package beside this one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from probsense.core.errors import InputError
from probsense.models import hf
from probsense.models.smollm2 import smollm2_folder

HERE = Path(__file__).parent
NAMES = ("tiny", "smollm2")


def load(
    argument: str,
    *,
    dtype: str = "float32",
    device: str = "auto",
    batch_tokens: int | None = None,
    truncate: str | None = None,
) -> hf.HuggingFaceModel:
    """Load a model by its name: tiny knows no chat, and smollm2 takes questions through its chat template.

    Parameters
    ----------
    argument : str
        One of ``NAMES``.
    dtype, device, batch_tokens, truncate
        As for :func:`probsense.models.hf.load`.

    Raises
    ------
    InputError
        For a name that there is none of.
    ModelError
        Without PyTorch and transformers, or the package of the model.
    """
    if argument not in NAMES:
        raise InputError(f"no built-in model {argument!r}", expected="one of " + ", ".join(NAMES))
    tiny = argument == "tiny"
    model = hf.load(
        str(HERE / argument if tiny else smollm2_folder()),
        dtype=dtype,
        device=device,
        batch_tokens=batch_tokens,
        truncate=truncate,
        chat=False if tiny else None,
    )
    return replace(model, name=f"builtin:{argument}")
