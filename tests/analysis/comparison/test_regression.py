"""The effect of size, against the likelihood written out, and rank correlations."""

import numpy as np
import pytest
from scipy.stats import linregress
from scipy.stats import t as student
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import KFold
from statsmodels.regression.mixed_linear_model import MixedLM

from probsense.analysis.comparison.regression import folds, out_of_sample_r2, regression, size_effect
from probsense.core.errors import InputError

FAMILIES = ["a"] * 3 + ["b"] * 4 + ["c"] * 2 + ["d"] * 3
SIZES = np.array([7, 13, 70, 0.08, 0.8, 3, 11, 2, 7, 7, 47, 141], float)


@pytest.fixture
def scores():
    rng = np.random.default_rng(3)
    level = dict(zip("abcd", rng.normal(60, 6, 4), strict=True))
    return np.array([level[f] for f in FAMILIES]) + 8 * np.log10(SIZES) + rng.normal(0, 2, len(SIZES))


def test_it_is_the_mixed_model_of_statsmodels(scores):
    found = size_effect(scores, SIZES, FAMILIES)
    design = np.column_stack([np.ones(len(SIZES)), np.log10(SIZES)])
    fit = MixedLM(scores, design, groups=FAMILIES).fit(reml=True, method="lbfgs")
    assert found.slope == pytest.approx(fit.fe_params[1], rel=1e-4)
    # The error takes the variances as known, as that of lmer does.
    spread = fit.scale * np.eye(len(SIZES)) + fit.cov_re.item() * np.equal.outer(FAMILIES, FAMILIES)
    variance = np.linalg.inv(design.T @ np.linalg.inv(spread) @ design)[1, 1]
    assert found.stderr == pytest.approx(np.sqrt(variance), rel=1e-4)
    assert found.families == 4
    half = student.ppf(0.975, 12 - 4 - 1) * found.stderr
    assert (found.low, found.high) == pytest.approx((found.slope - half, found.slope + half), rel=1e-9)


def test_families_that_are_all_alike_leave_ordinary_least_squares():
    rng = np.random.default_rng(1)
    noise = rng.normal(0, 2, len(SIZES))
    for family in "abcd":
        inside = np.array(FAMILIES) == family
        noise[inside] -= noise[inside].mean()
    found = size_effect(60 + 8 * np.log10(SIZES) + noise, SIZES, FAMILIES)
    expected = linregress(np.log10(SIZES), 60 + 8 * np.log10(SIZES) + noise)
    assert (found.slope, found.stderr) == pytest.approx((expected.slope, expected.stderr), rel=1e-9)


def test_what_is_refused(scores):
    for sizes, families, found in (
        (np.where(SIZES == 70, 0, SIZES), FAMILIES, "a model without score or size"),
        (SIZES, ["a"] * 12, "12 models of 1 families"),
        (SIZES, list("abcdefghijkl"), "12 models of 12 families"),
        (np.full(12, 7.0), FAMILIES, "models of several sizes"),
    ):
        with pytest.raises(InputError, match=found):
            size_effect(scores, sizes, families)


@pytest.fixture
def data():
    rng = np.random.default_rng(9)
    models = rng.random((3, 53))
    people = 0.6 * models[0] - 0.2 * models[1] + rng.normal(0, 0.2, 53)
    return people, models, folds(53, count=7)


def test_folds_are_those_of_scikit_learn():
    kept = KFold(4, shuffle=True, random_state=100).split(range(10))
    found = folds(10, count=4)
    assert [np.flatnonzero(found == f).tolist() for f in range(4)] == [part.tolist() for _, part in kept]


def test_the_regression_on_all_models(data):
    people, models, fold = data
    models = np.vstack([models, np.ones(53)])  # a model that does not vary adds nothing
    whole, by_fold = regression(people, models, fold)
    models = models[:-1]
    assert whole == pytest.approx(LinearRegression().fit(models.T, people).score(models.T, people), abs=1e-12)
    for f, r2 in enumerate(by_fold):
        line = LinearRegression().fit(models[:, fold != f].T, people[fold != f])
        assert r2 == pytest.approx(line.score(models[:, fold == f].T, people[fold == f]), abs=1e-12)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("constant", [0.0, 0.1, 1 / 3, 1e9])
def test_where_people_agree_nothing_of_a_fold_is_explained(data, constant):
    people, models, fold = data
    assert not out_of_sample_r2(np.full(53, constant), models, fold).any()
    assert np.isnan(regression(np.zeros(53), models, fold)[0])
    agreed = np.where(fold == 2, constant, constant + people)
    for found in (out_of_sample_r2(agreed, models, fold), regression(agreed, models, fold)[1]):
        assert ((found == 0) == (np.arange(7) == 2)).all()
