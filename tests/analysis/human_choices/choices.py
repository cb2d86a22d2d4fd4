"""Made-up questions with people's and a model's answers."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from probsense.analysis.human_choices.measures import Distributions, distributions

Floats = NDArray[np.float64]


def padded(rows: list[list[float]]) -> Floats:
    """Make one array of rows of different lengths, NaN where a row is shorter."""
    found = np.full((len(rows), max(map(len, rows))), np.nan)
    for i, row in enumerate(rows):
        found[i, : len(row)] = row
    return found


@st.composite
def pairs(draw: st.DrawFn, *, most: int = 6, options: int = 4) -> Distributions:
    """Draw questions of two to a few options, each answered by two or more people and by a model."""
    counts, shares = [], []
    for _ in range(draw(st.integers(1, 4))):
        size = draw(st.integers(2, options))
        n = draw(st.integers(2, most))
        chosen = draw(st.lists(st.integers(0, size - 1), min_size=n, max_size=n))
        own = np.array(draw(st.lists(st.floats(0, 1), min_size=size, max_size=size))) + 1e-3
        counts.append([float(chosen.count(k)) for k in range(size)])
        shares.append((own / own.sum()).tolist())
    return distributions(padded(counts), padded(shares))
