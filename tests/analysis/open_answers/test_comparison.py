"""The same number of answers of each party, drawn one by one or from their counts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import hypergeom

from probsense.analysis.open_answers import comparison
from probsense.analysis.open_answers.comparison import draw_parts, draw_times, instances


def rarefied(counts, answers, draws, rng):
    (part,) = draw_parts(instances(counts), (answers,), draws, None, len(counts), rng)
    return part


@pytest.fixture(params=["single answers", "counts"])
def how(request, monkeypatch):
    """Draw single answers, or from their counts."""
    if request.param == "counts":
        monkeypatch.setattr(comparison, "SINGLE", 0)
    return request.param


@given(st.integers(0, 10**6), st.lists(st.integers(0, 4), min_size=1, max_size=5).filter(any))
def test_parts_have_their_size_and_no_more_of_a_string_than_there_are(how, seed, numbers):
    counts = np.array(numbers)
    answers = 1 + seed % counts.sum()
    found = rarefied(counts, answers, 5, np.random.default_rng(seed))
    np.testing.assert_allclose(found.sum(axis=1), answers)
    assert (found <= counts + 1e-9).all()


def test_parts_are_hypergeometric(how):
    found = rarefied(np.array([3, 7, 2]), 5, 20000, np.random.default_rng(0))
    for times in range(4):
        share = (np.rint(found[:, 0]) == times).mean()
        assert abs(share - hypergeom.pmf(times, 12, 3, 5)) < 0.012


def test_weights_count_and_none_at_all_is_one_for_each():
    times = np.array([[3.0, 1, 0], [9, 0, 0]])
    for seed in range(20):
        (part,) = draw_parts(np.array([0, 1, 1]), (2,), 2, times, 2, np.random.default_rng(seed))
        assert part[0].tolist() in ([1.5, 0.5], [2, 0], [0, 2])
        assert part[1].tolist() in ([2, 0], [0, 2])


def test_counts_and_single_answers_have_the_same_moments(monkeypatch):
    """With the times of answers drawn once for several parts, as in the replicates of a comparison."""
    given_, draws, repeats = instances(np.array([30, 8, 0, 2])), 3000, 2
    found = []
    for single in (10**6, 0):
        monkeypatch.setattr(comparison, "SINGLE", single)
        rng = np.random.default_rng(5)
        times = np.repeat(draw_times(given_, draws, rng), repeats, axis=0)
        parts = draw_parts(given_, (20, 6), draws * repeats, times, 4, rng)
        half, rest = (part.reshape(draws, repeats, 4) for part in parts)
        moments = [one for part in (half, rest) for one in (part.mean(axis=(0, 1)), part.std(axis=(0, 1)))]
        together = [np.cov(half[:, 0, 0], one)[0, 1] for one in (half[:, 1, 0], rest[:, 0, 0])]
        found.append(np.concatenate([*moments, together]))
    np.testing.assert_allclose(*found, atol=0.12)


def test_a_million_answers_take_no_more_memory_than_their_strings():
    given_ = instances(np.array([900_000, 99_990, 10]))
    times = draw_times(given_, 50, np.random.default_rng(0))
    half, rest = draw_parts(given_, (500_000, 25), 50, times, 4, np.random.default_rng(1))
    assert (half.shape, rest.shape) == ((50, 4), (50, 4))
    np.testing.assert_allclose(half.mean(axis=0) / 500_000, [0.9, 0.09999, 0.00001, 0], atol=0.002)
