"""Draws with replacement: what they add up to, and the random streams on which published figures depend."""

from __future__ import annotations

import numpy as np
import pytest

from probsense.stats.resampling import batches, index_times_drawn, redrawn_counts, times_drawn


@pytest.mark.parametrize("draw", [times_drawn, index_times_drawn])
def test_each_draw_has_as_many_as_there_are(draw) -> None:
    times = draw(np.random.default_rng(1), 20, 500)
    assert (times.sum(axis=1) == 20).all()
    assert times.var() == pytest.approx(1 - 1 / 20, abs=0.05)


def test_the_streams_are_those_of_published_figures() -> None:
    counts = np.array([5, 0, 3])
    expected = np.random.default_rng(2).multinomial(8, [5 / 8, 0, 3 / 8], size=4)
    np.testing.assert_array_equal(redrawn_counts(np.random.default_rng(2), counts, 4), expected)
    expected = np.random.default_rng(2).multinomial(7, np.full(7, 1 / 7), size=4)
    np.testing.assert_array_equal(times_drawn(np.random.default_rng(2), 7, 4), expected)
    indices = np.random.default_rng(2).integers(7, size=(4, 7))
    expected = [np.bincount(row, minlength=7) for row in indices]
    np.testing.assert_array_equal(index_times_drawn(np.random.default_rng(2), 7, 4), expected)


def test_batches_hold_what_fits_and_at_least_one_draw() -> None:
    assert list(batches(10, 5, 22)) == [4, 4, 2]
    assert list(batches(3, 50, 22)) == [1, 1, 1]
    assert list(batches(0, 5, 22)) == []
