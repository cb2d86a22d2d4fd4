"""Packs what a page holds but does not show at once into one compressed block: files, and items with their answers."""

from __future__ import annotations

import json
import zlib
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from probsense.results.items.views import ItemViews

FILE: Final = 400_000
"""The largest number of bytes of the block that one file for download may take."""
SPARE: Final = 0.97
"""The share of the items fitting by their mean size that is tried next."""


@dataclass(frozen=True, slots=True)
class PackedSet:
    """What the page says of the items of one task in its block: ``kept`` of ``total`` are there.

    ``scored`` tells whether options have tokens, and ``tokens`` whether the block has them.
    """

    name: str
    task: str
    total: int
    kept: int
    scored: bool
    tokens: bool


@dataclass(frozen=True, slots=True)
class Packed:
    """The block, as text that is safe in a page: base 64 of zlib of JSON; what is in it, and the names of its files."""

    block: str
    sets: Sequence[PackedSet]
    files: Sequence[str]


def pack(sets: Sequence[ItemViews], files: Mapping[str, str], room: int) -> Packed:
    """Pack files, and as many items as there is room for, evenly spread if not all; the tokens of options if they fit.

    Parameters
    ----------
    sets : sequence of ItemViews
    files : Mapping of str to str
        Texts by name. Those that would take more than :data:`FILE` bytes are left out, the others always find room.
    room : int
        Bytes that the block may take.
    """
    files = {name: text for name, text in files.items() if len(packed(text)) <= FILE}
    without = packed({"files": files, "sets": []})
    tokens, share = True, 1.0
    while any(int(len(own.asked) * share) for own in sets):
        kept = [own.spread(share) for own in sets]
        block = packed({"files": files, "sets": [_set(own, tokens=tokens) for own in kept]})
        if len(block) <= room:
            told = [_told(whole, own, tokens=tokens) for whole, own in zip(sets, kept, strict=True)]
            return Packed(block, told, [*files])
        if not tokens:
            share *= SPARE * max(room - len(without), 0) / (len(block) - len(without))
        tokens = False
    return Packed(without if files else "", [], [*files])


def _told(whole: ItemViews, own: ItemViews, *, tokens: bool) -> PackedSet:
    scored = any(reply and "tokens" in reply for item in own.asked for reply in item["replies"])
    total = whole.left_out + len(whole.asked)
    return PackedSet(own.name, own.task, total, len(own.asked), scored, scored and tokens)


def packed(value: object) -> str:
    """Pack a value into text that is safe in a page."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return b64encode(zlib.compress(text.encode(errors="replace"), 9)).decode()


def _set(own: ItemViews, *, tokens: bool) -> dict[str, Any]:
    """Arrange the items of a task, with the tokens of options or without."""
    asked = own.asked
    if not tokens:
        asked = [{**item, "replies": [*map(_without_tokens, item["replies"])]} for item in asked]
    return {"runs": own.runs, "asked": asked}


def _without_tokens(reply: Mapping[str, Any] | None) -> dict[str, Any] | None:
    return None if reply is None else {name: value for name, value in reply.items() if name != "tokens"}
