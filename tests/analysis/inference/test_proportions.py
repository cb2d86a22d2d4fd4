"""Intervals of proportions, against a published library and at the ends."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from probsense.analysis.inference.means import mean_estimate
from probsense.analysis.inference.proportions import proportion_estimate, wilson

Z = 1.959963984540054


@given(st.integers(1, 300).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_is_that_of_statsmodels(counts: tuple[int, int]) -> None:
    hits, n = counts
    expected = proportion_confint(hits, n, method="wilson")
    assert wilson(hits / n, n, z=Z) == pytest.approx(expected, abs=1e-10)


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 9)), min_size=2, max_size=60))
def test_the_share_is_inside_and_the_ends_are_shares(pairs: list[tuple[bool, int]]) -> None:
    hits, clusters = zip(*pairs, strict=True)
    found = proportion_estimate("accuracy", {}, hits, clusters)
    assert found.value == pytest.approx(sum(hits) / len(hits), abs=1e-12)
    if len(set(clusters)) == 1:
        assert math.isnan(found.low)
    else:
        assert 0 <= found.low <= found.value + 1e-12
        assert found.value - 1e-12 <= found.high <= 1


def test_all_right_is_not_certainly_right_and_clusters_count_once() -> None:
    found = proportion_estimate("accuracy", {}, np.ones(40), np.arange(40) // 2)
    assert (found.value, found.high, found.stderr) == (1, 1, 0)
    alone = proportion_estimate("accuracy", {}, np.ones(20), np.arange(20))
    assert found.low == alone.low == pytest.approx(1 / (1 + 2.093024054408263**2 / 20), abs=1e-9)


def test_dependent_hits_widen_the_interval_by_their_clustered_error() -> None:
    hits = np.repeat(np.arange(30) % 3 > 0, 4)
    together = proportion_estimate("accuracy", {}, hits, np.repeat(np.arange(30), 4))
    apart = proportion_estimate("accuracy", {}, hits, np.arange(120))
    assert together.high - together.low > 1.8 * (apart.high - apart.low)
    assert together.stderr == mean_estimate("", {}, hits, np.repeat(np.arange(30), 4)).stderr
    assert together.method == "clustered Wilson"
