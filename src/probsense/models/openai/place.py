"""Where the tokens that a server returns stand in the text that it was sent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from probsense.models.openai.faults import Malformed

BROKEN = "�"
"""Stands for the bytes of a character that tokens share."""


class Span(NamedTuple):
    """First character of a token, and the one behind its last."""

    start: int
    end: int


def place(tokens: Sequence[str], text: str) -> list[Span]:
    """The characters of each token, for as many tokens as the text has; those behind it were written by the model.

    Special tokens before the text, such as one for the beginning of a sequence, are empty spans. Tokens that
    share a character cannot be told apart by their text: each has the span of all the characters they share.

    Parameters
    ----------
    tokens : sequence of str
        As the server shows them.
    text : str

    Raises
    ------
    Malformed
        If the tokens do not spell the text: the server returned something else than it was asked for.
    """
    spans: list[Span] = []
    at = open_ = 0
    for token in tokens:
        if at == len(text):
            break
        if not token or BROKEN in token or token.startswith("bytes:"):
            open_ += 1
            continue
        found = _find(token, text, at, open_ > 0)
        if found is None and open_ and not text[at:].isascii():
            break  # the text ends in shared characters, and this token was written after it
        if found is None:
            if at or open_:
                raise Malformed(f"the token {token!r} does not stand in the text that was sent")
            spans.append(Span(0, 0))
            continue
        # An empty token has its character in common with the next one that shows it.
        spans += [Span(at, found.start if found.start > at else found.end)] * open_
        spans.append(found)
        at, open_ = found.end, 0
    if open_ and at < len(text) and not text[at:].isascii():
        spans += [Span(at, len(text))] * open_
        at = len(text)
    if at < len(text):
        raise Malformed(f"the tokens that came back spell {at} of the {len(text)} characters that were sent")
    return spans


def _find(token: str, text: str, at: int, gap: bool) -> Span | None:
    """The token at a place, or behind characters that are not ASCII where there may be a gap of such."""
    for shown in (token, token.replace("▁", " "), token.replace("Ġ", " ").replace("Ċ", "\n")):
        start = text.find(shown, at) if gap else at
        if start >= 0 and text.startswith(shown, start) and not any(c.isascii() for c in text[at:start]):
            return Span(start, start + len(shown))
        # Some tokenizers put a blank before a text.
        if at == 0 and not gap and len(shown) > 1 and shown[0] == " " and text.startswith(shown[1:]):
            return Span(0, len(shown) - 1)
    return None
