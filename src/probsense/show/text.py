"""Text that is safe to show on one line."""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Final


def plain(text: object) -> str:
    """Replace control characters and other invisible ones, but for joiners where a script or an emoji needs them."""
    found = str(text)
    if found.isprintable():
        return found
    return "".join(
        c if c.isprintable() or _joins(found, i) else "\N{REPLACEMENT CHARACTER}" for i, c in enumerate(found)
    )


def _joins(text: str, i: int) -> bool:
    """Whether a character is a joiner of symbols or of letters that know no capitals; others could hide a difference.

    Behind the last letter it counts only where that letter has lost its vowel.
    """
    if text[i] not in "\N{ZERO WIDTH JOINER}\N{ZERO WIDTH NON-JOINER}" or i == 0:
        return False
    joined = (text[i - 1], text[i + 1 : i + 2] or text[i - 1])
    ends_well = i + 1 < len(text) or unicodedata.combining(text[i - 1]) == _VIRAMA
    return ends_well and all(c.isprintable() and not c.isascii() and c.lower() == c.upper() for c in joined)


_VIRAMA: Final = 9
"""The combining class of the sign that drops the vowel of an Indic consonant."""


def unbroken(text: str) -> str:
    """Tie each number to the sign for per cent after it, so that no line ends between them."""
    return _PERCENT.sub("\N{NO-BREAK SPACE}%", text)


_PERCENT = re.compile(r"(?<=\d) %")


def wrapped(text: str, width: int) -> str:
    """Break a text into lines of at most ``width`` characters, between words, and never between a number and its %."""
    lines = textwrap.wrap(unbroken(text), width, break_long_words=False, break_on_hyphens=False)
    return "\n".join(lines).replace("\N{NO-BREAK SPACE}%", " %")


def joined(words: Sequence[str]) -> str:
    """Join words as a sentence does: “a, b and c”."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


def counted(number: int, noun: str) -> str:
    """Write a number with its noun: ``1 run``, ``2,000 runs``."""
    return f"{number:,} {noun}{'s' * (number != 1)}"


def listed_shares(shares: Iterable[tuple[str, float]]) -> str:
    """List words with their shares: “I” 31.0 %, “The” 20.4 %."""
    return ", ".join(f"“{word}” {100 * share:.1f} %" for word, share in shares)


def shorten(text: str, width: int) -> str:
    """Cut a text in the middle to at most ``width`` characters: its start and its end tell most."""
    if len(text) <= width:
        return text
    tail = (width - 1) // 2
    return f"{text[: width - 1 - tail]}…{text[-tail:]}"


def heading(key: str) -> str:
    """Turn a key into the heading of a column."""
    return plain(key).replace("_", " ").capitalize()
