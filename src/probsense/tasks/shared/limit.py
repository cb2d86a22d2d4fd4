"""Choosing some of a task's items if not all are to be asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from probsense.core.errors import InputError
from probsense.core.records import Item


def check_limit(limit: int | None) -> None:
    """Refuse a limit below 1."""
    if limit is not None and limit < 1:
        raise InputError(f"a limit of {limit}", expected="at least 1")


def draw_clusters(items: Sequence[Item], limit: int | None, seed: int) -> Sequence[Item]:
    """Draw ``limit`` items at most: whole clusters in drawn order, until one does not fit any more.

    Parameters
    ----------
    items : sequence of Item
    limit : int or None
        Number of items; None for all of them.
    seed : int
        A larger limit with the same seed leaves no item out that a smaller one takes.

    Returns
    -------
    sequence of Item
        In their order.

    Raises
    ------
    InputError
        For a limit below 1, or if the first cluster drawn does not fit.
    """
    check_limit(limit)
    if limit is None or len(items) <= limit:
        return items
    import numpy as np

    sizes = Counter(item.cluster for item in items)
    clusters = list(sizes)
    chosen: set[str] = set()
    for place in np.random.default_rng([seed, 4]).permutation(len(clusters)):
        limit -= sizes[clusters[place]]
        if limit < 0:
            break
        chosen.add(clusters[place])
    if not chosen:
        raise InputError("a limit below one whole cluster", expected=f"at least {max(sizes.values())}")
    return [item for item in items if item.cluster in chosen]
