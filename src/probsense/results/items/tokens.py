"""Tokens as a reader knows their text, whatever marks the pieces of their tokenizer have."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Final

VISIBLE: Final = str.maketrans({" ": "␣", "\n": "⏎", "\r": "␍", "\t": "⇥"})
"""Marks for white space that would not be seen."""

_BYTE: Final = re.compile(r"<0x([0-9A-Fa-f]{2})>")
_PART: Final = re.compile(r"[\udc80-\udcff]+")


def token_texts(tokens: Sequence[str], text: str) -> tuple[str, ...]:
    """Read the pieces of a tokenizer as the text that they stand for.

    Pieces are plain text, or they follow one of two conventions: characters in place of bytes (GPT-2; "Ġ" is a
    blank), or "▁" for a blank with bytes as "<0x0A>" (SentencePiece). Right is the convention by which they spell the
    text. Where none does, their marks decide.

    Parameters
    ----------
    tokens : sequence of str
    text : str
        What they spell, perhaps without the blank before it.

    Returns
    -------
    tuple of str
        One for each token. White space has the marks of :data:`VISIBLE`; the bytes of a part of a character stand as
        ⟨E2 96⟩.
    """
    readings = [found for read in _READERS if (found := read(tokens)) is not None]
    pieces = next((found for found in readings if _spell(found, text)), None)
    return tuple(map(_visible, _by_marks(tokens) if pieces is None else pieces))


def _spell(pieces: Sequence[bytes], text: str) -> bool:
    """Tell whether pieces are a text, but for white space around it; white space alone must be the same."""
    own, wanted = b"".join(pieces), text.encode(errors="replace")
    return own == wanted or (own.strip() == wanted.strip() != b"")


def _by_marks(tokens: Sequence[str]) -> Sequence[bytes]:
    """Read pieces that do not spell what they should, as where a token spans the beginning of the text."""
    whole = "".join(tokens)
    if re.search("[ĠĊĉ]", whole) and (found := _gpt2(tokens)) is not None:
        return found
    return _sentencepiece(tokens) if "▁" in whole or _BYTE.search(whole) else _plain(tokens)


def _plain(tokens: Sequence[str]) -> list[bytes]:
    return [token.encode(errors="replace") for token in tokens]


def _gpt2(tokens: Sequence[str]) -> list[bytes] | None:
    """Read characters in place of bytes; None if one of them stands for no byte."""
    known = _gpt2_bytes()
    if not all(c in known for token in tokens for c in token):
        return None
    return [bytes(known[c] for c in token) for token in tokens]


@lru_cache(maxsize=1)
def _gpt2_bytes() -> dict[str, int]:
    """Map the characters of byte-level tokenizers (Radford et al. 2019) to bytes: printable ones are themselves."""
    own = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in own]
    return {chr(byte): byte for byte in own} | {chr(256 + i): byte for i, byte in enumerate(others)}


def _sentencepiece(tokens: Sequence[str]) -> list[bytes]:
    return [
        bytes.fromhex(found[1]) if (found := _BYTE.fullmatch(token)) else _plain([token.replace("▁", " ")])[0]
        for token in tokens
    ]


_READERS: Final[Sequence[Callable[[Sequence[str]], Sequence[bytes] | None]]] = (_plain, _gpt2, _sentencepiece)


def _visible(piece: bytes) -> str:
    text = piece.decode(errors="surrogateescape").translate(VISIBLE)
    return _PART.sub(lambda part: f"⟨{part[0].encode(errors='surrogateescape').hex(' ').upper()}⟩", text)
