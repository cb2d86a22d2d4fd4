"""Calibration pooled over options, and the correlation of entropies."""

from __future__ import annotations

import numpy as np
import pytest

from probsense.analysis.distributions.calibration import bin_of
from probsense.analysis.human_choices.calibration import calibration, entropy_correlation
from probsense.analysis.human_choices.distributions import distributions
from support.choices import padded


def test_each_question_counts_as_one_and_padding_not_at_all() -> None:
    counts = padded([[3, 1], [2, 2, 4], [1, 1]])
    shares = padded([[0.95, 0.05], [0.15, 0.25, 0.6], [np.nan, np.nan]])
    found = calibration(distributions(counts, shares))
    weight, forecast, share = np.zeros((3, 10))
    for p, q in zip(counts[:2], shares[:2], strict=True):
        there = ~np.isnan(p)
        for x, y in zip(p[there] / p[there].sum(), q[there], strict=True):
            b = bin_of(np.array([y]))[0]
            weight[b] += 1 / there.sum()
            forecast[b] += y / there.sum()
            share[b] += x / there.sum()
    used = weight > 0
    assert found.statements == pytest.approx(weight)
    assert found.forecast[used] == pytest.approx(forecast[used] / weight[used])
    assert found.share[used] == pytest.approx(share[used] / weight[used])
    assert found.gap.mean() == pytest.approx(np.abs(share - forecast).sum() / 2)


def test_a_model_that_knows_everybody_s_shares_is_calibrated() -> None:
    rng = np.random.default_rng(1)
    pi = rng.dirichlet(np.full(4, 0.7), 6000)
    found = calibration(distributions(rng.multinomial(8, pi).astype(float), pi))
    assert found.share == pytest.approx(found.forecast, abs=0.02)
    assert (found.low <= found.forecast).mean() >= 0.8
    sure = pi**2 / (pi**2).sum(axis=1, keepdims=True)
    assert calibration(distributions(pi, sure, people=np.full(6000, np.nan))).gap.mean() > 0.05


def test_entropies_that_rise_together_are_correlated() -> None:
    counts = padded([[8, 0], [7, 1], [5, 3], [4, 4]])
    model = padded([[0.99, 0.01], [0.9, 0.1], [0.8, 0.2], [0.5, 0.5]])
    assert entropy_correlation(distributions(counts, model)).value == pytest.approx(1)
    assert entropy_correlation(distributions(counts, model[::-1])).value == pytest.approx(-1)
    assert np.isnan(entropy_correlation(distributions(counts, np.full((4, 2), 0.5))).value)
