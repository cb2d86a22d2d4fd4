"""The cluster bootstrap, against one that draws cluster by cluster, and against known errors."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from probsense.stats import bootstrap
from probsense.stats.bootstrap import cluster_bootstrap


def mean(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    return sums[:, 0] / sums[:, 1]


@pytest.fixture
def totals() -> NDArray[np.float64]:
    rng = np.random.default_rng(1)
    sizes = rng.integers(1, 4, size=50)
    return np.stack([rng.normal(size=50) * sizes, sizes], axis=1)


def test_it_is_the_same_as_drawing_one_cluster_after_the_other(totals: NDArray[np.float64]) -> None:
    found = cluster_bootstrap(totals, mean, np.random.default_rng(7), draws=300)
    drawn = np.random.default_rng(7).integers(50, size=(300, 50))
    values = []
    for row in drawn:
        above = below = 0.0
        for cluster in row:
            above += totals[cluster, 0]
            below += totals[cluster, 1]
        values.append(above / below)
    assert found.stderr == pytest.approx(np.std(values, ddof=1), abs=1e-12)
    assert found.low == pytest.approx(np.quantile(values, 0.025), abs=1e-12)
    assert found.high == pytest.approx(np.quantile(values, 0.975), abs=1e-12)


def test_in_parts_that_fit_into_memory_it_is_the_same(
    totals: NDArray[np.float64], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = cluster_bootstrap(totals, mean, np.random.default_rng(7), draws=100)
    monkeypatch.setattr(bootstrap, "CELLS", 350)
    parts = cluster_bootstrap(totals, mean, np.random.default_rng(7), draws=100)
    assert parts == pytest.approx(whole, abs=1e-12)


def test_the_error_of_a_mean_is_that_of_theory() -> None:
    values = np.random.default_rng(2).normal(size=400)
    totals = np.stack([values, np.ones(400)], axis=1)
    found = cluster_bootstrap(totals, mean, np.random.default_rng(3), draws=4000)
    assert found.stderr == pytest.approx(values.std() / 20, rel=0.05)
    assert found.low < values.mean() < found.high


def test_the_same_seed_gives_the_same_interval(totals: NDArray[np.float64]) -> None:
    first, again, other = (cluster_bootstrap(totals, mean, np.random.default_rng(s)) for s in (1, 1, 2))
    assert first == again != other


def test_a_single_cluster_leaves_the_interval_unknown() -> None:
    found = cluster_bootstrap(np.ones((1, 2)), mean, np.random.default_rng(0))
    assert all(map(math.isnan, found))
