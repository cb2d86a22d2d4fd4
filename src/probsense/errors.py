"""Errors that speak to the user: what was found, where, and what was expected."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

SHOWN = 60
"""Characters of a value that an error shows."""


class ProbSenseError(Exception):
    """Something failed for a reason the user can act on; the command prints it without a traceback."""

    exit_code = 1


class InputError(ProbSenseError):
    """Wrong use or bad input (exit code 2).

    Parameters
    ----------
    found : str
        What is wrong, as a phrase.
    path : Path or str, optional
        The file or folder it was found in.
    line : int, optional
        The line (from 1) it was found on.
    expected : str, optional
        What should have stood there instead.
    """

    exit_code = 2

    def __init__(
        self,
        found: str,
        *,
        path: Path | str | None = None,
        line: int | None = None,
        expected: str | None = None,
    ) -> None:
        where = "" if path is None else f"{path}: " if line is None else f"{path}, line {line}: "
        super().__init__(f"{where}{found}" + (f" (expected {expected})" if expected else ""))


class ModelError(ProbSenseError):
    """A model could not be loaded or could not answer."""


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """A phrase that proposes the nearest known name, or nothing."""
    near = difflib.get_close_matches(str(name), list(known), n=1)
    return f"; did you mean {near[0]!r}?" if near else ""


def brief(value: object) -> str:
    """A value as an error shows it: in ASCII, on one line, cut to :data:`SHOWN` characters.

    Only as much of the value is looked at as is shown, so it may be large, nested, or an integer of many digits.
    """
    # Names of texts are made for every value that is checked, so those are shown at once.
    pieces = [ascii(value[: SHOWN + 1])] if isinstance(value, str) else _characters(value)
    shown = "".join(islice(pieces, SHOWN + 1))
    return shown if len(shown) <= SHOWN else shown[: SHOWN - 3] + "..."


def plain(name: str) -> str:
    """A name as an error shows it: as it is, or as :func:`brief` shows it where it is long or not for print."""
    return name if name.isprintable() and len(name) <= 2 * SHOWN else brief(name)


def _characters(value: Any) -> Iterator[str]:
    match value:
        case Mapping():
            yield "{"
            for number, (key, inner) in enumerate(value.items()):
                yield from ", " if number else ""
                yield from _characters(key)
                yield from ": "
                yield from _characters(inner)
            yield "}"
        case list():
            yield "["
            for number, inner in enumerate(value):
                yield from ", " if number else ""
                yield from _characters(inner)
            yield "]"
        case str() | bytes():
            yield from ascii(value[: SHOWN + 1])
        case int() if not isinstance(value, bool) and value.bit_length() > 4 * SHOWN:
            yield from hex(value)  # Python writes no decimals of very large numbers
        case _:
            yield from ascii(value)
