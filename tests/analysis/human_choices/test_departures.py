"""Tests of single questions, against the enumeration of all answers, and under the null."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from scipy.stats import binomtest, fisher_exact, multinomial

from probsense.analysis.human_choices import departures as module
from probsense.analysis.human_choices.departures import departures, p_values
from probsense.analysis.human_choices.distributions import Distributions, distributions
from support.choices import padded, pairs


@given(pairs(most=7))
def test_the_exact_test_adds_up_all_answers_that_are_no_more_probable(pair: Distributions) -> None:
    found = p_values(pair)
    for i, there in enumerate(pair.exists):
        n, q = int(pair.people[i]), pair.q[i, there]
        counts = np.round(pair.p[i, there] * n)
        ways = [way for way in itertools.product(range(n + 1), repeat=int(there.sum())) if sum(way) == n]
        chance = multinomial.pmf(ways, n, q)
        own = multinomial.pmf(counts, n, q)
        assert found[i] == pytest.approx(chance[chance <= own * (1 + 1e-9)].sum(), abs=1e-9)


def test_many_people_have_a_test_of_each_option() -> None:
    counts, q = np.array([40.0, 50, 60, 30]), np.array([0.3, 0.3, 0.3, 0.1])
    pair = distributions(counts[None], q[None])
    tails = [
        2 * min(binomtest(int(k), 180, x, alternative=side).pvalue for side in ("less", "greater"))
        for k, x in zip(counts, q, strict=True)
    ]
    assert p_values(pair)[0] == pytest.approx(min(1, 4 * min(1, *tails)))


def test_a_model_of_few_texts_has_fisher_s_test() -> None:
    pair = distributions(np.array([[10.0, 2, 3]]), np.array([[0.25, 0.5, 0.25]]), answers=8)
    tails = [
        2 * min(fisher_exact([[a, 15 - a], [b, 8 - b]], side).pvalue for side in ("less", "greater"))
        for a, b in ((10, 2), (2, 4), (3, 2))
    ]
    assert p_values(pair)[0] == pytest.approx(min(1, 3 * min(1, *tails)))


def test_what_the_model_calls_impossible_is_found() -> None:
    pair = distributions(padded([[1, 7], [0, 8]]), padded([[0, 1], [0, 1]]))
    assert p_values(pair) == pytest.approx([0, 1])


@pytest.mark.parametrize("answers", [np.inf, 15])
@pytest.mark.parametrize("n", [8, 150])
def test_tests_keep_their_level(n: int, answers: float) -> None:
    rng = np.random.default_rng(1)
    pi = rng.dirichlet(np.ones(4), 3000)
    counts = rng.multinomial(n, pi).astype(float)
    q = pi if np.isinf(answers) else rng.multinomial(int(answers), pi) / answers
    found = departures(distributions(counts, q, answers=answers))
    assert (found.p < 0.05).mean() <= 0.06
    assert (found.adjusted < 0.05).sum() <= 2


def test_questions_that_depart_are_found_with_the_option_that_does() -> None:
    rng = np.random.default_rng(2)
    pi = rng.dirichlet(np.full(3, 3.0), 200)
    q = pi.copy()
    q[:20] = [0.02, 0.96, 0.02]
    found = departures(distributions(rng.multinomial(60, pi).astype(float), q))
    assert (found.adjusted[:20] < 0.05).mean() > 0.9
    assert (found.adjusted[20:] < 0.05).mean() < 0.02
    assert (found.option[:20] == 1).mean() > 0.8
    assert (found.difference[:20] > 0.3).mean() > 0.8


def test_unknown_answers_have_no_test() -> None:
    pair = distributions(
        padded([[4, 4], [0, 0], [0.5, 0.5]]),
        padded([[np.nan, np.nan], [0.5, 0.5], [0.5, 0.5]]),
    )
    found = departures(pair)
    assert np.isnan(found.p)[:2].all()
    assert np.isnan(found.difference)[:2].all()


def test_few_at_a_time_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    pair = distributions(
        rng.multinomial(9, np.full(3, 1 / 3), 50).astype(float), rng.dirichlet(np.ones(3), 50)
    )
    whole = p_values(pair)
    monkeypatch.setattr(module, "CELLS", 100)
    assert p_values(pair) == pytest.approx(whole)
