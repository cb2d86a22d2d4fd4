"""Split halves, against one half after the other; the noise ceiling."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from probsense.analysis.agreement import splithalf, statements
from probsense.analysis.agreement.people import People
from probsense.analysis.agreement.splithalf import (
    ceiling_interval,
    noise_ceiling,
    published_split_half,
    split_half_bootstrap,
)
from probsense.analysis.agreement.statements import statement_scores
from probsense.analysis.inference.resampling import Replicates


def wide(people: People, values: NDArray[np.float64]) -> NDArray[np.float64]:
    table = np.full((people.statements, people.people), np.nan)
    table[people.statement, people.person] = values
    return table


def mean(table: NDArray[np.float64], empty: float) -> NDArray[np.float64]:
    return np.array([np.nanmean(row) if (~np.isnan(row)).any() else empty for row in table])


def scores(people: People, side: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Common sense of all statements, by the people of one side."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(statements, "MINIMUM_RATERS", 1)
        return statement_scores(people.where(side[people.person])).commonsensicality


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


def test_the_bootstrap_draws_statements_that_enough_rated_and_keeps_the_halves(
    people: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(statements, "MINIMUM_RATERS", 4)
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
    assert noise_ceiling(np.array(0.6)) == pytest.approx(math.sqrt(0.75), abs=1e-12)
    assert np.isnan(noise_ceiling(np.array([-0.1, 0.0]))).all()


def test_the_interval_of_the_ceiling_adds_the_chance_in_a_correlation() -> None:
    draws = np.array([0.7, 0.8, 0.9])
    found = ceiling_interval(Replicates(np.array(0.8), draws), 28)
    error = math.sqrt((0.1 / 0.36) ** 2 + 1 / 25)
    assert found.stderr == pytest.approx(0.36 * error, abs=1e-12)
    ends = [math.tanh(math.atanh(0.8) + sign * 1.959963984540054 * error) for sign in (-1, 1)]
    assert [float(found.low), float(found.high)] == pytest.approx(ends, abs=1e-12)
    for value, count in ((1.0, 28), (0.8, 3), (math.nan, 28)):
        unknown = ceiling_interval(Replicates(np.array(value), draws), count)
        assert np.isnan([unknown.stderr, unknown.low, unknown.high]).all()
        assert float(unknown.value) == pytest.approx(value, nan_ok=True)
