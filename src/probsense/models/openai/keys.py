"""Keys, which come from the environment, go to the server, and appear nowhere else, should a server repeat them."""

from __future__ import annotations

import os
import re
from array import array
from base64 import b64encode, urlsafe_b64encode
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar, cast

from probsense.core.errors import InputError

HIDDEN = "***"
SHORTEST = 12
"""The length of the shortest key that is hidden in texts: local servers accept words such as EMPTY."""
LEAST = 10
"""A part of a key is struck out from this length, and from half of the key's length."""

T = TypeVar("T")

_ESCAPE = re.compile(
    r"\\+u00(?P<json>[0-9a-fA-F]{2})|\\+x(?P<python>[0-9a-fA-F]{2})|%(?:25)*(?P<url>[0-9a-fA-F]{2})"
    r"|&#0{0,8}(?P<decimal>\d{2,3});|&#[xX]0{0,8}(?P<hex>[0-9a-fA-F]{2});|\\+"
)
_RUN = re.compile(rb"\x00+|\x01+")


class Key:
    """A secret that does not show itself; :meth:`header` alone gives it away.

    What a server says is searched for the key as it is, in base64 and in hexadecimal digits, also behind the escapes
    of JSON, Python, URLs and HTML. Texts of one field are searched together, since some of them are joined later.
    """

    __slots__ = ("_parts", "_secret")

    def __init__(self, secret: str) -> None:
        self._secret = secret
        digits = secret.encode().hex()
        forms = {secret, digits, digits.upper(), *_in_base64(secret)} if len(secret) >= SHORTEST else set()
        # A backslash or a percent sign of the key's own is an escape to the search in unescaped texts.
        forms |= {plain for form in forms if len(plain := _unescape(form)[0]) >= LEAST}
        self._parts = [part for form in forms for part in _parts(form)]

    def __repr__(self) -> str:
        return f"Key({HIDDEN})"

    def __reduce__(self) -> str:
        raise TypeError("a key cannot be pickled")

    def header(self) -> dict[str, str]:
        """Return the header that a request carries."""
        return {"Authorization": f"Bearer {self._secret}"}

    def hide(self, answer: T) -> T:
        """Return a text or a decoded JSON document without the key; the same object where it is not there."""
        fields: dict[str, list[str]] = defaultdict(list)

        def gather(field: str, text: str) -> str:
            fields[field].append(text)
            return text

        _changed(answer, "", gather)
        # Nearly every answer goes no further.
        whole = "\n".join(["".join(texts) for texts in fields.values()])
        if not (_ESCAPE.search(whole) or any(part in whole for part in self._parts)):
            return answer
        struck = {field: self._struck(texts) for field, texts in fields.items()}
        if struck == fields:
            return answer
        left = {field: iter(texts) for field, texts in struck.items()}
        return cast(T, _changed(answer, "", lambda field, _: next(left[field])))

    def _struck(self, texts: Sequence[str]) -> list[str]:
        """Return the texts of a field without the key."""
        whole = "".join(texts)
        told = bytearray(len(whole))
        for first, last in self._spans(whole):
            told[first:last] = b"\1" * (last - first)
        found, at = [], 0
        for text in texts:
            runs = _RUN.finditer(told, at, at + len(text))
            found.append("".join(HIDDEN if run[0][0] else whole[slice(*run.span())] for run in runs))
            at += len(text)
        return found

    def _spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield the places of the key in a text, in any form."""
        for shown, places in ((text, range(len(text) + 1)), _unescape(text)):
            for part in self._parts:
                place = shown.find(part)
                while place >= 0:
                    yield places[place], places[place + len(part)]
                    place = shown.find(part, place + 1)


def key_from_environment(variable: str) -> Key | None:
    """Return the key that an environment variable holds; None where it holds none, as local servers need none.

    Raises
    ------
    InputError
        If no header can carry the key. The message does not show it.
    """
    secret = os.environ.get(variable, "").strip()
    if not secret:
        return None
    if not secret.isascii() or not secret.isprintable() or " " in secret:
        raise InputError(
            f"the environment variable {variable} holds no key",
            expected="printable ASCII characters without blanks",
        )
    return Key(secret)


def _in_base64(text: str) -> Iterator[str]:
    """Yield what base64 makes of a text, whatever stands before and after it: three ways, in two alphabets."""
    for before in range(3):
        packed = b"\0" * before + text.encode()
        # Characters that also hold bits of the neighbours are left out.
        first, last = -(-before * 8 // 6), len(packed) * 8 // 6
        for encode in (b64encode, urlsafe_b64encode):
            yield encode(packed).decode()[first:last]


def _parts(form: str) -> list[str]:
    """List the shortest parts of a form that are struck out; every longer one is several of them, side by side."""
    size = max(LEAST, -(-len(form) // 2))
    return [*dict.fromkeys(form[at : at + size] for at in range(len(form) - size + 1))]


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


def _changed(value: Any, field: str, change: Callable[[str, str], str]) -> Any:
    """Return a document with each text changed, in order: its field is the last key before it, or "" for a key."""
    if isinstance(value, str):
        return change(field, value)
    if isinstance(value, dict):
        return {change("", key): _changed(inner, key, change) for key, inner in value.items()}
    if isinstance(value, list):
        return [_changed(inner, field, change) for inner in value]
    return value
