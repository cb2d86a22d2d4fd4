"""Which ways to ask a run tries: all combinations of the levels, or a balanced fraction of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, product
from math import prod

import numpy as np
from numpy.typing import NDArray

from probsense.core.errors import InputError


def crossing(sizes: Sequence[int], most: int) -> NDArray[np.int64]:
    """Cross facets in full or, where that is too much, in the largest balanced fraction.

    In a fraction, some facets are crossed in full, and the level of each other one is a sum of theirs, modulo its
    number of levels, so that any two facets are still balanced: an orthogonal array of strength 2 (Hedayat, Sloane &
    Stufken 1999, Orthogonal Arrays). So effects of single facets are told apart; what several do together is not.

    Parameters
    ----------
    sizes : sequence of int
        Levels of each facet, at least two.
    most : int
        The most combinations.

    Returns
    -------
    ndarray of int, shape (combinations, facets)
        In rising order; the first is 0 throughout.

    Raises
    ------
    InputError
        If not even a fraction has so few combinations.
    """
    for size in sorted({prod(sizes[i] for i in free) for free in _subsets(len(sizes))}, reverse=True):
        if size <= most:
            for free in _subsets(len(sizes)):
                if prod(sizes[i] for i in free) == size and (found := _fraction(sizes, free)) is not None:
                    return found
    fewest = min(len(found) for free in _subsets(len(sizes)) if (found := _fraction(sizes, free)) is not None)
    raise InputError(
        f"at most {most} variants, of {prod(sizes)}",
        expected=f"at least {fewest}, the smallest balanced fraction, or to vary less",
    )


def _subsets(count: int) -> Iterator[tuple[int, ...]]:
    """Yield the facets that may be crossed in full: the first ones before others."""
    for size in range(count, 0, -1):
        yield from combinations(range(count), size)


def _fraction(sizes: Sequence[int], free: Sequence[int]) -> NDArray[np.int64] | None:
    """Cross some facets in full and give the others sums of theirs; None where that is never balanced."""
    cells = np.array([*product(*(range(sizes[i]) for i in free))], dtype=np.int64)
    found = np.zeros((len(cells), len(sizes)), dtype=np.int64)
    found[:, free] = cells
    done = list(free)
    for facet in range(len(sizes)):
        if facet in done:
            continue
        for factors in product(range(1, sizes[facet]), repeat=len(free)):
            found[:, facet] = cells @ np.array(factors) % sizes[facet]
            if all(_balanced(found[:, [other, facet]], sizes[other] * sizes[facet]) for other in done):
                break
        else:
            return None
        done.append(facet)
    return found[np.lexsort(found.T[::-1])]


def _balanced(pairs: NDArray[np.int64], kinds: int) -> bool:
    _, counts = np.unique(pairs, axis=0, return_counts=True)
    return len(counts) == kinds and bool((counts == counts[0]).all())
