"""Uncertainty of pq curves: what is resampled how, and how often an interval holds the truth."""

from __future__ import annotations

import numpy as np
import pytest

from probsense.analysis.agreement.pq.curve import pq_curve
from probsense.analysis.agreement.pq.definitions import Held
from probsense.analysis.agreement.pq.uncertainty import band, half, replicates
from support.studies.conformists import population, rng


def resampled(held: Held, source: np.random.Generator, draws: int) -> np.ndarray:
    """The areas of draws of people and claims with replacement."""
    people, claims = held.shape[1:]
    return np.array(
        [
            pq_curve(
                held[:, source.integers(people, size=people)][:, :, source.integers(claims, size=claims)],
                source,
            ).area
            for _ in range(draws)
        ]
    )


def test_half_of_them_and_nobody_twice() -> None:
    for size in (1, 2, 5, 8):
        assert len(set(half(rng(), size).tolist())) == max(size // 2, 1)


def test_replicates_are_curves_of_the_samples() -> None:
    held = population(9, 30, 1)
    found = replicates(held, rng(5), draws=4)
    source = rng(5)
    for row in found:
        people, claims = half(source, 9), half(source, 30)
        curve = pq_curve(held[:, people][:, :, claims], rng())
        # Of 4 people, 2 have a third of the possible companions, as 3 or 4 of 9 have a quarter or a bit more.
        assert np.array_equal(row, curve.q[[0, 1, 1, 2, 2, 2, 3, 3, 3]])
    assert np.array_equal(found, replicates(held, rng(5), draws=4))


def test_a_band_is_normal_and_stays_between_0_and_1() -> None:
    found = band(np.array([0.5, 0.01]), np.array([[0.4, 0.0], [0.6, 0.2]]))
    stderr = np.std([0.4, 0.6], ddof=1)
    assert found.stderr == pytest.approx([stderr, stderr], abs=1e-12)
    assert found.high[0] == pytest.approx(0.5 + 1.959963984540054 * stderr, abs=1e-12)
    assert found.low[1] == 0


def test_where_half_samples_say_nothing_the_error_is_unknown() -> None:
    pair = replicates(population(2, 10, 1), rng(), draws=3)
    assert np.isnan(band(np.array([1.0, 0.6]), pair).stderr).tolist() == [False, True]
    found = band(np.array([1.0, 0.8, 0.5]), np.array([[1.0, 1.0, 0.4], [1.0, 1.0, 0.6]]))
    assert np.isnan(found.stderr).tolist() == [False, True, False]
    assert np.isnan([found.low, found.high]).tolist() == [[False, True, False]] * 2
    assert (found.low[0], found.high[0]) == (1, 1)


@pytest.mark.slow
def test_half_samples_hold_the_truth_as_often_as_they_say_and_the_bootstrap_does_not() -> None:
    samples = [population(10, 40, seed) for seed in range(120)]
    areas = np.array([pq_curve(held, rng()).area for held in samples])
    truth = areas.mean()
    halves = [replicates(held, rng(), draws=30).mean(axis=1) for held in samples]
    bands = [band(area, half) for area, half in zip(areas, halves, strict=True)]
    assert 0.9 <= np.mean([spread.low <= truth <= spread.high for spread in bands]) <= 1
    assert 1 < np.mean([spread.stderr for spread in bands]) / areas.std(ddof=1) < 1.3
    drawn = [resampled(held, rng(), 30) for held in samples[:40]]
    assert np.mean(drawn) > truth + areas.std(ddof=1)
    low, high = np.quantile(drawn, [0.025, 0.975], axis=1)
    assert np.mean((low <= truth) & (truth <= high)) < 0.75
