"""Text that is safe to show on one line."""

from __future__ import annotations

from collections.abc import Iterable


def plain(text: object) -> str:
    """Replace control characters and other invisible ones."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in str(text))


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
