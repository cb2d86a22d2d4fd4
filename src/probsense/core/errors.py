"""Errors that speak to the user: they say what is wrong, where, and what was expected."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable
from itertools import islice
from pathlib import Path
from reprlib import Repr

SHOWN = 60
"""How many characters of a value an error shows."""
LONGEST = 480
"""How many characters an error has at most."""
LOOKED_AT = 5000
"""How many names are compared with a wrong one; a server can list a million."""
FAIR = 140
"""How many characters of its path, its fault and its expectation an error keeps, however long the others are."""


class ProbSenseError(Exception):
    """A failure for a reason that the user can act on; the command prints it without a traceback.

    Parameters
    ----------
    message : str
        The error cuts it to :data:`LONGEST` characters on one line, whatever it quotes.
    """

    exit_code = 1

    def __init__(self, message: str = "") -> None:
        super().__init__(shortened(message, LONGEST))


class InputError(ProbSenseError):
    """Wrong use or bad input (exit code 2).

    Parameters
    ----------
    found : str
        The fault, as a phrase.
    path : Path or str, optional
        The file or folder of the fault.
    line : int, optional
        The line (from 1) of the fault.
    expected : str, optional
        What should stand there instead.
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
        parts = ["" if path is None else str(path), found, expected or ""]
        number = "" if line is None else f", line {line}"
        spare = LONGEST - len(number + ":  (expected )") - sum(map(len, parts))
        for i in sorted(range(len(parts)), key=lambda i: -len(parts[i])):
            if spare < 0:
                kept = shortened(parts[i], max(FAIR, len(parts[i]) + spare))
                spare += len(parts[i]) - len(kept)
                parts[i] = kept
        where, found, expected = parts
        super().__init__(
            (f"{where}{number}: " if path is not None else "")
            + found
            + (f" (expected {expected})" if expected else "")
        )


class ModelError(ProbSenseError):
    """A model could not be loaded or could not answer."""


def shortened(text: str, most: int) -> str:
    """Put a text on one line, and cut its middle out where it has more characters than ``most``."""
    head = (most - 5) // 2
    if len(text) > most:
        text = f"{text[:head]} ... {text[head - most + 5 :]}"
    return " ".join(text.splitlines())


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """Propose the nearest of the first :data:`LOOKED_AT` known names in a phrase; "" if none is near."""
    near = difflib.get_close_matches(str(name), list(islice(known, LOOKED_AT)), n=1)
    return f"; did you mean {near[0]!r}?" if near else ""


def check_name(noun: str, name: str, known: Collection[str]) -> None:
    """Refuse a name that is none of those to choose from.

    Parameters
    ----------
    noun : str
        The kind of thing that the name belongs to.
    name : str
    known : collection of str

    Raises
    ------
    InputError
        The error proposes the nearest of the known names.
    """
    if name not in known:
        raise InputError(
            f"no such {noun}: {name!r}{did_you_mean(name, known)}", expected=f"one of {', '.join(known)}"
        )


LEAST_FIT = 0.1
"""The least share of one of two sets that must be in the other; below it, they most likely have nothing to do with each
other."""


def check_fit(
    fitting: int, given: int, known: int, *, what: str, of: str, expected: str, path: Path | None = None
) -> None:
    """Refuse what hardly fits the set to which it should belong: less than a tenth of it, and of the set.

    Answers to a few items of a large set fit it, and so do those to a large set where a part of it is asked.

    Parameters
    ----------
    fitting : int
        How many of those given are in the set.
    given, known : int
        How many there are of both.
    what, of : str
        What is given, and what the set has, as plural nouns.
    expected : str
    path : Path, optional

    Raises
    ------
    InputError
        With both counts.
    """
    if fitting < max(1, LEAST_FIT * min(given, known)):
        raise InputError(
            f"{fitting:,} of {given:,} {what} are of the {known:,} {of}", path=path, expected=expected
        )


_SHORT = Repr()
_SHORT.maxstring = _SHORT.maxlong = _SHORT.maxother = 2 * SHOWN


def brief(value: object) -> str:
    """Show a value in an error: in ASCII, on one line, cut to :data:`SHOWN` characters.

    The function looks at no more of a value than a little, so it may be large, nested, or an integer of many digits.
    """
    try:
        shown = _SHORT.repr(value).encode("ascii", "backslashreplace").decode()
    except ValueError:
        return "a number of very many digits"  # Python writes no decimals of them.
    return shown if len(shown) <= SHOWN else shown[: SHOWN - 3] + "..."


def plain(name: str) -> str:
    """Show a name in an error: as it is, or as :func:`brief` shows it where it is long or not for print."""
    return name if name.isprintable() and len(name) <= 2 * SHOWN else brief(name)


def one_line(error: BaseException) -> str:
    """Return an error as one line."""
    text = " ".join(str(error).split("\n\n")[0].split())
    return text[:300] if text else type(error).__name__
