"""Chooses questions so that what a story shows says nothing about the answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence

import numpy as np


def even(stories: Sequence[int], views: Sequence[Hashable], yes: Sequence[bool]) -> list[int]:
    """Choose as many questions as possible so that every story and every view has as many with yes as with no.

    Drawn with equal chances, questions of either answer then have the same distribution of stories, and the same of
    views. Questions with yes are steps from their story to their view, those with no back again; so the choice is the
    largest circulation that takes each step once at most, and as a vertex of the polytope of circulations it takes each
    step wholly or not at all (Ahuja, Magnanti & Orlin 1993, Network Flows, theorem 9.10).

    Parameters
    ----------
    stories : sequence of int
        The story of each question.
    views : sequence of hashable
        Its view.
    yes : sequence of bool
        Whether its answer is yes.

    Returns
    -------
    list of int
        Places of the chosen questions.
    """
    from scipy.optimize import linprog
    from scipy.sparse import csr_array

    left = [*range(len(yes))]
    while True:
        ends = [(("story", stories[i]), ("view", views[i])) for i in left]
        sides = [
            Counter(end for both, i in zip(ends, left, strict=True) if yes[i] is way for end in both)
            for way in (True, False)
        ]
        kept = [
            i
            for both, i in zip(ends, left, strict=True)
            if all(end in side for end in both for side in sides)
        ]
        if len(kept) == len(left):
            break
        left = kept
    if not left:
        return []
    number: dict[Hashable, int] = {}
    rows = [number.setdefault(end, len(number)) for both in ends for end in both]
    signs = [1.0 if yes[i] else -1.0 for i in left for _ in range(2)]
    columns = np.repeat(np.arange(len(left)), 2)
    flow = csr_array((signs, (rows, columns)), shape=(len(number), len(left)))
    found = linprog(
        -np.ones(len(left)), A_eq=flow, b_eq=np.zeros(len(number)), bounds=(0, 1), method="highs-ds"
    )
    chosen = [i for i, share in zip(left, found.x, strict=True) if share > 0.5]
    if np.abs(flow @ np.round(found.x)).max() > 0:
        raise RuntimeError("the choice of questions is not even")
    return chosen
