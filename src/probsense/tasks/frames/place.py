"""Values of a JSON file and where they stand: each is what it should be, or one error says what it is."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from probsense.errors import InputError
from probsense.files import read_bytes

_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Place:
    """A file, or a line of it; its methods give back what they are given if it is of the right kind.

    Each takes the value and its name (as the error is to call it), and raises an InputError for any other kind.
    """

    path: Path
    line: int | None = None

    def fault(self, found: str, expected: str | None = None) -> InputError:
        """An error about this place."""
        return InputError(found, path=self.path, line=self.line, expected=expected)

    def mapping(self, value: Any, name: str) -> dict[str, Any]:
        """An object of JSON, whatever it holds."""
        if not isinstance(value, dict):
            raise self.fault(f"{name} is {ascii(value)[:60]}", "an object")
        return value

    def text(self, value: Any, name: str) -> str:
        """Unicode text, which may be empty."""
        if not isinstance(value, str) or _SURROGATE.search(value):
            raise self.fault(f"{name} is {ascii(value)[:60]}", "text")
        return value

    def word(self, value: Any, name: str) -> str:
        """Text that is more than white space."""
        if not self.text(value, name).strip():
            raise self.fault(f"{name} is {value!r}", "some text")
        return str(value)

    def texts(self, value: Any, name: str) -> list[str]:
        """A list of texts, at least one."""
        if not isinstance(value, list):
            raise self.fault(f"{name} is {ascii(value)[:60]}", "a list of answers")
        if not value:
            raise self.fault(f"{name} is an empty list", "at least one answer")
        return [self.text(entry, f"{name}[{number}]") for number, entry in enumerate(value)]

    def count(self, value: Any, name: str) -> int:
        """How often something was: a whole number from 1."""
        if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= 2**53:
            raise self.fault(f"{name} is {ascii(value)[:60]}", "a whole number from 1")
        return value

    def counts(self, value: Any, name: str) -> dict[str, int]:
        """How often each of some texts was; at least one."""
        found = {
            self.text(answer, f"a key of {name}"): self.count(times, f"{name}[{ascii(answer)[:60]}]")
            for answer, times in self.mapping(value, name).items()
        }
        if not found:
            raise self.fault(f"{name} is empty", "at least one answer")
        return found


def read_json(path: Path) -> dict[str, Any]:
    """Read a file (plain, ``.bz2`` or ``.gz``) that is one JSON object.

    Raises
    ------
    InputError
        For a file that cannot be read or decompressed, is not UTF-8, is no JSON object, or in which a key stands twice.
    """
    try:
        text = read_bytes(path).decode("utf-8")
    except UnicodeDecodeError:
        raise InputError("not UTF-8 text", path=path, expected="JSON") from None

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, value in pairs:
            if key in found:
                raise InputError(f"{ascii(key)[:60]} stands twice", path=path, expected="each key once")
            found[key] = value
        return found

    try:
        return Place(path).mapping(json.loads(text, object_pairs_hook=once), "the file")
    except json.JSONDecodeError as error:
        hint = "JSON lines only in a file named .jsonl" if error.msg == "Extra data" else None
        raise InputError(
            f"not valid JSON: {error.msg}", path=path, line=error.lineno, expected=hint
        ) from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"not valid JSON: {error}", path=path) from None
