"""Distances between probabilities and people's shares, and what people's halves would give."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from probsense.analysis.agreement.distances import (
    DISTANCES,
    Distance,
    Normalised,
    Unrelated,
    between_halves,
    corrected_squared,
    from_half,
    normalised,
    squared,
    unrelated,
)
from probsense.analysis.distributions.halves import halves
from probsense.analysis.inference.quantiles import t_quantile

Floats = NDArray[np.float64]
PAIR = st.integers(2, 9).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
PAIRS = st.lists(PAIR, min_size=2, max_size=6)


def columns(pairs: list[tuple[int, int]]) -> tuple[Floats, Floats]:
    yes, asked = np.array(pairs, dtype=np.float64).T
    return yes, asked


def listed(yes: int, asked: int) -> list[tuple[float, float]]:
    """List the shares of both halves for every choice of the first one."""
    answers = np.arange(asked) < yes
    found = []
    for chosen in combinations(range(asked), asked // 2):
        first = np.isin(np.arange(asked), chosen)
        found.append((answers[first].mean(), answers[~first].mean()))
    return found


@given(PAIRS, st.floats(0, 1), st.sampled_from([*DISTANCES]))
def test_expectations_are_means_over_all_halves(pairs: list[tuple[int, int]], p: float, name: str) -> None:
    distance, (yes, asked) = DISTANCES[name], columns(pairs)
    ways = halves(yes, asked)
    model, between = from_half(distance, ways, np.full(len(yes), p)), between_halves(distance, ways)
    others = unrelated(distance, yes, asked)
    halved = [np.array(listed(*pair)) for pair in pairs]
    sizes = [np.full(len(own), float(n // 2)) for own, (_, n) in zip(halved, pairs, strict=True)]
    apart = np.empty((len(pairs), len(pairs)))
    for i, (own, size) in enumerate(zip(halved, sizes, strict=True)):
        assert model[i] == pytest.approx(distance(own[:, 0], size, np.full(len(own), p)).mean())
        assert between[i] == pytest.approx(distance(own[:, 0], size, own[:, 1]).mean())
        for k, other in enumerate(halved):
            apart[i, k] = distance(own[:, :1], size[:, None], other[:, 1]).mean()
    np.fill_diagonal(apart, np.nan)
    assert others.from_own == pytest.approx(np.nanmean(apart, axis=1), abs=1e-12)
    assert others.to_own == pytest.approx(np.nanmean(apart, axis=0), abs=1e-12)


@pytest.mark.parametrize("n", [2, 5, 19])
def test_a_model_that_gives_everybodys_share_has_no_corrected_distance_on_average(n: int) -> None:
    """The expectation over the binomial answers of n raters is exact, without any draw."""
    from scipy.stats import binom

    yes, asked = np.arange(n + 1.0), np.full(n + 1, float(n))
    for p in (0.0, 0.03, 0.4, 1.0):
        found = corrected_squared(yes, asked, np.full(n + 1, p)) @ binom.pmf(yes, n, p)
        assert found == pytest.approx(0, abs=1e-12)
        away = corrected_squared(yes, asked, np.full(n + 1, 0.5)) @ binom.pmf(yes, n, p)
        assert away == pytest.approx((p - 0.5) ** 2, abs=1e-12)


def score(distance: Distance, yes: Floats, asked: Floats, p: Floats) -> Normalised:
    ways = halves(yes, asked)
    return normalised(
        from_half(distance, ways, p), between_halves(distance, ways), unrelated(distance, yes, asked)
    )


def test_one_rater_has_no_halves_and_extreme_shares_are_finite() -> None:
    yes, asked = np.array([1.0, 0.0, 0.0, 4.0, 2.0]), np.array([1.0, 0.0, 4.0, 4.0, 4.0])
    for distance in DISTANCES.values():
        for p in (0.0, 1.0):
            own = np.full(5, p)
            found = from_half(distance, halves(yes, asked), own)
            assert np.isnan(found[:2]).all()
            assert np.isfinite(found[2:]).all()
            assert np.isnan(corrected_squared(yes, asked, own)[:2]).all()
        others = unrelated(distance, yes, asked)
        assert np.isnan(others.from_own[:2]).all()
        assert np.isfinite(others.from_own[2:]).all()
    alone = unrelated(squared, yes[:3], asked[:3])
    assert np.isnan(alone.from_own).all()


def test_halves_of_many_people_are_few_and_hardly_change_unrelated_ones() -> None:
    rng = np.random.default_rng(1)
    asked = rng.integers(400, 500, 12).astype(float)
    yes = np.floor(asked * rng.random(12))
    ways = halves(yes, asked)
    assert ways.weight.shape[1] < 150
    assert ways.mean(ways.first) == pytest.approx(yes / asked, abs=1e-9)
    share = yes / asked
    spread = (share * (1 - share) / (asked - 1))[:, None]
    # A half of m from n varies by s²(1/m − 1/n), where s² = n·x(1 − x)/(n − 1).
    variance = spread[:, 0] * (asked / np.floor(asked / 2) - 1)
    rest = spread[:, 0] * (asked / np.ceil(asked / 2) - 1)
    apart = (share[:, None] - share) ** 2 + variance[:, None] + rest
    np.fill_diagonal(apart, np.nan)
    assert unrelated(squared, yes, asked).from_own == pytest.approx(
        np.nanmean(apart, axis=1), abs=5e-4
    )  # steps of a thousandth


def test_the_scale_goes_from_peoples_other_half_to_people_about_another_statement() -> None:
    yes, asked = np.array([0.0, 4.0, 8.0, 7.0, 2.0]), np.full(5, 8.0)
    ways = halves(yes, asked)
    between, others = between_halves(squared, ways), unrelated(squared, yes, asked)
    assert normalised(between, between, others).value == pytest.approx(0)
    assert normalised(others.from_own, between, others).value == pytest.approx(1)
    assert np.isnan(normalised(between, others.from_own, Unrelated(between, between)).value)
    assert np.isnan(normalised(between[:1], between[:1], Unrelated(*(x[:1] for x in others))).stderr)


@pytest.mark.parametrize("noise", [0.1, pytest.param(0.5, marks=pytest.mark.slow)])
def test_intervals_of_normalised_scores_hold_the_truth(noise: float) -> None:
    """About 95 of 100 studies of sixty statements with nine raters: 400 studies, so the count's error is 1.1 %."""
    rng = np.random.default_rng(2)

    def study(statements: int) -> Normalised:
        p = rng.beta(1.5, 1, statements)
        model = np.clip(p + noise * rng.standard_normal(statements), 0, 1)
        return score(squared, rng.binomial(9, p).astype(float), np.full(statements, 9.0), model)

    truth = study(100_000).value
    found = np.array([study(60)[:2] for _ in range(400)])
    held = np.abs(found[:, 0] - truth) <= t_quantile(59, 0.95) * found[:, 1]
    assert 0.92 <= held.mean() <= 0.98
