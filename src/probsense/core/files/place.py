"""Places in JSON-like documents, which check the values there: each is as it should be, or one error tells."""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Hashable
from pathlib import Path
from typing import Annotated, Any, NamedTuple, TypeVar

from msgspec import Meta

from probsense.core.errors import InputError, brief, did_you_mean, plain
from probsense.core.files.read import kind_of
from probsense.core.files.typed import Text, Word, read_as

LARGEST = 2**53
"""Whole numbers up to here are exact as floats."""

_LARGEST_FLOAT = sys.float_info.max
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,59}")
_Seen = TypeVar("_Seen", bound=Hashable)


class Place(NamedTuple):
    """A place in a file; its methods return the value they are given if it is of the right kind.

    Each takes a value and its name: a key or index below this place, or, in a whole document, any words that the error
    is to call it by; without a name, the value is what stands at this place. Each raises an InputError for a value of
    another kind.

    Attributes
    ----------
    path : Path
    line : int, optional
        From 1.
    keys : str
        The way inside the document, such as ``context[2].expected``; "" for the document itself.
    part : str
        What errors name first, such as "entry 2"; "" for nothing.
    """

    path: Path
    line: int | None = None
    keys: str = ""
    part: str = ""

    def inside(self, *steps: str | int) -> Place:
        """Return the place below some keys and indices."""
        keys = self.keys
        for step in steps:
            keys = _joined(keys, step)
        return self._replace(keys=keys)

    def fault(self, found: str, expected: str | None = None) -> InputError:
        """Make an error about this place."""
        part = f"{self.part}: " if self.part else ""
        return InputError(part + found, path=self.path, line=self.line, expected=expected)

    def wrong(self, value: object, name: str | int, expected: str) -> InputError:
        """Make an error about a value that differs from the expected one."""
        return self.fault(f"{self._called(name)} is {_shown(value)}", expected)

    def missing(self, key: str | int, expected: str) -> InputError:
        """Make an error about a key that is not there."""
        return self.fault(f"{_joined(self.keys, key)} is missing", expected)

    def mapping(self, value: Any, name: str | int = "", expected: str | None = None) -> dict[str, Any]:
        """Require a mapping of texts to any values: an object of JSON."""
        if not isinstance(value, dict):
            raise self.wrong(value, name, expected or self.words_for(dict))
        for key in value:
            if not isinstance(key, str):
                found = f"a key of {self._called(name)} is {_shown(key)}"
                raise self.fault(found, self.words_for(str))
        return value

    def record(
        self,
        value: Any,
        name: str | int = "",
        *,
        needed: Collection[str],
        optional: Collection[str] = (),
        expected: str | None = None,
    ) -> dict[str, Any]:
        """Require a mapping that has all needed keys, and no others than these and the optional ones."""
        found = self.mapping(value, name, expected)
        known = [*needed, *optional]
        expected = expected or f"the keys {', '.join(known)}"
        for key in found:
            if key not in known:
                hint = did_you_mean(key, known)
                below = self._at(name).keys
                shown = _joined(below, key) if below or _IDENTIFIER.fullmatch(key) else brief(key)
                raise self.fault(f"unknown key {shown}{hint}", expected)
        for key in needed:
            if key not in found:
                raise self._at(name).missing(key, expected)
        return found

    def text(self, value: Any, name: str | int = "") -> str:
        """Require Unicode text, which may be empty."""
        return str(self._read(Text, value, name))

    def word(self, value: Any, name: str | int = "") -> str:
        """Require text that is more than white space."""
        return str(self._read(Word, value, name))

    def one_of(self, value: Any, name: str | int, known: Collection[str]) -> str:
        """Require one of some texts."""
        if self.text(value, name) not in known:
            hint = did_you_mean(value, known)
            found = f"{self._called(name)} is {brief(value)}{hint}"
            raise self.fault(found, f"one of {', '.join(known)}")
        return str(value)

    def whole(
        self,
        value: Any,
        name: str | int = "",
        low: int | None = None,
        high: int | None = None,
        expected: str | None = None,
    ) -> int:
        """Require a whole number within bounds; a truth value is none."""
        return int(self._read(Annotated[int, Meta(ge=low, le=high, description=expected)], value, name))

    def number(
        self,
        value: Any,
        name: str | int = "",
        low: float = -_LARGEST_FLOAT,
        high: float = _LARGEST_FLOAT,
        expected: str = "a number",
    ) -> float:
        """Require a number within bounds; a truth value is none, nor is an infinite one unless the bounds allow it."""
        fine = isinstance(value, int | float) and not isinstance(value, bool)
        if not fine or not low <= value <= high or (isinstance(value, int) and abs(value) > _LARGEST_FLOAT):
            raise self.wrong(value, name, expected)
        return float(value)

    def entries(self, value: Any, name: str | int = "", *, least: int = 0, of: str = "entries") -> list[Any]:
        """Require a list; the error calls its entries ``of``."""
        return list(self._read(_list_of(Any, least, of), value, name))

    def texts(self, value: Any, name: str | int = "", *, least: int = 1, of: str = "texts") -> list[str]:
        """Require a list of texts."""
        return list(self._read(_list_of(Text, least, of), value, name))

    def once(
        self, value: _Seen, name: str | int, seen: dict[_Seen, Place], expected: str = "each once"
    ) -> None:
        """Refuse a value that an earlier place has; ``seen`` holds those so far."""
        if value in seen:
            first = seen[value]
            where = f"on line {first.line}" if first.line is not None else f"in {first._called('')}"
            raise self.fault(f"{self._called(name)} is {brief(value)} again, first {where}", expected)
        seen[value] = self

    def words_for(self, kind: type) -> str:
        """Say what a text or a mapping is in a file of this kind."""
        in_yaml = kind_of(self.path) in (".yaml", ".yml")
        if kind is str:
            return "text; in YAML, put it in quotes" if in_yaml else "text"
        return "a mapping of keys to values" if in_yaml else "an object"

    def _read(self, kind: Any, value: Any, name: str | int) -> Any:
        return read_as(kind, value, self._at(name))

    def _at(self, name: str | int) -> Place:
        return self if name == "" else self.inside(name)

    def _called(self, name: str | int) -> str:
        whole = "it" if self.part else "the file" if self.line is None else "the line"
        return self._at(name).keys or whole


def _list_of(kind: Any, least: int, of: str) -> Any:
    more = f", at least {'one' if least == 1 else least}" if least else ""
    return Annotated[list[kind], Meta(min_length=least, description=f"a list of {of}{more}")]


def _shown(value: object) -> str:
    return "nothing" if value is None else brief(value)


def _joined(keys: str, step: str | int) -> str:
    if isinstance(step, int):
        return f"{keys}[{step}]"
    if not keys:  # A word of the caller's, or a key.
        return plain(step)
    return f"{keys}.{step}" if _IDENTIFIER.fullmatch(step) else f"{keys}[{brief(step)}]"
