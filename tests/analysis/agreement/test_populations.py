"""Models as populations: scores of statements, and how near they come to people's."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import pearsonr

from probsense.analysis.agreement.populations import fit, population_scores, published_population_scores

Pair = tuple[NDArray[np.float64], NDArray[np.float64]]


def test_scores_are_those_of_a_loop(p: Pair) -> None:
    for scores, tie in ((published_population_scores(*p), None), (population_scores(*p), 0.5)):
        for m, i in np.ndindex(p[0].shape):
            yes1, yes2 = p[0][m, i], p[1][m, i]
            aware = yes2 if yes1 >= 0.5 else 1 - yes2
            if tie is not None and yes1 == 0.5:
                aware = tie
            assert scores.consensus[m, i] == pytest.approx(2 * abs(yes1 - 0.5), abs=1e-12)
            assert scores.awareness[m, i] == pytest.approx(aware, abs=1e-12)
    assert p[0][0, 5] == 0.5
    assert published_population_scores(*p).awareness[0, 5] == p[1][0, 5]


def test_fit_is_that_of_a_loop_over_models() -> None:
    rng = np.random.default_rng(8)
    people, models = rng.random(60), rng.random((3, 60))
    people[:4], models[1, 10:20] = math.nan, math.nan
    found = fit(people, models)
    for m in range(3):
        known = ~np.isnan(people + models[m])
        h, x = people[known], models[m, known]
        expected = pearsonr(h, x)
        assert found.n[m] == known.sum()
        assert found.r[m] == pytest.approx(expected.statistic, abs=1e-12)
        assert found.p[m] == pytest.approx(expected.pvalue, rel=1e-9)
        r2 = 1 - sum((h - x) ** 2) / sum((h - h.mean()) ** 2)
        assert found.r2[m] == pytest.approx(r2, abs=1e-12)
        assert found.rmse[m] == pytest.approx(math.sqrt(np.mean((h - x) ** 2)), abs=1e-12)
        assert found.mae[m] == pytest.approx(np.mean(abs(h - x)), abs=1e-12)
