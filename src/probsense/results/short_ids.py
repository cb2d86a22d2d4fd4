"""Short forms of ids for a list: as long as it takes to tell them apart."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from probsense.show.text import shared_start

LONG: Final = 24
"""Ids of at most so many characters stay as they are,"""
NUMBER: Final = re.compile(r"[-0-9a-f]{13,}", re.IGNORECASE)
"""unless they are long numbers, which nobody reads."""
LEAST: Final = 6
"""Characters of a shortened id at least."""
CUT: Final = "…"


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
    tails = {name[::-1]: size for name, size in _needed([name[::-1] for name in distinct]).items()}
    short = {name: _short(name, heads[name], tails[name]) for name in distinct}
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
    for one, other in pairwise(sorted(names)):
        shared = shared_start(one, other) + 1
        needed[one], needed[other] = max(needed[one], shared), max(needed[other], shared)
    return needed
