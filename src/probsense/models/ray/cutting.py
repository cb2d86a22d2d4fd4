"""Cuts requests into parts of about the same length, where they share the least with what comes before."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate, pairwise
from typing import Final

import numpy as np

from probsense.core.records import LabelRequest, Request, SampleRequest, ScoreRequest, continued, opened
from probsense.show.text import shared_start

SLACK: Final = 0.05
"""How far a cut may be from where equal parts would be cut, as a share of a part."""


def size(request: Request) -> tuple[str, int]:
    """Return what a model reads first, which requests may share, and how much it reads or writes after that.

    Returns
    -------
    str
        The beginning that requests may share.
    int
        Characters to read after it. A token that may be written counts as one.
    """
    thought = "" if request.thought is None else str(request.thought)
    match request:
        case ScoreRequest(prefix, options, suffix):
            return opened(request.system, prefix) + thought, sum(map(len, options)) + len(options) * len(
                suffix
            )
        case LabelRequest(prompt):
            return opened(request.system, prompt) + thought, 0
        case SampleRequest(prompt, n, max_tokens, turns=turns):
            return opened(request.system, continued(turns, prompt)) + thought, n * max_tokens


def even_cuts(groups: Iterable[Sequence[tuple[str, int]]], parts: int) -> list[tuple[int, int]]:
    """Cut a sequence of groups into parts with about the same number of characters.

    A beginning that a text shares with the one before counts once. Near an even cut, the cut that costs the shortest
    shared beginning is taken.

    Parameters
    ----------
    groups : iterable of sequence of (str, int)
        Groups that stay whole, each with what :func:`size` returns, sorted.
    parts : int

    Returns
    -------
    list of (int, int), length parts
        Where each part begins and ends; some are empty if there are fewer groups than parts.
    """
    lengths, shared = _lengths(groups)
    return [*pairwise(_cut(lengths, shared, parts, number) for number in range(parts + 1))]


def _lengths(groups: Iterable[Sequence[tuple[str, int]]]) -> tuple[list[int], list[int]]:
    """Count the characters of each group beyond what it shares with the text before, and those that it shares."""
    lengths, shared, before = [], [], ""
    for texts in groups:
        shared.append(shared_start(before, texts[0][0]) if texts else 0)
        length = 0
        for text, more in texts:
            length += len(text) - shared_start(before, text) + more
            before = text
        lengths.append(length)
    return lengths, shared


def _cut(lengths: Sequence[int], shared: Sequence[int], of: int, number: int) -> int:
    """Return the position before which a cut falls: the least shared beginning near the even cut, or the nearest."""
    if number in {0, of}:
        return 0 if number == 0 else len(lengths)
    ends = np.array([0, *accumulate(lengths)])
    even = ends[-1] * number / of
    near = np.abs(ends - even)
    (close,) = np.nonzero(near <= SLACK * ends[-1] / of)
    if not len(close):
        return int(near.argmin())
    return min(close.tolist(), key=lambda at: (shared[at] if at < len(shared) else 0, near[at]))
