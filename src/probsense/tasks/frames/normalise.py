"""What a model wrote, as an answer: one short line."""

from __future__ import annotations

from typing import Final

LENGTH: Final = 50
"""Characters of an answer that count, as published."""

_AROUND: Final = " \t\"'“”‘’.,;:!*"


def normalise(text: str) -> str:
    """The first line that says something, in lower case, without marks around it, cut at :data:`LENGTH` characters.

    White space within is one blank. What holds nothing but white space and marks is the empty answer.
    """
    first = next((line for line in text.splitlines() if line.strip(_AROUND)), "")
    return " ".join(first.strip(_AROUND).lower().split())[:LENGTH].strip(_AROUND)
