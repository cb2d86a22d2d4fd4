"""Texts of which a network has keys and values in memory, and what other texts share with them."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from probsense.models.next_token.alignment import Ids, common_prefix

if TYPE_CHECKING:
    from torch import Tensor


@dataclass(frozen=True, slots=True, eq=False)
class Remembered:
    """A text that the network has read, and what it keeps of it.

    Attributes
    ----------
    ids : ndarray of int, shape (tokens,)
    states : sequence of (Tensor, Tensor)
        Keys and values of each layer, shape (1, heads, tokens, size).
    """

    ids: Ids
    states: Sequence[tuple[Tensor, Tensor]]


class Share(NamedTuple):
    """The beginning of a remembered text: the number of the text, and how many of its tokens."""

    text: int
    tokens: int


NO_SHARE: Final = Share(-1, 0)


def shares(texts: Sequence[Remembered], asked: Sequence[tuple[Ids, int]]) -> list[Share]:
    """Find the longest beginning that each of some token sequences shares with a remembered text.

    Token ids decide, not characters: a text that was written need not be split into the tokens that wrote it.

    Parameters
    ----------
    texts : sequence of Remembered
    asked : sequence of (ndarray of int, int)
        Token ids, and the largest share that is wanted.
    """
    order = sorted(range(len(texts)), key=lambda k: sort_key(texts[k].ids))
    keys = [sort_key(texts[k].ids) for k in order]
    found = []
    for ids, most in asked:
        # In lexicographic order, no text shares more than both neighbours do.
        at = bisect(keys, sort_key(ids))
        near = [Share(k, min(common_prefix(texts[k].ids, ids), most)) for k in order[max(at - 1, 0) : at + 1]]
        best = max(near, key=lambda share: share.tokens, default=NO_SHARE)
        found.append(best if best.tokens else NO_SHARE)
    return found


def sort_key(ids: Ids) -> bytes:
    """Return bytes that sort as the token ids do."""
    return ids.astype(">u4").tobytes()
