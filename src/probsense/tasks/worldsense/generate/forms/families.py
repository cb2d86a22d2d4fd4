"""Splits the stories of a size into those for training and those that are held out.

Stories are split by families: what looks alike stays together, so that either side is as balanced as the whole, and one
side tells nothing about the answers of the other.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from typing import NamedTuple

import numpy as np


class Split(NamedTuple):
    """Which side of all forms is drawn.

    Attributes
    ----------
    share : float
        Share of the questions that is held out, between 0 and 1.
    seed : int
        Seed of what is held out.
    held_out : bool
        Whether to draw what is held out, or what is left.
    """

    share: float
    seed: int
    held_out: bool


def families(stories: int, links: Iterable[tuple[int, Hashable]]) -> list[int]:
    """Number the family of each story: stories that share something, directly or by way of third ones.

    Parameters
    ----------
    stories : int
        How many there are.
    links : iterable of (int, hashable)
        The place of a story, and something that it may share with others.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    number: dict[Hashable, int] = {}
    pairs = [(story, stories + number.setdefault(shared, len(number))) for story, shared in links]
    rows, columns = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    size = stories + len(number)
    graph = coo_array((np.ones(len(rows)), (rows, columns)), shape=(size, size))
    found = connected_components(graph, directed=False)[1][:stories]
    return [int(family) for family in found]


def held_out(
    family: Sequence[int],
    kind: Sequence[int],
    count: Sequence[int],
    share: float,
    rng: np.random.Generator,
    kept: Iterable[int] = (),
) -> set[int]:
    """Choose families by chance until their share of the questions of each kind is as near as can be to the one wanted.

    Parameters
    ----------
    family, kind, count : sequence of int
        Of each story: its family, its kind and its number of questions. A family is of the kind of its first story.
    share : float
    rng : numpy.random.Generator
    kept : iterable of int
        Families that are never chosen.

    Returns
    -------
    set of int
        The chosen families.
    """
    own: dict[int, int] = {}
    sizes: dict[int, int] = defaultdict(int)
    for one, its, questions in zip(family, kind, count, strict=True):
        own.setdefault(one, its)
        sizes[one] += questions
    never, chosen = {*kept}, set[int]()
    for each in sorted({*own.values()}):
        members = sorted(one for one in own if own[one] == each)
        left = share * sum(sizes[one] for one in members)
        for one in rng.permutation(members).tolist():
            if one not in never and sizes[one] / 2 <= left:
                chosen.add(one)
                left -= sizes[one]
    return chosen
