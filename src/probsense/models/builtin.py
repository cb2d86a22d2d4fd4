"""The models that come with the package: ``builtin:tiny``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from probsense.errors import InputError
from probsense.models import hf

HERE = Path(__file__).parent
NAMES = ("tiny",)


def load(
    argument: str,
    *,
    dtype: str = "float32",
    device: str = "auto",
    batch_tokens: int | None = None,
    truncate: str | None = None,
) -> hf.HuggingFaceModel:
    """Load a model of the package; it knows no chat.

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
        Without PyTorch and transformers.
    """
    if argument not in NAMES:
        raise InputError(f"no built-in model {argument!r}", expected="one of " + ", ".join(NAMES))
    model = hf.load(
        str(HERE / argument),
        dtype=dtype,
        device=device,
        batch_tokens=batch_tokens,
        truncate=truncate,
        chat=False,
    )
    return replace(model, name=f"builtin:{argument}")
