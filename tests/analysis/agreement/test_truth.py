"""Scores against the majority of everybody, on made-up statements whose true majority is known."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binom

from probsense.analysis.agreement.people import majority, match
from probsense.analysis.agreement.truth import FEWEST, corrected_score, individual_ceiling

RATERS = 19.0
Floats = NDArray[np.float64]


def world(
    rng: np.random.Generator, n: int, shape: tuple[float, float], right: Callable[[Floats], Floats]
) -> tuple[Floats, Floats, Floats, Floats]:
    """The share of "yes" of everybody, the raters and their yes of each statement, and a rater's answers."""
    share = rng.beta(*shape, n)
    raters = np.full(n, RATERS)
    knows = rng.random(n) < right(np.abs(2 * share - 1))
    answers = np.where(knows, share > 0.5, share < 0.5).astype(np.float64)
    return share, raters, rng.binomial(raters.astype(np.int64), share).astype(np.float64), answers


@pytest.mark.parametrize("shape", [(2.0, 2.0), pytest.param((1.5, 1.0), marks=pytest.mark.slow)])
def test_a_true_825_comes_out_on_average_and_so_does_the_ceiling(shape: tuple[float, float]) -> None:
    rng = np.random.default_rng(7)
    found, observed, ceilings, best = [], [], [], []
    for _ in range(12):
        share, raters, yes, answers = world(rng, 3000, shape, lambda d: np.full_like(d, 0.825))
        key = majority(yes / raters)
        ceiling = individual_ceiling(yes, raters)
        ceilings.append(ceiling.value)
        best.append(match(majority(share), key).mean())
        observed.append(match(answers, key).mean())
        found.append(corrected_score(answers, yes, raters, ceiling).value)
    assert np.mean(found) == pytest.approx(0.825, abs=0.005)
    assert np.mean(ceilings) == pytest.approx(np.mean(best), abs=0.007)
    assert np.mean(observed) < 0.775


def test_who_knows_the_obvious_better_is_not_overcorrected() -> None:
    rng = np.random.default_rng(8)
    found, true, simple = [], [], []
    for _ in range(12):
        share, raters, yes, answers = world(rng, 3000, (2.0, 2.0), lambda d: 0.6 + 0.35 * d)
        ceiling = individual_ceiling(yes, raters)
        found.append(corrected_score(answers, yes, raters, ceiling).value)
        true.append((answers == majority(share)).mean())
        observed = match(answers, majority(yes / raters)).mean()
        simple.append(0.5 + (observed - 0.5) / (2 * ceiling.value - 1))
    assert np.mean(found) == pytest.approx(np.mean(true), abs=0.006)
    assert np.mean(simple) > np.mean(true) + 0.02


def test_the_error_is_the_spread_over_studies() -> None:
    rng = np.random.default_rng(9)
    values, errors = [], []
    for _ in range(80):
        _, raters, yes, answers = world(rng, 200, (1.5, 1.0), lambda d: np.full_like(d, 0.8))
        ceiling = individual_ceiling(yes, raters)
        score = corrected_score(answers, yes, raters, ceiling)
        values.append((ceiling.value, score.value))
        errors.append([math.sqrt(part.influence @ part.influence) for part in (ceiling, score)])
    np.testing.assert_allclose(np.mean(errors, axis=0), np.std(values, axis=0), rtol=0.25)


def test_the_ceiling_is_what_the_true_majority_agrees_with_few_raters() -> None:
    """With nobody in between, the distribution of margins is a point, and the ceiling is a binomial tail."""
    rng = np.random.default_rng(3)
    raters = np.repeat([5.0, 8.0], 4000)
    yes = rng.binomial(raters.astype(np.int64), 0.75).astype(np.float64)
    odd = binom.sf(2, 5, 0.75)
    even = binom.sf(4, 8, 0.75) + binom.pmf(4, 8, 0.75) / 2
    assert individual_ceiling(yes, raters).value == pytest.approx((odd + even) / 2, abs=0.02)


def test_ties_score_half_and_few_answers_nothing() -> None:
    rng = np.random.default_rng(4)
    _, raters, yes, answers = world(rng, 300, (2.0, 2.0), lambda d: np.full_like(d, 0.9))
    ceiling = individual_ceiling(yes, raters)
    whole = corrected_score(answers, yes, raters, ceiling)
    more = np.concatenate([answers, np.full(300, 0.5)])
    twice = [np.concatenate([x, x]) for x in (yes, raters)]
    doubled = ceiling._replace(influences=np.concatenate([ceiling.influences] * 2))
    assert corrected_score(more, *twice, doubled).value == pytest.approx((whole.value + 0.5) / 2, abs=1e-6)
    few = np.full(300, np.nan)
    few[: FEWEST - 1] = 1
    assert math.isnan(corrected_score(few, yes, raters, ceiling).value)
