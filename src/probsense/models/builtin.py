"""The models that come with the package: ``builtin:tiny``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from probsense.errors import InputError
from probsense.models import hf

HERE = Path(__file__).parent
NAMES = ("tiny",)


def load(argument: str, **options: Any) -> hf.HuggingFaceModel:
    """Load a model of the package, in float32 and without a chat template.

    Parameters
    ----------
    argument : str
        One of ``NAMES``.
    **options
        As for :func:`probsense.models.hf.load`.

    Raises
    ------
    InputError
        For a name that there is none of.
    """
    if argument not in NAMES:
        raise InputError(f"no built-in model {argument!r}", expected="one of " + ", ".join(NAMES))
    settings: dict[str, Any] = {"dtype": "float32", "chat": False} | options
    return replace(hf.load(str(HERE / argument), **settings), name=f"builtin:{argument}")
