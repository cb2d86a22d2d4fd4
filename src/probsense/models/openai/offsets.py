"""Finds the place of the tokens that a server returns in the text that it was sent."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

from probsense.models.openai.wire import Malformed

_BROKEN = re.compile(r"�|^bytes:(\\x[0-9a-fA-F]{2})+$")
"""How servers show the bytes of a character that several tokens share."""


class Span(NamedTuple):
    """The first character of a token, and the one behind its last."""

    start: int
    end: int


_Way: TypeAlias = "tuple[_Way | None, list[Span]]"
"""A way to place some tokens: that of the tokens before, and the places of the last ones."""


def place(tokens: Sequence[str], text: str, offsets: Sequence[int] = ()) -> list[Span]:
    """Place each token in the text, for as many tokens as the text has; the model wrote the tokens behind it.

    Special tokens before the text, such as one for the beginning of a sequence, are empty spans. The text does not
    separate tokens that share a character: each has the span of all such characters in a row, or the span of its own
    one, where the server says where its tokens begin.

    Parameters
    ----------
    tokens : sequence of str
        As the server shows them.
    text : str
    offsets : sequence of int, optional
        The places where tokens begin, as the server states them.

    Raises
    ------
    Malformed
        If the tokens do not spell the text: the server returned something else.
    """
    special = far = 0
    whole: _Way | None = None
    # Several ways are open where characters repeat behind unknown ones; mostly there is only one.
    ways: dict[int, _Way | None] = {0: None}
    for unknown, broken, token in _runs(tokens):
        longer: dict[int, _Way | None] = {}
        for at, way in ways.items():
            if len(text) - unknown < at < len(text) and not any(c.isascii() for c in text[at:]):
                whole = way, [Span(at, len(text))] * unknown
            for span in _find(token, text, at, unknown, broken):
                # An empty token has its character in common with the next one that shows it.
                gap = Span(at, span.start if span.start > at else span.end)
                longer.setdefault(span.end, (way, [*[gap] * unknown, span]))
        if not longer and ways == {0: None} and not unknown:
            special += 1
            continue
        far = max([far, *longer])
        whole = longer.pop(len(text), whole)
        ways = longer
    if whole is None:
        raise Malformed(
            f"the tokens that came back spell {far} of the {len(text)} characters that were sent, or others"
        )
    spans: list[Span] = []
    while whole is not None:
        whole, last = whole
        spans += last[::-1]
    spans = [Span(0, 0)] * special + spans[::-1]
    return _narrowed(spans, tokens, offsets) if offsets else spans


def _narrowed(spans: Sequence[Span], tokens: Sequence[str], offsets: Sequence[int]) -> list[Span]:
    """Cut spans of several characters to one where offsets tell which; ignore offsets that contradict the spans."""
    first = next((i for i, span in enumerate(spans) if span.end), 0)
    begin = offsets[first] - spans[first].start
    readable = [bool(span.end and _is_readable(token)) for span, token in zip(spans, tokens, strict=False)]
    if any(known and offsets[i] - begin != spans[i].start for i, known in enumerate(readable)):
        return [*spans]
    found: list[Span] = []
    end = spans[-1].end
    for i in reversed(range(len(spans))):
        start = offsets[i] - begin
        if i + 1 < len(spans) and offsets[i + 1] > offsets[i]:
            end = offsets[i + 1] - begin
        within = not readable[i] and spans[i].start <= start < end <= spans[i].end
        found.append(Span(start, end) if within else spans[i])
    return found[::-1]


def _is_readable(token: str) -> bool:
    return bool(token) and not _BROKEN.search(token)


def _runs(tokens: Sequence[str]) -> Iterator[tuple[int, int, str]]:
    """Yield each readable token, with the number of unreadable ones before it, and of the broken among these."""
    unknown = broken = 0
    for token in tokens:
        if _is_readable(token):
            yield unknown, broken, token
            unknown = broken = 0
        else:
            unknown += 1
            broken += bool(token)
    if unknown:
        yield unknown, broken, ""


def _find(token: str, text: str, at: int, unknown: int, broken: int) -> Iterator[Span]:
    """Yield the places of a token: just here, or behind non-ASCII characters that the tokens before it share.

    The server would show a character that has a token to itself. So the tokens outnumber the characters, and each has
    at least one byte.
    """
    if not token:
        return
    end = at
    for shown in dict.fromkeys((token, token.replace("▁", " "), token.replace("Ġ", " ").replace("Ċ", "\n"))):
        if not broken and text.startswith(shown, at):
            yield Span(at, at + len(shown))
        # Some tokenizers put a blank before a text.
        if at == 0 and not broken and len(shown) > 1 and shown[0] == " " and text.startswith(shown[1:]):
            yield Span(0, len(shown) - 1)
    while end < len(text) and end + 1 - at < unknown and not text[end].isascii():
        end += 1
        if len(text[at:end].encode("utf-8", "replace")) >= broken and text.startswith(token, end):
            yield Span(end, end + len(token))
