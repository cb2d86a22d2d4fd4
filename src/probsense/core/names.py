"""Cleans and shortens names: of models, runs and items for print, of files for the disk."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

from probsense.core.errors import InputError, brief

_PATH = re.compile(r"([\w.-]+:)?((?:~|\.{1,2})?/.+|[A-Za-z]:\\.+|(?:[^/\s]+/){2,}[^/\s]+)")
"""A path from the root, from home or from here, or of three parts and more: names on a hub have two."""


def short_names(models: Iterable[str]) -> dict[str, str]:
    """Shorten the names of models that are paths to as many of their last parts as tell them apart.

    Parameters
    ----------
    models : iterable of str
        Names of models as they were given, such as ``hf:/data/models/smollm2``. Names that are not paths stay.

    Returns
    -------
    dict of str to str
        The short name of each, such as ``hf:smollm2``. No two are equal.
    """
    endings = {model: _endings(model) for model in models}
    having = Counter(ending for own in endings.values() for ending in own)
    return {
        model: next((ending for ending in own if having[ending] == 1), model)
        for model, own in endings.items()
    }


def _endings(model: str) -> list[str]:
    """List what a name may be shortened to, from the last part of its path to the whole."""
    found = _PATH.fullmatch(model)
    if found is None:
        return [model]
    backend, path = found.groups("")
    parts = [part for part in re.split(r"[/\\]", path) if part]
    return [*(backend + "/".join(parts[-number:]) for number in range(1, len(parts) + 1)), model]


LONG = 24
"""Ids of at most this many characters stay as they are,"""
NUMBER = re.compile(r"[-0-9a-f]{13,}", re.IGNORECASE)
"""unless they are long numbers, which nobody reads."""
LEAST = 6
"""Characters of a shortened id at least."""
CUT = "…"


def short_ids(ids: Sequence[str]) -> list[str]:
    """Shorten long ids to their beginning or their end, whichever tells them from all others in fewer characters.

    Parameters
    ----------
    ids : sequence of str

    Returns
    -------
    list of str
        One for each, with :data:`CUT` where something is left out. Different ids have different short forms.
    """
    distinct = [*dict.fromkeys(ids)]
    heads = _needed(distinct)
    tails = _needed([name[::-1] for name in distinct])
    short = {name: _short(name, heads[name], tails[name[::-1]]) for name in distinct}
    if len({*short.values()}) < len(short):  # An id of somebody else's has the mark in it.
        return [*ids]
    return [short[name] for name in ids]


def _short(name: str, head: int, tail: int) -> str:
    if (len(name) <= LONG and not NUMBER.fullmatch(name)) or min(head, tail) + len(CUT) >= len(name):
        return name
    return f"{name[:head]}{CUT}" if head <= tail else f"{CUT}{name[-tail:]}"


def _needed(names: Sequence[str]) -> dict[str, int]:
    """Count the first characters of each name that no other begins with, at least :data:`LEAST`."""
    needed = dict.fromkeys(names, LEAST)
    for pair in pairwise(sorted(names)):
        least = shared_start(*pair) + 1
        needed |= {name: max(needed[name], least) for name in pair}
    return needed


def shared_start(first: str, second: str) -> int:
    """Return the number of characters with which both texts begin."""
    lengths = range(1, min(len(first), len(second)) + 1)
    return bisect_left(lengths, True, key=lambda length: first[:length] != second[:length])


RUN_NAME = 40
"""The largest number of characters of a name, which stands beside the model's in tables and charts."""

_ID = re.compile(r"[0-9a-f]{1,32}")


def is_id(word: str) -> bool:
    """Tell whether a word could be the beginning of a run's id."""
    return _ID.fullmatch(word) is not None


def checked_name(name: str) -> str:
    """Return the name of a run, if it is one.

    Raises
    ------
    InputError
        For a name that is empty or too long, that has brackets or characters that do not print, that begins or ends
        with a blank, begins with a hyphen (as options do), or could be the beginning of an id.
    """
    fits = 0 < len(name) <= RUN_NAME and name.isprintable() and name == name.strip()
    if not fits or name.startswith("-") or set(name) & set("[]") or is_id(name):
        raise InputError(
            f"{brief(name)} as the name of a run",
            expected=f"1 to {RUN_NAME} printable characters, no brackets, and more than the digits of an id (0-9, a-f)",
        )
    return name


def file_name(text: str) -> str:
    """Make a name for a file from any text: "-" stands for what a file name should not hold, but not at its ends."""
    return re.sub(r"[^\w.+=@-]+", "-", text).strip("-.")
