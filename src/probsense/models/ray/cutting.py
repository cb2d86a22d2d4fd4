"""Cuts requests into parts of about the same length."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np

from probsense.show.text import shared_start


def even_cuts(groups: Iterable[Sequence[tuple[str, int]]], parts: int) -> list[tuple[int, int]]:
    """Cut a sequence of groups into parts with about the same number of characters.

    A beginning that a text shares with the one before counts once.

    Parameters
    ----------
    groups : iterable of sequence of (str, int)
        Groups that stay whole, each with what :func:`~probsense.models.base.size` returns, sorted.
    parts : int

    Returns
    -------
    list of (int, int), length parts
        Where each part begins and ends; some are empty if there are fewer groups than parts.
    """
    ends, before = [0], ""
    for texts in groups:
        length = 0
        for text, more in texts:
            length += len(text) - shared_start(before, text) + more
            before = text
        ends.append(ends[-1] + length)
    even = np.arange(1, parts) * ends[-1] / parts
    nearest = np.abs(np.array(ends) - even[:, None]).argmin(1).tolist()
    return [*pairwise([0, *nearest, len(ends) - 1])]
