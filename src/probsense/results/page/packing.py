"""Packs what a page holds but does not show at once into one compressed block: files, and items with their answers."""

from __future__ import annotations

import json
import zlib
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, Final

from probsense.results.items.views import MOST, ItemView, ItemViews, Reply, Tokens
from probsense.tasks.base import PeopleAnswers

FILE: Final = 400_000
"""The largest number of bytes of the block that one file for download may take."""
SHARES: Final = 1000
"""Shares are kept in thousandths, log-probabilities in hundredths of a nat,"""
NATS: Final = 100
PERCENT: Final = 100
"""and what options do not have in hundredths."""
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
    scored = any(reply and reply.tokens for replies in own.replies for reply in replies)
    total = whole.left_out + len(whole.asked)
    return PackedSet(own.name, own.task, total, len(own.asked), scored, scored and tokens)


def packed(value: object) -> str:
    """Pack a value into text that is safe in a page."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return b64encode(zlib.compress(text.encode(errors="replace"), 9)).decode()


def rounded(share: float, parts: int = SHARES) -> float:
    """Round a share to parts of 1; half a part more than none or less than all stands for what is not quite that."""
    found = round(share * parts)
    if found == 0 < share:
        return 0.5
    return parts - 0.5 if found == parts and share < 1 else found


def _set(own: ItemViews, *, tokens: bool) -> dict[str, Any]:
    """Arrange the items of a task; each has the replies of all runs, null where a run did not ask it."""
    runs = zip_longest(own.runs, own.methods, own.views, fillvalue="")
    return {
        "runs": [{"name": name, "method": method, "view": view} for name, method, view in runs],
        "asked": [
            {**_item(item), "replies": [_reply(one, tokens=tokens) for one in replies]}
            for item, *replies in zip(own.asked, *own.replies, strict=True)
        ],
    }


def _item(item: ItemView) -> dict[str, Any]:
    return {
        **{name: getattr(item, name) for name in ("id", "short", "group", "prompt", "gold", "about")},
        "difference": None if item.difference is None else rounded(item.difference),
        "people": None if item.people is None else _people(item.people),
    }


def _people(known: PeopleAnswers) -> dict[str, Any]:
    return {
        "shares": [[name, rounded(share)] for name, share in known.shares[:MOST]],
        "others": max(0, len(known.shares) - MOST),
        "n": known.n,
        "most": known.most,
        "illustrative": known.illustrative,
    }


def _reply(reply: Reply | None, *, tokens: bool) -> dict[str, Any] | None:
    """Arrange a reply; what few have is left out where there is none of it."""
    if reply is None:
        return None
    if reply.failed:
        return {"failed": True}
    few = {
        "among": _among(reply),
        "rest": _rest(reply),
        "outside": None if reply.outside is None else rounded(reply.outside, PERCENT),
        "tied": reply.tied,
        "prompt": reply.prompt,
        "texts": reply.texts,
        "tokens": [_option(one) for one in reply.tokens] if tokens else (),
    }
    return {
        "given": reply.given,
        "shares": [[name, rounded(share)] for name, share in reply.shares],
        **{name: value for name, value in few.items() if value not in (None, "", (), [])},
    }


def _option(tokens: Tokens) -> list[Any]:
    return [tokens.option, tokens.suffix, [round(one * NATS) for one in tokens.logprobs], tokens.straddles]


def _among(reply: Reply) -> list[float]:
    """Return the shares among the answers that count, where there is something else; nothing where there is not.

    Thousandths of all would not tell what little there may be of them.
    """
    shares = [share for _, share in reply.shares]
    # If all are there, their sum is exact where the rest is nearly everything.
    total = sum(shares) if len(shares) < MOST else 1 - (reply.rest or 0.0)
    return [rounded(min(1.0, share / total)) for share in shares] if reply.rest and total else []


def _rest(reply: Reply) -> float | None:
    if reply.rest is None:
        return None
    found = rounded(reply.rest)
    return min(found, SHARES - 0.5) if any(share for _, share in reply.shares) else found
