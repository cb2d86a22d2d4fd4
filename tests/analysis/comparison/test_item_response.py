"""The two-parameter logistic: against slow sums, on made answers whose parameters are known, and where little is."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from items import draw, roc_area
from probsense.analysis.comparison import item_response
from probsense.analysis.comparison.item_response import (
    Floats,
    Population,
    abilities,
    fit_items,
    fit_population,
)


def slow_item(answers: Floats, population: Population) -> tuple[float, Floats, Floats, float, float]:
    """Integrate over the parameters of one item on a fine grid, point by point of the abilities.

    Returns the likelihood, means and variances of discrimination and easiness, the probability of a negative
    discrimination, and the information.
    """
    side = np.linspace(-6, 6, 121)
    a, c = np.meshgrid(side, side, indexing="ij")
    inverse = np.linalg.inv(population.cov)

    def density(sign: float) -> Floats:
        x, y = sign * a - population.mean[0], sign * c - population.mean[1]
        square = inverse[0, 0] * x * x + 2 * inverse[0, 1] * x * y + inverse[1, 1] * y * y
        return np.asarray(np.exp(-square / 2))

    weight = (1 - population.turned) * density(1.0) + population.turned * density(-1.0)
    points, shares = np.polynomial.hermite_e.hermegauss(7)
    shares = shares / shares.sum()
    for answer, ability, variance in zip(answers, population.ability, population.variance, strict=True):
        if np.isnan(answer):
            continue
        sign = 1 if answer else -1
        logs = sum(
            share * -np.logaddexp(0, -sign * (a * (ability + np.sqrt(variance) * point) + c))
            for point, share in zip(points, shares, strict=True)
        )
        weight = weight * np.exp(logs)
    total = weight.sum()
    weight = weight / total
    mean = np.array([(weight * a).sum(), (weight * c).sum()])
    variances = np.array([(weight * a * a).sum(), (weight * c * c).sum()]) - mean**2
    p = 1 / (1 + np.exp(-c))
    negative = weight[a < 0].sum() + weight[a == 0].sum() / 2
    # The densities are not normalised, so that their area is part of the likelihood.
    likelihood = total / np.sqrt(np.linalg.det(population.cov))
    return float(likelihood), mean, variances, float(negative), float((weight * a * a * p * (1 - p)).sum())


def made(seed: int = 0, models: int = 5, items: int = 24) -> Floats:
    """Draw answers, and leave some out."""
    rng = np.random.default_rng(seed)
    right, *_ = draw(rng, models, items, turned=0.1)
    return np.where(rng.random(right.shape) < 0.1, np.nan, right)


def test_it_agrees_with_a_slow_sum() -> None:
    right = made(items=10)
    fit = fit_items(right, jackknifed=False)
    for item in range(right.shape[1]):
        _, mean, variance, negative, information = slow_item(right[:, item], fit.population)
        found = (fit.discrimination[item], -fit.difficulty[item])
        np.testing.assert_allclose(found, mean, atol=0.02)
        errors = (fit.discrimination_stderr[item], fit.difficulty_stderr[item])
        np.testing.assert_allclose(errors, np.sqrt(variance), atol=0.02)
        assert fit.negative[item] == pytest.approx(negative, abs=0.02)
        assert fit.information[item] == pytest.approx(information, abs=0.01)


def test_the_fitted_population_makes_the_answers_most_probable() -> None:
    right = made(1, items=12)
    found = fit_population(right)

    def fitting(mean: Floats) -> float:
        one = found._replace(mean=mean)
        return float(sum(np.log(slow_item(right[:, item], one)[0]) for item in range(right.shape[1])))

    best = fitting(found.mean)
    for step in ((0.6, 0.0), (-0.6, 0.0), (0.0, 0.6), (0.0, -0.6)):
        assert fitting(found.mean + step) < best


def test_what_is_cut_off_the_grid_does_not_shrink_the_spread() -> None:
    right, slope, *_ = draw(np.random.default_rng(7), 8, 20_000)
    assert np.sqrt(fit_population(right).cov[0, 0]) == pytest.approx(slope.std(), abs=0.07)


@pytest.mark.parametrize(("models", "items"), [(8, 150), (20, 100)])
def test_parameters_are_recovered(models: int, items: int) -> None:
    right, slope, difficulty, _ = draw(np.random.default_rng(3), models, items)
    fit = fit_items(right)
    assert np.corrcoef(fit.difficulty, difficulty)[0, 1] > 0.75
    assert abs((fit.discrimination - slope).mean()) < 0.15
    assert 0.85 < np.mean((fit.low <= slope) & (slope <= fit.high)) < 0.99
    assert 0.9 < np.mean(np.abs(fit.difficulty - difficulty) < 1.96 * fit.difficulty_stderr) < 0.99


def test_turned_labels_come_first() -> None:
    right, *_, wrong = draw(np.random.default_rng(5), 8, 400, turned=0.05)
    fit = fit_items(right, jackknifed=False)
    assert roc_area(fit.negative, wrong) > 0.85
    assert fit.population.turned == pytest.approx(wrong.mean(), abs=0.04)


def test_items_that_depend_on_each_other_make_errors_larger() -> None:
    right, *_ = draw(np.random.default_rng(6), 5, 30)
    thrice = np.repeat(right, 3, axis=1)
    together = fit_items(thrice, np.repeat(np.arange(30), 3))
    assert together.difficulty_stderr.mean() > fit_items(thrice).difficulty_stderr.mean()


@settings(max_examples=4, deadline=None)
@given(st.integers(0, 10_000))
def test_order_does_not_matter_and_wrong_for_right_turns_the_scale(seed: int) -> None:
    right = made(seed)
    rng = np.random.default_rng(seed)
    fit = fit_items(right, jackknifed=False)
    models, items = rng.permutation(right.shape[0]), rng.permutation(right.shape[1])
    other = fit_items(right[models][:, items], jackknifed=False)
    np.testing.assert_allclose(other.discrimination, fit.discrimination[items], atol=1e-8)
    np.testing.assert_allclose(other.population.ability, fit.population.ability[models], atol=1e-8)
    turned = fit_items(1 - right, jackknifed=False)
    np.testing.assert_allclose(turned.discrimination, fit.discrimination, atol=1e-3)
    np.testing.assert_allclose(turned.difficulty, -fit.difficulty, atol=1e-3)


@pytest.mark.parametrize(
    "right",
    [
        np.ones((4, 4)),
        np.tile([1.0, 0.0], (6, 5)),
        np.array([[1.0], [0.0], [1.0], [1.0]]),
        np.vstack([np.ones((1, 30)), np.zeros((1, 30)), np.full((1, 30), np.nan), np.tile([0.0, 1.0], 15)]),
    ],
    ids=["all right", "equal models", "one item", "extremes and no answers"],
)
def test_little_information_gives_wide_intervals(right: Floats) -> None:
    fit = fit_items(right)
    for values in (fit.discrimination, fit.difficulty, fit.information, fit.population.ability):
        assert np.isfinite(values).all()
    assert (fit.low < fit.high).all()
    assert (fit.difficulty_stderr > 0.3).all()
    assert np.abs(fit.population.ability).max() < 3


def test_a_large_set_is_fitted_from_a_part_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    right, *_ = draw(np.random.default_rng(8), 6, 600)
    whole = fit_population(right)
    monkeypatch.setattr(item_response, "FIRST", 100)
    np.testing.assert_allclose(fit_population(right).ability, whole.ability, atol=0.01)


def test_abilities_by_known_items() -> None:
    right, slope, difficulty, _ = draw(np.random.default_rng(9), 6, 500)
    found = abilities(right, slope, difficulty)
    np.testing.assert_allclose(found, fit_population(right).ability, atol=0.3)
    assert abilities(np.full((1, 3), np.nan), slope[:3], difficulty[:3]).tolist() == [0.0]
