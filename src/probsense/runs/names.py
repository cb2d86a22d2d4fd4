"""What a run may be called."""

from __future__ import annotations

import re
from typing import Final

from probsense.core.errors import InputError, brief

LONGEST: Final = 40
"""The largest number of characters of a name, which stands beside the model's in tables and charts."""

_ID = re.compile(r"[0-9a-f]{1,32}")


def is_id(word: str) -> bool:
    """Tell whether a word could be the beginning of a run's id."""
    return _ID.fullmatch(word) is not None


def checked_name(name: str) -> str:
    """Return the name of a run, if it is one.

    Raises
    ------
    InputError
        For a name that is empty or too long, that has brackets or characters that do not print, that begins or ends
        with a blank, begins with a hyphen (as options do), or could be the beginning of an id.
    """
    fits = 0 < len(name) <= LONGEST and name.isprintable() and name == name.strip()
    if not fits or name.startswith("-") or set(name) & set("[]") or is_id(name):
        raise InputError(
            f"{brief(name)} as the name of a run",
            expected=f"1 to {LONGEST} printable characters, no brackets, and more than the digits of an id (0-9, a-f)",
        )
    return name
