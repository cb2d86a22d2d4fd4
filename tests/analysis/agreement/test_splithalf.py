"""Split halves, against one half after the other; the noise ceiling."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from probsense.analysis.agreement import splithalf
from probsense.analysis.agreement.people import People
from probsense.analysis.agreement.splithalf import (
    ceiling_interval,
    half_drawn,
    halves_interval,
    halves_without_some,
    noise_ceiling,
    published_split_half,
    spearman_brown,
    split_half_bootstrap,
)
from probsense.analysis.agreement.statements import statement_scores
from probsense.analysis.inference.quantiles import t_quantile
from probsense.analysis.inference.resampling import Replicates


def wide(people: People, values: NDArray[np.float64]) -> NDArray[np.float64]:
    table = np.full((people.statements, people.people), np.nan)
    table[people.statement, people.person] = values
    return table


def mean(table: NDArray[np.float64], empty: float) -> NDArray[np.float64]:
    return np.array([np.nanmean(row) if (~np.isnan(row)).any() else empty for row in table])


def scores(people: People, side: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Common sense of all statements, by the people of one side."""
    return statement_scores(people.where(side[people.person]), minimum=1).commonsensicality


def r(one: NDArray[np.float64], other: NDArray[np.float64], times: NDArray[np.int64] | None = None) -> float:
    """The correlation over statements that both know, each as often as it is drawn."""
    known = (~np.isnan(one + other)).astype(int) * (1 if times is None else times)
    return float(np.corrcoef(np.repeat(one, known), np.repeat(other, known))[0, 1])


def loop(people: People, seed: int, draws: int) -> list[float]:
    """As published."""
    q1, q2, n = wide(people, people.q1), wide(people, people.q2), people.people
    rng = np.random.RandomState(seed)
    found = []
    for _ in range(draws):
        one = rng.choice(n, n // 2, replace=False)
        halves = []
        for half in (one, np.setdiff1d(np.arange(n), one)):
            p, q = mean(q1[:, half], 0.5), mean(q2[:, half], 0.5)
            halves.append(np.sqrt(2 * np.abs(p - 0.5) * np.where(p >= 0.5, q, 1 - q)))
        found.append(np.corrcoef(*halves)[0, 1])
    return found


def test_published_splits_are_those_of_a_loop(people: People, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = loop(people, 100, 30)
    np.testing.assert_allclose(published_split_half(people, draws=30), expected, atol=1e-12)
    monkeypatch.setattr(splithalf, "REPLICATE_CELLS", 7 * people.statements)
    np.testing.assert_allclose(published_split_half(people, draws=30), expected, atol=1e-12)


def test_splits_leave_out_statements_that_a_half_did_not_rate(people: People) -> None:
    found = split_half_bootstrap(people, np.random.default_rng(3), splits=20, draws=2, minimum=4)
    rng = np.random.default_rng(3)
    counted = ~np.isnan(statement_scores(people, minimum=4).consensus)
    expected = []
    for _ in range(20):
        one = np.isin(np.arange(people.people), rng.permutation(people.people)[: people.people // 2])
        expected.append(r(scores(people, one), scores(people, ~one), counted.astype(int)))
    assert found.value == pytest.approx(np.mean(expected), abs=1e-12)


def test_the_bootstrap_draws_statements_and_keeps_the_halves(people: People) -> None:
    found = split_half_bootstrap(people, np.random.default_rng(3), splits=5, draws=8)
    rng = np.random.default_rng(3)
    counted = ~np.isnan(statement_scores(people).consensus)
    halves = []
    for _ in range(5):
        one = np.isin(np.arange(people.people), rng.permutation(people.people)[: people.people // 2])
        halves.append((scores(people, one), scores(people, ~one)))
    n = people.statements
    times = rng.multinomial(n, np.full(n, 1 / n), size=8) * counted
    assert found.value == pytest.approx(
        np.mean([r(*pair, counted.astype(int)) for pair in halves]), abs=1e-12
    )
    expected = [np.mean([r(*pair, row) for pair in halves]) for row in times]
    assert found.draws == pytest.approx(expected, abs=1e-12)


def test_the_published_correlation_leaves_room_up_to_a_higher_ceiling() -> None:
    assert spearman_brown(np.array(0.6)) == pytest.approx(0.75, abs=1e-12)
    assert noise_ceiling(np.array(0.6)) == pytest.approx(math.sqrt(0.75), abs=1e-12)
    assert np.isnan(noise_ceiling(np.array([-0.1, 0.0]))).all()


def test_the_interval_of_the_ceiling_adds_the_chance_in_a_correlation() -> None:
    draws = np.array([0.7, 0.8, 0.9])
    found = ceiling_interval(Replicates(np.array(0.8), draws), 28)
    error = math.sqrt((0.1 / 0.36) ** 2 + 1 / 25)
    assert found.stderr == pytest.approx(0.36 * error, abs=1e-12)
    ends = [math.tanh(math.atanh(0.8) + sign * 1.959963984540054 * error) for sign in (-1, 1)]
    assert [float(found.low), float(found.high)] == pytest.approx(ends, abs=1e-12)
    for value, statements in ((1.0, 28), (0.8, 3), (math.nan, 28)):
        unknown = ceiling_interval(Replicates(np.array(value), draws), statements)
        assert np.isnan([unknown.stderr, unknown.low, unknown.high]).all()
        assert float(unknown.value) == pytest.approx(value, nan_ok=True)


def test_the_reliability_of_all_is_what_a_second_set_of_people_shows() -> None:
    """Spearman–Brown from halves of one set, against the correlation with another set as large."""
    rng = np.random.default_rng(11)
    statements, persons = 400, 40
    leaning = rng.random(statements)

    def asked() -> People:
        statement, person = (index.ravel() for index in np.indices((statements, persons)))
        q1, q2 = (rng.random((2, len(statement))) < leaning[statement]).astype(float)
        return People(statement, person, q1, q2, statements, persons)

    one, other = asked(), asked()
    halves = split_half_bootstrap(one, rng, splits=50, draws=2).value
    again = np.corrcoef(*(statement_scores(set_).commonsensicality for set_ in (one, other)))[0, 1]
    assert spearman_brown(halves) == pytest.approx(again, abs=0.03)


def test_halves_without_a_group_of_people_are_those_of_the_others(people: People) -> None:
    found = halves_without_some(people, np.random.default_rng(4), splits=6, groups=3, minimum=1)
    rng = np.random.default_rng(4)
    half = half_drawn(people.people, rng, 6).astype(bool)
    group = rng.permutation(people.people) % 3
    for left_out, value in enumerate(found):
        kept = group != left_out
        expected = [r(scores(people, split & kept), scores(people, ~split & kept)) for split in half.T]
        assert value == pytest.approx(np.mean(expected), abs=1e-12)


def test_the_larger_error_makes_the_interval_of_halves() -> None:
    halves = Replicates(np.array(0.6), np.array([0.5, 0.6, 0.7]))  # an error of .1
    # Their jackknife errors, of three groups left out, are √(2/3 · .0002) and √(2/3 · .08).
    small, large = np.array([0.59, 0.6, 0.61]), np.array([0.4, 0.6, 0.8])
    for without, error in ((small, 0.1), (large, math.sqrt(0.16 / 3))):
        found = halves_interval(halves, without, 12)
        assert float(found.stderr) == pytest.approx(error)
        half = t_quantile(11, 0.95) * error
        assert (float(found.low), float(found.high)) == pytest.approx((0.6 - half, 0.6 + half))
    assert np.isnan(halves_interval(halves, np.array([0.5, np.nan]), 12).low)
