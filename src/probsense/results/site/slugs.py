"""Short names for files and places on pages, made from any text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import Final

from probsense.core.records import digest

LONGEST: Final = 60
HASH: Final = 8
"""Digits that tell equal slugs apart."""
NAMELESS: Final = "x"
"""Stands for a text without letters and digits of ASCII."""

_RESERVED: Final = r"|con|prn|aux|nul|(com|lpt)[0-9]"
"""No name at all, and the names that Windows keeps for itself, whatever their ending."""


def slug(text: str) -> str:
    """Turn a text into lower-case letters and digits of ASCII with hyphens, at most :data:`LONGEST` characters."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    found = "-".join(re.findall(r"[a-z0-9]+", plain))[:LONGEST].strip("-")
    return f"{found}-{NAMELESS}".strip("-") if re.fullmatch(_RESERVED, found) else found


def slugs(named: Iterable[tuple[str, str]]) -> list[str]:
    """Make a different slug for each text.

    Parameters
    ----------
    named : iterable of (str, str)
        The text, and a key that no other has.

    Returns
    -------
    list of str
        The first text of a slug has it as it is; later ones get digits of the hash of their key. So what comes later
        changes no slug of what was there before.
    """
    found: dict[str, None] = {}
    for text, key in named:
        wanted, told = slug(text), digest(key)
        chosen, digits = wanted, HASH
        while chosen in found:
            chosen, digits = f"{wanted}-{told[:digits]}", digits + 1
        found[chosen] = None
    return [*found]
