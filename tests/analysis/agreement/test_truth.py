"""Scores against the majority of everybody, on made-up statements whose true majority is known."""

import math

import numpy as np
import pytest
from scipy.stats import binom

from probsense.analysis.agreement.people import majority, match
from probsense.analysis.agreement.truth import FEWEST, corrected_score, individual_ceiling

RATERS = 19.0


def world(rng, n, shape, right, people=RATERS):
    """The share of "yes" of everybody, the raters and their yes of each statement, and a rater's answers."""
    share = rng.beta(*shape, n)
    raters = np.full(n, people)
    knows = rng.random(n) < right(np.abs(2 * share - 1))
    answers = np.where(knows, share > 0.5, share < 0.5).astype(np.float64)
    return share, raters, rng.binomial(raters.astype(np.int64), share).astype(np.float64), answers


@pytest.mark.parametrize(("chance", "obvious"), [(0.825, 0), (0.6, 0.35)])
def test_true_scores_and_the_ceiling_come_out_on_average(chance, obvious):
    """Also those of who knows the obvious better."""
    rng = np.random.default_rng(7)
    rows = []
    for _ in range(8):
        share, raters, yes, answers = world(rng, 3000, (2, 2), lambda d: chance + obvious * d)
        ceiling, key = individual_ceiling(yes, raters), majority(share)
        found, best = corrected_score(answers, yes, raters, ceiling).value, match(key, majority(yes / raters))
        rows.append((found, (answers == key).mean(), ceiling.value, best.mean()))
    found, true, ceiling, best = np.mean(rows, axis=0)
    assert found == pytest.approx(true, abs=0.015)
    assert ceiling == pytest.approx(best, abs=0.007)


def test_influences_are_what_leaving_a_statement_out_does():
    _, _, yes, answers = world(np.random.default_rng(9), 40, (1.5, 1.0), lambda d: np.full_like(d, 0.8), 5)

    def both(kept):
        own, five = yes[kept], np.full(len(kept), 5.0)
        ceiling = individual_ceiling(own, five)
        return ceiling, corrected_score(answers[kept], own, five, ceiling)

    whole = both(np.arange(40))
    without = np.array([[part.value for part in both(np.delete(np.arange(40), i))] for i in range(40)])
    for part, moved in zip(whole, (without.mean(axis=0) - without).T, strict=True):
        assert np.corrcoef(part.influence, moved)[0, 1] > 0.99
        assert np.linalg.norm(moved) == pytest.approx(np.linalg.norm(part.influence), rel=0.15)


def test_the_ceiling_is_what_the_true_majority_agrees_with_few_raters():
    """With nobody in between, the distribution of margins is a point, and the ceiling is a binomial tail."""
    rng = np.random.default_rng(3)
    raters = np.repeat([5.0, 8.0], 4000)
    yes = rng.binomial(raters.astype(np.int64), 0.75).astype(np.float64)
    odd = binom.sf(2, 5, 0.75)
    even = binom.sf(4, 8, 0.75) + binom.pmf(4, 8, 0.75) / 2
    assert individual_ceiling(yes, raters).value == pytest.approx((odd + even) / 2, abs=0.02)


def test_ties_score_half_and_few_answers_nothing():
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
