"""What a model wrote, as an answer: one short line."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

LENGTH: Final = 50
"""How many characters of an answer count, as published."""

_AROUND: Final = " \t\"'“”‘’.,;:!*"


@lru_cache(maxsize=10_000)
def normalise(text: str) -> str:
    """Return the first line that says something, in lower case, without marks around it, cut at :data:`LENGTH`.

    White space within it becomes one blank. A text of nothing but white space and marks is the empty answer.
    """
    first = next((line for line in text.splitlines() if line.strip(_AROUND)), "")
    return " ".join(first.strip(_AROUND).lower().split())[:LENGTH].strip(_AROUND)
