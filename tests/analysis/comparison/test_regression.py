"""Lines that predict people's values, against fits one by one."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from probsense.analysis.comparison.regression import folds, out_of_sample_r2, regression

Data = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]


@pytest.fixture
def data() -> Data:
    rng = np.random.default_rng(9)
    models = rng.random((3, 53))
    people = 0.6 * models[0] - 0.2 * models[1] + rng.normal(0, 0.2, 53)
    return people, models, folds(53, count=7)


def test_folds_are_those_of_scikit_learn() -> None:
    """KFold(4, shuffle=True, random_state=100) on ten elements, whose first folds are one larger."""
    shuffled = np.arange(10)
    np.random.RandomState(100).shuffle(shuffled)
    found = folds(10, count=4, seed=100)
    tests = [set(shuffled[:3]), set(shuffled[3:6]), set(shuffled[6:8]), set(shuffled[8:])]
    assert [set(np.flatnonzero(found == f)) for f in range(4)] == tests


def test_r2_of_each_fold_is_that_of_a_fit_to_the_others(data: Data) -> None:
    people, models, fold = data
    found = out_of_sample_r2(people, models, fold)
    for m in range(3):
        for f in range(7):
            seen = fold != f
            slope, start = np.polyfit(models[m, seen], people[seen], 1)
            y = people[~seen]
            wrong = ((y - start - slope * models[m, ~seen]) ** 2).sum()
            assert found[m, f] == pytest.approx(1 - wrong / ((y - y.mean()) ** 2).sum(), abs=1e-12)


def test_a_model_that_does_not_vary_predicts_the_mean(data: Data) -> None:
    people, _, fold = data
    found = out_of_sample_r2(people, np.ones((1, 53)), fold)
    y, rest = people[fold == 0], people[fold != 0]
    expected = 1 - ((y - rest.mean()) ** 2).sum() / ((y - y.mean()) ** 2).sum()
    assert found[0, 0] == pytest.approx(expected, abs=1e-12)


def test_the_regression_on_all_models(data: Data) -> None:
    people, models, fold = data
    whole, by_fold = regression(people, models, fold)
    design = np.column_stack([np.ones(53), models.T])
    residual = people - design @ np.linalg.solve(design.T @ design, design.T @ people)
    r2 = 1 - residual @ residual / ((people - people.mean()) ** 2).sum()
    assert whole == pytest.approx(r2, abs=1e-12)
    for f in range(7):
        seen = fold != f
        b = np.linalg.solve(design[seen].T @ design[seen], design[seen].T @ people[seen])
        y = people[~seen]
        wrong = ((y - design[~seen] @ b) ** 2).sum()
        assert by_fold[f] == pytest.approx(1 - wrong / ((y - y.mean()) ** 2).sum(), abs=1e-12)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("constant", [0.0, 0.1, 1 / 3, 1e9])
def test_where_people_agree_nothing_of_a_fold_is_explained(data: Data, constant: float) -> None:
    people, models, fold = data
    assert not out_of_sample_r2(np.full(53, constant), models, fold).any()
    assert np.isnan(regression(np.zeros(53), models, fold)[0])
    agreed = np.where(fold == 2, constant, constant + people)
    for found in (out_of_sample_r2(agreed, models, fold), regression(agreed, models, fold)[1]):
        assert ((found == 0) == (np.arange(7) == 2)).all()


@pytest.mark.parametrize("constant", [0.1, 1 / 3, 1e9])
def test_any_constant_model_predicts_the_mean(data: Data, constant: float) -> None:
    people, _, fold = data
    one, other = (out_of_sample_r2(people, np.full((1, 53), value), fold) for value in (0.0, constant))
    np.testing.assert_allclose(one, other, atol=1e-12)
