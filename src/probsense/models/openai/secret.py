"""Finds a secret in what a server said, plain or in another encoding, whole or in parts, and strikes it out."""

from __future__ import annotations

import re
from array import array
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias, TypeVar, cast

HIDDEN = "***"
LEAST = 10
"""A part of a secret is struck out from this length, and from half of the secret's length."""

T = TypeVar("T")
_Field: TypeAlias = tuple[int, str]
"""The depth of a text in a document, and the last key on the way to it; "" for the keys themselves."""

_ESCAPE = re.compile(
    r"\\+u00(?P<json>[0-9a-fA-F]{2})|\\+x(?P<python>[0-9a-fA-F]{2})|%(?:25)*(?P<url>[0-9a-fA-F]{2})"
    r"|&#0{0,8}(?P<decimal>\d{2,3});|&#[xX]0{0,8}(?P<hex>[0-9a-fA-F]{2});|\\+"
)


class Secret:
    """A secret with the forms in which it can come back.

    Texts that stand in one field at one depth are searched together, so that a secret in several pieces is found. Any
    part that is at least half as long as the secret counts, wherever it stands.

    Parameters
    ----------
    text : str
        Printable ASCII characters, at least :data:`LEAST`.
    """

    __slots__ = ("_plain", "_seeds", "_unescaped")

    def __init__(self, text: str) -> None:
        forms = {text, text.encode().hex(), text.encode().hex().upper(), *_in_base64(text)}
        self._plain = tuple(forms)
        # A backslash or a percent sign of the secret's own is an escape to the search in unescaped texts.
        unescaped = {_unescape(form)[0] for form in forms}
        self._unescaped = tuple(form for form in unescaped if len(form) >= LEAST)
        self._seeds = tuple({seed for form in forms for _, seed in _seeds(form)})

    def hide(self, answer: T) -> T:
        """Return a text or a decoded JSON document without the secret; the same object where it is not there."""
        fields: dict[_Field, list[str]] = {}
        _collect(answer, (0, ""), fields)
        # Nearly every answer goes no further.
        whole = "\n".join(["".join(texts) for texts in fields.values()])
        if not (_may_have_escapes(whole) or any(seed in whole for seed in self._seeds)):
            return answer
        struck = {field: found for field, texts in fields.items() if (found := self._strike(texts))}
        if not struck:
            return answer
        return cast(T, _rebuilt(answer, (0, ""), {field: iter(texts) for field, texts in struck.items()}))

    def _strike(self, texts: Sequence[str]) -> list[str]:
        """Return the texts of a field without the secret; none where it is not there."""
        whole = "".join(texts)
        spans = sorted(self._spans(whole))
        if not spans:
            return []
        found, at = [], 0
        for text in texts:
            found.append(_without(text, [(max(0, first - at), last - at) for first, last in spans]))
            at += len(text)
        return found

    def _spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield the places of the secret in a text, in any form."""
        for form in self._plain:
            yield from _runs(text, form)
        if _may_have_escapes(text):
            shown, places = _unescape(text)
            for form in self._unescaped:
                yield from ((places[first], places[last]) for first, last in _runs(shown, form))


def _in_base64(text: str) -> Iterator[str]:
    """Yield what base64 makes of a text, whatever stands before and after it: three ways, in two alphabets."""
    for before in range(3):
        packed = b"\0" * before + text.encode()
        # Characters that also hold bits of the neighbours are left out.
        first, last = -(-before * 8 // 6), len(packed) * 8 // 6
        for encode in (b64encode, urlsafe_b64encode):
            yield encode(packed).decode()[first:last]


def _least(form: str) -> int:
    """Return the length of the shortest part of a form that is struck out."""
    return max(LEAST, -(-len(form) // 2))


def _seeds(form: str) -> Iterator[tuple[int, str]]:
    """Yield the places and texts of some short parts of a form: every part that is struck out contains one of them."""
    size = (_least(form) + 1) // 2
    for at in range(0, len(form) - size + 1, size):
        yield at, form[at : at + size]


def _may_have_escapes(text: str) -> bool:
    return "\\" in text or "%" in text or "&#" in text


def _runs(text: str, form: str) -> Iterator[tuple[int, int]]:
    """Yield the places of all parts of a form that are long enough."""
    least = _least(form)
    for at, seed in _seeds(form):
        place = text.find(seed)
        while place >= 0:
            first, last = place, place + len(seed)
            before, behind = at, at + len(seed)
            while before and first and text[first - 1] == form[before - 1]:
                first, before = first - 1, before - 1
            while behind < len(form) and last < len(text) and text[last] == form[behind]:
                last, behind = last + 1, behind + 1
            if last - first >= least:
                yield first, last
            place = text.find(seed, place + 1)


def _unescape(text: str) -> tuple[str, Sequence[int]]:
    """Undo the escapes of JSON, Python, URLs and HTML; return the place of each character too, and that of the end."""
    shown: list[str] = []
    places = array("q")
    at = 0
    for found in _ESCAPE.finditer(text):
        shown.append(text[at : found.start()])
        places.extend(range(at, found.start()))
        code = found["json"] or found["python"] or found["url"] or found["hex"]
        if code or found["decimal"]:
            shown.append(chr(int(code, 16) if code else int(found["decimal"])))
            places.append(found.start())
        at = found.end()
    shown.append(text[at:])
    places.extend(range(at, len(text) + 1))
    return "".join(shown), places


def _without(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """Put stars in the place of some spans, in order; they may overlap and lie outside the text."""
    pieces, at = [], 0
    for first, last in spans:
        if last > at and first < len(text):
            pieces += [text[at : max(first, at)], "" if first < at else HIDDEN]
            at = last
    return "".join([*pieces, text[at:]])


def _collect(value: Any, field: _Field, fields: dict[_Field, list[str]]) -> None:
    """Gather the texts and keys of a document by field, in order."""
    depth, name = field
    if isinstance(value, str):
        fields.setdefault(field, []).append(value)
    elif isinstance(value, dict):
        for key, inner in value.items():
            fields.setdefault((depth + 1, ""), []).append(key)
            _collect(inner, (depth + 1, key), fields)
    elif isinstance(value, list):
        for inner in value:
            _collect(inner, (depth + 1, name), fields)


def _rebuilt(value: Any, field: _Field, struck: dict[_Field, Iterator[str]]) -> Any:
    """Make the document anew with the texts of the fields where the secret was, in the order of :func:`_collect`."""
    depth, name = field
    if isinstance(value, str):
        return next(struck[field]) if field in struck else value
    if isinstance(value, dict):
        keys = struck.get((depth + 1, ""))
        found = {}
        for key, inner in value.items():
            shown = key if keys is None else next(keys)
            found[shown] = _rebuilt(inner, (depth + 1, key), struck)
        return found
    if isinstance(value, list):
        return [_rebuilt(inner, (depth + 1, name), struck) for inner in value]
    return value
