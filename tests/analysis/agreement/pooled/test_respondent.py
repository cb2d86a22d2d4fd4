"""A model beside everybody, of whom a few were asked about each statement."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import multivariate_normal, norm

from probsense.analysis.agreement.pooled.model import CELLS, Shares, Spread
from probsense.analysis.agreement.pooled.respondent import (
    TOGETHER,
    Known,
    agreement_with_majority,
    commonsensicality_of_everybody,
    correlation_with_everybody,
    reliability,
)
from probsense.analysis.agreement.truth import FEWEST

NOBODY = Spread(1, 1, 1)


def known(shares: Shares) -> Known:
    """Take what is known of shares."""
    return Known(shares.mean, shares.variance)


def asked(
    rng: np.random.Generator, statements: int, raters: int, like: NDArray[np.float64] | None = None
) -> tuple[NDArray[np.float64], Shares]:
    """Draw shares evenly, perhaps such as are like others, ask about each statement, and return the exact posterior."""
    truth = rng.random(statements)
    if like is not None:
        truth = norm.cdf(0.95 * norm.ppf(like) + math.sqrt(1 - 0.95**2) * norm.ppf(truth))
    yes = rng.binomial(raters, truth)
    p = (np.arange(CELLS) + 0.5) / CELLS
    mass = p ** yes[:, None] * (1 - p) ** (raters - yes[:, None])
    return truth, Shares(mass / mass.sum(axis=1, keepdims=True), NOBODY, NOBODY)


def test_few_raters_neither_lower_the_agreement_nor_the_correlation() -> None:
    rng = np.random.default_rng(1)
    agreements, correlations, true, observed = [], [], [], []
    for _ in range(10):
        truth, shares = asked(rng, 2000, 6)
        counted = np.ones(2000, bool)
        right = rng.random(2000) < 0.8
        answers = np.where(right, truth > 0.5, truth < 0.5).astype(np.float64)
        x = 0.5 * truth + 0.2 * rng.random(2000)
        agreements.append(agreement_with_majority(answers, shares, counted).value)
        correlations.append(correlation_with_everybody(x, known(shares), counted).value)
        true.append(np.corrcoef(x, truth)[0, 1])
        observed.append(np.corrcoef(x, shares.mean)[0, 1])
    assert np.mean(agreements) == pytest.approx(0.8, abs=0.01)
    assert np.mean(correlations) == pytest.approx(np.mean(true), abs=0.005)
    assert np.mean(observed) < np.mean(true) - 0.05


def test_errors_are_the_spread_over_studies() -> None:
    rng = np.random.default_rng(2)
    values, errors = [], []
    for _ in range(120):
        truth, shares = asked(rng, 120, 8)
        counted = np.ones(120, bool)
        right = rng.random(120) < 0.8
        answers = np.where(right, truth > 0.5, truth < 0.5).astype(np.float64)
        agreement = agreement_with_majority(answers, shares, counted)
        correlation = correlation_with_everybody(truth + 0.4 * rng.normal(size=120), known(shares), counted)
        values.append((agreement.value, correlation.value))
        errors.append((math.sqrt(agreement.influence @ agreement.influence), correlation.stderr))
    np.testing.assert_allclose(np.mean(errors, axis=0), np.std(values, axis=0), rtol=0.2)


def test_what_is_known_of_common_sense_is_its_mean_and_variance_over_both_shares() -> None:
    rng = np.random.default_rng(3)
    truth, first = asked(rng, 12, 7)
    _, second = asked(rng, 12, 5, truth)
    found = commonsensicality_of_everybody(first, second)
    at = (np.arange(CELLS) + 0.5) / CELLS
    p, q = at[:, None], at
    values = np.sqrt(np.abs(2 * p - 1) * np.where(p > 0.5, q, 1 - q))
    x, y = (
        norm.ppf(np.clip(mass.cumsum() - mass / 2, 1e-6, 1 - 1e-6))
        for mass in (first.mass.mean(axis=0), second.mass.mean(axis=0))
    )
    pairs = np.stack(np.broadcast_arrays(x[:, None], y), axis=-1)
    alone = norm.pdf(x)[:, None] * norm.pdf(y)
    chances = np.empty((len(TOGETHER), 12))
    moments = np.empty((2, *chances.shape))
    for k, rho in enumerate(TOGETHER):
        density = multivariate_normal([0, 0], [[1, rho], [rho, 1]]).pdf(pairs) / alone
        for i in range(12):
            weight = np.outer(first.mass[i], second.mass[i]) * density
            chances[k, i] = weight.sum()
            moments[:, k, i] = (
                (weight * values).sum() / weight.sum(),
                (weight * values**2).sum() / weight.sum(),
            )
    likelihood = chances.prod(axis=1)
    mean, square = np.tensordot(likelihood / likelihood.sum(), moments, (0, 1))
    np.testing.assert_allclose(found.mean, mean, atol=1e-9)
    np.testing.assert_allclose(found.variance, square - mean**2, atol=1e-9)


def test_answers_to_one_question_tell_of_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is expected of a value varies as much as it varies with the value: it is a posterior mean."""
    rng = np.random.default_rng(5)
    truth, first = asked(rng, 1500, 6)
    too, second = asked(rng, 1500, 6, truth)
    value = np.sqrt(np.abs(2 * truth - 1) * np.where(truth > 0.5, too, 1 - too))

    def slope() -> float:
        mean = commonsensicality_of_everybody(first, second).mean
        return float(np.cov(mean, value)[0, 1] / mean.var())

    assert slope() == pytest.approx(1, abs=0.04)
    monkeypatch.setattr("probsense.analysis.agreement.pooled.respondent.TOGETHER", np.zeros(1))
    assert slope() > 1.06


def test_reliability_is_the_correlation_of_two_groups_of_people() -> None:
    rng = np.random.default_rng(7)
    truth = rng.random(6000)
    at = (np.arange(CELLS) + 0.5) / CELLS
    groups = []
    for _ in range(2):
        yes = rng.binomial(6, truth)
        mass = at ** yes[:, None] * (1 - at) ** (6 - yes[:, None])
        groups.append(known(Shares(mass / mass.sum(axis=1, keepdims=True), NOBODY, NOBODY)))
    found = reliability(groups[0], np.ones(6000, bool))
    assert found.value == pytest.approx(np.corrcoef(groups[0].mean, groups[1].mean)[0, 1], abs=0.02)
    assert found.low < found.value < found.high
    assert math.isnan(reliability(groups[0], np.arange(6000) < 3).value)


def test_statements_that_do_not_count_change_nothing() -> None:
    rng = np.random.default_rng(4)
    truth, shares = asked(rng, 60, 8)
    counted = np.arange(60) < 45
    answers, x = (truth > 0.5).astype(np.float64), truth
    other, noise = np.where(counted, answers, 1 - answers), np.where(counted, x, np.nan)
    assert (
        agreement_with_majority(other, shares, counted).value
        == agreement_with_majority(answers, shares, counted).value
    )
    assert correlation_with_everybody(noise, known(shares), counted) == correlation_with_everybody(
        x, known(shares), counted
    )


def test_what_cannot_be_known_is_nan() -> None:
    _, shares = asked(np.random.default_rng(5), 30, 8)
    counted = np.ones(30, bool)
    few = np.where(np.arange(30) < FEWEST - 1, 1.0, np.nan)
    assert math.isnan(agreement_with_majority(few, shares, counted).value)
    assert math.isnan(correlation_with_everybody(np.full(30, 0.3), known(shares), counted).value)
    assert math.isnan(correlation_with_everybody(np.ones(30), known(shares), np.arange(30) < 3).value)


def test_turned_answers_agree_as_much_as_they_disagreed() -> None:
    rng = np.random.default_rng(6)
    truth, shares = asked(rng, 200, 8)
    counted = np.ones(200, bool)
    answers = np.where(rng.random(200) < 0.7, truth > 0.5, truth < 0.5).astype(np.float64)
    turned = Shares(shares.mass[:, ::-1], NOBODY, NOBODY)
    first = agreement_with_majority(answers, shares, counted)
    assert agreement_with_majority(1 - answers, turned, counted).value == pytest.approx(first.value, abs=1e-6)
    assert agreement_with_majority(1 - answers, shares, counted).value == pytest.approx(
        1 - first.value, abs=1e-4
    )
