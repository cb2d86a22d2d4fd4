"""A model beside everybody, of whom a few were asked about each statement."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from probsense.agreement.pooled.respondent import (
    agreement_of_everybody,
    agreement_with_majority,
    correlation_with_shares,
)
from probsense.agreement.pooled.shares import CELLS, Shares, Spread
from probsense.agreement.truth import FEWEST

NOBODY = Spread(1, 1, 1)


def asked(rng: np.random.Generator, statements: int, raters: int) -> tuple[NDArray[np.float64], Shares]:
    """Draw shares evenly, ask about each statement, and return the exact posterior."""
    truth = rng.random(statements)
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
        correlations.append(correlation_with_shares(x, shares, counted).value)
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
        correlation = correlation_with_shares(truth + 0.4 * rng.normal(size=120), shares, counted)
        values.append((agreement.value, correlation.value))
        errors.append((math.sqrt(agreement.influence @ agreement.influence), correlation.stderr))
    np.testing.assert_allclose(np.mean(errors, axis=0), np.std(values, axis=0), rtol=0.2)


def test_everybody_agrees_with_most_as_often_as_most_are_many() -> None:
    truth, shares = asked(np.random.default_rng(3), 5000, 9)
    counted = np.arange(5000) % 3 > 0
    assert agreement_of_everybody(shares, counted) == pytest.approx(0.75, abs=0.01)
    assert agreement_of_everybody(shares, counted) == pytest.approx(
        np.maximum(truth, 1 - truth)[counted].mean(), abs=0.01
    )


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
    assert correlation_with_shares(noise, shares, counted) == correlation_with_shares(x, shares, counted)


def test_what_cannot_be_known_is_nan() -> None:
    _, shares = asked(np.random.default_rng(5), 30, 8)
    counted = np.ones(30, bool)
    few = np.where(np.arange(30) < FEWEST - 1, 1.0, np.nan)
    assert math.isnan(agreement_with_majority(few, shares, counted).value)
    assert math.isnan(correlation_with_shares(np.full(30, 0.3), shares, counted).value)
    assert math.isnan(correlation_with_shares(np.ones(30), shares, np.arange(30) < 3).value)


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
