"""Items that differ between groups of models: against slow sums, on made answers, and what is refused."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from items import draw_groups, roc_area
from probsense.analysis.comparison import differential as module
from probsense.analysis.comparison.differential import Differential, Member, differential, find_groups
from probsense.analysis.comparison.item_response import Floats, Patterns, Population, fit_population
from probsense.core.errors import InputError

POPULATION = Population(
    np.array([-1.2, -0.4, 0.1, 0.5, 1.0]),
    np.full(5, 0.04),
    np.array([1.0, 0.4]),
    np.array([[0.2, 0.1], [0.1, 1.5]]),
    0.05,
)
SIDE = np.array([0.5, -0.5, 0.5, -0.5, 0.0])


def found(right: Floats, first: int | None = None, seed: int = 0) -> Differential:
    names = [f"m{place}" for place in range(len(right))]
    first = len(right) // 2 if first is None else first
    groups = {"first": names[:first], "second": names[first:]}
    return differential(right, fit_population(right), names, groups, np.random.default_rng(seed))


def slow_likelihood(answers: Floats, shift: float) -> float:
    """Sum over a fine grid of discriminations and easiness, and over the ability of each model."""
    points, shares = np.polynomial.hermite_e.hermegauss(7)
    inverse, total = np.linalg.inv(POPULATION.cov), 0.0
    side = np.linspace(-6, 6, 97)
    a, c = np.meshgrid(side, side, indexing="ij")
    for sign, share in ((1, 1 - POPULATION.turned), (-1, POPULATION.turned)):
        x, y = sign * a - POPULATION.mean[0], sign * c - POPULATION.mean[1]
        square = inverse[0, 0] * x * x + 2 * inverse[0, 1] * x * y + inverse[1, 1] * y * y
        weight = share * np.exp(-square / 2)
        for answer, ability, error, own in zip(
            answers, POPULATION.ability, np.sqrt(POPULATION.variance), SIDE, strict=True
        ):
            if not np.isnan(answer):
                log_odds = [a * (ability + error * point) + c + own * shift for point in points]
                logs = [-np.logaddexp(0, (1 - 2 * answer) * one) for one in log_odds]
                weight = weight * np.exp(np.tensordot(shares / shares.sum(), logs, axes=1))
        total += weight.sum()
    return float(total)


def test_likelihoods_agree_with_a_slow_sum() -> None:
    right = np.array([[1, 0, 1, 0, 1.0], [0, 1, 1, 1, np.nan], [1, 0, np.nan, 1, 0], [1, 1, 1, 1, 1]]).T
    shifts = np.array([-3.0, 0.0, 1.5])
    patterns = Patterns.of(right)
    fast = module._fitting(patterns, POPULATION, SIDE, shifts)[patterns.place]
    for item, answers in enumerate(right.T):
        slow = np.log([slow_likelihood(answers, shift) for shift in shifts])
        np.testing.assert_allclose(np.diff(fast[item]), np.diff(slow), atol=0.01)


def test_residuals_vary_as_expected_where_nothing_differs() -> None:
    rng = np.random.default_rng(1)
    sure = POPULATION._replace(variance=np.zeros(5))
    slope, easiness = rng.multivariate_normal(sure.mean, sure.cov, 20_000).T * np.where(
        rng.random(20_000) < sure.turned, -1, 1
    )
    p = 1 / (1 + np.exp(-(sure.ability[:, None] * slope + easiness)))
    right = np.where(rng.random(p.shape) < 0.1, np.nan, rng.random(p.shape) < p)
    observed, expected = module._residuals(Patterns.of(right), sure)
    np.testing.assert_allclose(observed, expected, atol=0.03 * expected.max())
    assert abs(expected[0, 1]) > 0.1 * expected.max()


def test_splits_are_counted_as_in_a_loop() -> None:
    right, _ = draw_groups(np.random.default_rng(2), 6, 60, 0.3, 2.0)
    population = fit_population(right)
    observed, expected = module._residuals(Patterns.of(right), population)

    def apart(first: tuple[int, ...]) -> float:
        signs = [1 if place in first else -1 for place in range(6)]
        above, below = (
            sum(signs[i] * signs[j] * one[i, j] for i in range(6) for j in range(6))
            for one in (observed, expected)
        )
        return float(above / below)

    splits = [apart(first) for first in combinations(range(6), 2)]
    one = found(right, 2)
    assert one.splits == 15
    assert one.p == pytest.approx(np.mean([split >= apart((0, 1)) - 1e-9 for split in splits]))


def test_made_differences_are_found_whatever_the_abilities() -> None:
    right, difference = draw_groups(np.random.default_rng(3), 24, 200, 0.2, 2.0, gap=1.0)
    one = found(right)
    assert one.splits == module.SPLITS
    assert one.p < 0.02
    assert one.low < difference.std() < one.high
    assert roc_area(-one.item_p, difference != 0) > 0.8
    assert np.corrcoef(one.difference, difference)[0, 1] > 0.6
    assert np.abs(one.difference).mean() < np.abs(difference).mean() + 0.3
    assert 0.9 < np.mean(np.abs(one.difference - difference) < 1.96 * one.stderr) < 1
    assert (one.item_p_bh >= one.item_p).all()


def test_without_differences_items_shrink_to_zero() -> None:
    one = found(draw_groups(np.random.default_rng(4), 12, 200, 0.0)[0])
    assert one.low == 0
    assert one.p > 0.05
    assert np.abs(one.difference).max() < 0.3
    assert np.mean(one.item_p < 0.05) < 0.1


def test_models_alike_in_pairs_widen_the_splits_as_well() -> None:
    right, _ = draw_groups(np.random.default_rng(5), 16, 200, 0.0, kin=2.0)
    assert found(right).p > 0.05


def test_the_other_group_first_turns_the_signs() -> None:
    right, _ = draw_groups(np.random.default_rng(6), 10, 60, 0.3, 2.0)
    one, other = found(right), found(np.roll(right, 5, axis=0))
    np.testing.assert_allclose(one.difference, -other.difference, atol=1e-6)
    assert one.p == pytest.approx(other.p)


def test_items_that_a_group_did_not_answer_have_no_test() -> None:
    right, _ = draw_groups(np.random.default_rng(7), 8, 40, 0.3, 2.0)
    right[:4, 0] = np.nan
    one = found(right)
    assert np.isnan([one.difference[0], one.stderr[0], one.item_p[0], one.item_p_bh[0]]).all()
    assert not np.isnan(one.item_p[1:]).any()


MODELS = [Member("a-base", "hf:/x/a-base"), Member("b-base", "hf:/x/b-base")]
MODELS += [Member("a-chat", "hf:/y/a-chat"), Member("b[chat]", "hf:/y/b[chat]")]


def test_groups_are_found_by_names_full_names_and_patterns() -> None:
    assert find_groups(MODELS, {"base": ["*-base"], "chat": ["a-chat", "b[chat]"]}) == {
        "base": ["a-base", "b-base"],
        "chat": ["a-chat", "b[chat]"],
    }
    assert find_groups(MODELS, {"x": ["hf:/x/*"], "y": ["hf:/y/*", "a-chat"]})["y"] == ["a-chat", "b[chat]"]


@pytest.mark.parametrize(
    ("groups", "words"),
    [
        ({"base": ["*-base"]}, "1 group of models"),
        ({"base": ["*-base"], "chat": ["*-caht"]}, "no model is called '.-caht'"),
        ({"base": ["*-base"], "chat": ["a-chat"]}, "the group 'chat' is a-chat alone"),
        ({"base": ["*-base"], "all": ["*"]}, "a-base is in both groups"),
    ],
)
def test_groups_that_are_refused(groups: dict[str, list[str]], words: str) -> None:
    with pytest.raises(InputError, match=words):
        find_groups(MODELS, groups)
