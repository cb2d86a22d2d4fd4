"""Noise floors, halves and what knows nothing, against the enumeration of all samples, halves and pairs."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from scipy.stats import multinomial

from probsense.analysis.human_choices import halves, joint
from probsense.analysis.human_choices.floors import (
    _ROOT_OF_PAIRS,
    FLOORS,
    NOISY,
    _js_of_all,
    floors,
    from_others,
    from_uniform,
    is_noisy,
    simbench,
)
from probsense.analysis.human_choices.measures import MEASURES, Distributions, distributions, uniform
from support.choices import Floats, padded, pairs


def people(counts: Floats) -> Distributions:
    return distributions(counts, uniform(~np.isnan(counts)))


def all_counts(n: int, options: int) -> Floats:
    """List all numbers of n people by option."""
    rows = itertools.product(range(n + 1), repeat=options)
    return np.array([row for row in rows if sum(row) == n], dtype=np.float64)


def floor_of(name: str, counts: Floats, chance: Floats) -> float:
    """Compute the expected measure of another sample in the model's place, over all pairs of samples."""
    n = counts[0].sum()
    first, second = (grid.ravel() for grid in np.indices((len(counts), len(counts))))
    pair = distributions(counts[first], counts[second] / n, answers=n)
    return float(chance[first] * chance[second] @ MEASURES[name].function(pair))


@pytest.mark.parametrize("name", FLOORS)
@pytest.mark.parametrize(
    ("n", "shares", "off"), [(4, [0.7, 0.2, 0.1], 0.03), (9, [0.5, 0.3, 0.2], 0.003), (9, [0.9, 0.1], 0.01)]
)
def test_floors_are_right_on_average(name: str, n: int, shares: list[float], off: float) -> None:
    counts = all_counts(n, len(shares))
    chance = multinomial.pmf(counts, n, shares)
    found = float(chance @ FLOORS[name](people(counts)))
    exact = name in ("squared", "squared_corrected", "expected_agreement")
    assert found == pytest.approx(floor_of(name, counts, chance), rel=1e-9 if exact else off, abs=1e-12)


@pytest.mark.parametrize(("n", "options"), [(2, 3), (4, 2), (5, 3), (8, 3), (9, 2)])
def test_the_floor_of_the_root_is_right_on_average(n: int, options: int) -> None:
    counts = all_counts(n, options)
    for shares in np.random.default_rng(1).dirichlet(np.ones(options), 5):
        chance = multinomial.pmf(counts, n, shares)
        found = float(chance @ floors(people(counts), np.random.default_rng(1))["root_js"])
        assert found == pytest.approx(floor_of("root_js", counts, chance), abs=0.25 / n**2)


def test_partitions_are_the_kinds_of_counts() -> None:
    for n, options in ((2, 2), (5, 3), (7, 4), (3, 6)):
        ways = joint.all_counts(n, options)
        assert sorted(map(tuple, ways.tolist())) == sorted(
            map(tuple, all_counts(n, options).astype(int).tolist())
        )
        kinds = {tuple(sorted(way, reverse=True)) for way in ways.tolist()}
        assert sorted(joint.partitions(n, options)) == sorted(kinds)


@pytest.mark.parametrize(("n", "options"), [(2, 3), (5, 3), (4, 4), (9, 2)])
def test_what_is_expected_of_two_samples_is_the_sum_over_all_pairs(n: int, options: int) -> None:
    counts = all_counts(n, options)
    for shares in np.random.default_rng(1).dirichlet(np.ones(options), 3):
        chance = multinomial.pmf(counts, n, shares)
        for name, expected in (("js", _js_of_all), ("root_js", _ROOT_OF_PAIRS)):
            assert expected(n, shares[None]) == pytest.approx([floor_of(name, counts, chance)], abs=1e-12)


@pytest.mark.parametrize("name", ["total_variation", "js", "kl", "wasserstein"])
@pytest.mark.parametrize("n", [60, 100, 101, 250, 3000])
def test_floors_of_many_people_are_right_on_average(name: str, n: int) -> None:
    rng, rows = np.random.default_rng(1), 4000
    pi = rng.dirichlet([0.6, 0.5, 0.8, 0.3], rows)
    counts, others = (rng.multinomial(n, pi).astype(float) for _ in range(2))
    apart = MEASURES[name].function(distributions(counts, others / n, answers=n)) - FLOORS[name](
        people(counts)
    )
    assert abs(apart.mean()) < 3 * apart.std() / np.sqrt(rows)
    assert abs(apart.mean()) < 0.04 * FLOORS[name](people(counts)).mean()


def listed_halves(counts: list[int]) -> list[tuple[Floats, Floats]]:
    """List the shares of both halves for every choice of the first one."""
    answers = np.repeat(np.arange(len(counts)), counts)
    found = []
    for chosen in itertools.combinations(range(len(answers)), len(answers) // 2):
        first = np.isin(np.arange(len(answers)), chosen)
        one, other = (np.bincount(answers[own], minlength=len(counts)) / own.sum() for own in (first, ~first))
        found.append((one, other))
    return found


@given(pairs())
def test_halves_are_means_over_all_ways_to_halve(pair: Distributions) -> None:
    for i, there in enumerate(pair.exists):
        one = pair.where(np.array([i]))
        counts = np.round(pair.p[i, there] * pair.people[i]).astype(int).tolist()
        first, second = (np.array(side) for side in zip(*listed_halves(counts), strict=True))
        ways = distributions(first, second, answers=-(-pair.people[i] // 2))
        for name, half in halves.HALVES.items():
            assert half(one)[0] == pytest.approx(MEASURES[name].function(ways).mean(), abs=1e-12), name


def test_random_halves_of_the_root_are_right() -> None:
    rows = padded([[3, 3, 2], [0, 5, 4], [1, 7]])
    found = halves.root_js(people(rows), np.random.default_rng(1), splits=4000)
    for row, value in zip(rows, found, strict=True):
        sides = listed_halves([int(k) for k in row[~np.isnan(row)]])
        ways = distributions(*(np.array(side) for side in zip(*sides, strict=True)))
        assert value == pytest.approx(MEASURES["root_js"].function(ways).mean(), abs=0.006)


def test_halves_do_not_depend_on_the_order_of_questions_or_options() -> None:
    rows = padded([[3, 3, 2], [2, 3, 3], [1, 7]])
    found = halves.root_js(people(rows), np.random.default_rng(1))
    assert found[0] == found[1]
    assert halves.root_js(people(rows[::-1]), np.random.default_rng(1)) == pytest.approx(found[::-1])


def test_people_of_one_mind_are_at_no_distance_from_others() -> None:
    for n in (2, 8, 150):
        found = floors(people(padded([[n, 0, 0], [0, n]])), np.random.default_rng(1))
        for name in ("squared", "squared_corrected", "total_variation", "js", "root_js", "wasserstein"):
            assert found[name] == pytest.approx([0, 0], abs=1e-12), name
        assert found["expected_agreement"] == pytest.approx([1, 1])


def test_one_person_or_an_unknown_number_has_no_floor() -> None:
    pair = distributions(
        padded([[1, 0], [np.nan, np.nan], [0.4, 0.6], [0.5, 0.5]]),
        np.full((4, 2), 0.5),
        people=[1, 0, np.nan, 8],
    )
    for name, values in floors(pair, np.random.default_rng(1)).items():
        assert np.isnan(values).tolist() == [True, True, True, False], name
    for name, half in halves.HALVES.items():
        assert np.isnan(half(pair)).tolist() == [True, True, True, False], name


def test_the_same_seed_gives_the_same_floors() -> None:
    rows = people(padded([[3, 3, 2], [0, 5, 4], [1, 7]]))
    one, again = (floors(rows, np.random.default_rng(7))["root_js"] for _ in range(2))
    assert (one == again).all()


@given(pairs())
def test_the_uniform_distribution_is_a_model_like_others(pair: Distributions) -> None:
    level = np.where(pair.exists, 1 / pair.exists.sum(axis=1, keepdims=True), 0)
    for name, measure in MEASURES.items():
        expected = measure.function(pair._replace(q=level))
        assert from_uniform(name, pair) == pytest.approx(expected), name


@pytest.mark.parametrize("name", ["total_variation", "js", "kl", "squared_corrected", "wasserstein"])
def test_other_questions_are_all_pairs_with_as_many_options(name: str) -> None:
    rng = np.random.default_rng(4)
    counts = padded([[3, 1], [2, 2, 4], [1, 7], [0, 5, 3], [4, 4], [6, 1, 1, 0], [9, 0, 1], [0, 0]])
    pair = distributions(counts, np.full(counts.shape, np.nan))
    expected = np.full((8, 8), np.nan)
    for i in range(8):
        for k in range(8):
            if (
                i != k
                and pair.exists[i].sum() == pair.exists[k].sum()
                and pair.people[k] > 0 < pair.people[i]
            ):
                one = pair.where(np.array([i]))
                there = one._replace(q=pair.p[[k]], answers=pair.people[[k]])
                expected[i, k] = MEASURES[name].function(there)[0]
    found = from_others(name, pair, rng)
    assert np.isnan(found).tolist() == [False] * 5 + [True, False, True]
    left = np.array([np.nanmean(row) if not np.isnan(row).all() else np.nan for row in expected])
    reached = np.array([np.nanmean(col) if not np.isnan(col).all() else np.nan for col in expected.T])
    assert found == pytest.approx(left + reached - np.nanmean(reached), nan_ok=True)
    assert np.nanmean(found) == pytest.approx(np.nanmean(left))


def test_options_may_be_missing_in_the_middle() -> None:
    counts = np.array([[4, np.nan, 0], [np.nan, 4, 0], [4, 0, np.nan]])
    pair = distributions(counts, counts)
    assert from_others("total_variation", pair, np.random.default_rng(1)) == pytest.approx([0, 0, 0])


def test_some_of_the_other_questions_stand_for_all() -> None:
    rng = np.random.default_rng(2)
    counts = rng.multinomial(30, rng.dirichlet(np.ones(3), 400)).astype(float)
    pair = distributions(counts, counts)
    few = from_others("js", pair, np.random.default_rng(1), others=20)
    everything = from_others("js", pair, np.random.default_rng(1), others=399)
    assert few.mean() == pytest.approx(everything.mean(), rel=0.02)
    assert few.std() == pytest.approx(everything.std(), rel=0.1)
    assert (few == from_others("js", pair, np.random.default_rng(1), others=20)).all()


def test_simbench_s_score_is_a_ratio_within_each_data_set() -> None:
    apart = np.array([0.1, 0.3, 0.2, np.nan, 0.5])
    level = np.array([0.4, 0.4, 0.2, 0.9, 0.3])
    sets = np.array(["a", "a", "b", "b", "b"])
    found = simbench(apart, level, sets)
    by_set = {"a": 100 * (1 - 0.2 / 0.4), "b": 100 * (1 - 0.35 / 0.25)}
    assert np.nanmean(found) == pytest.approx((2 * by_set["a"] + 2 * by_set["b"]) / 4)
    assert found[:2].mean() == pytest.approx(by_set["a"])
    assert np.isnan(found[3])
    assert simbench(level, level, sets) == pytest.approx(np.zeros(5))
    assert simbench(0 * level, level, sets).mean() == pytest.approx(100)
    assert np.isnan(simbench(level, 0 * level, sets)).all()


def test_noise_is_compared_over_the_questions_that_know_both() -> None:
    floor, level = np.array([0.3, 0.1, np.nan, 5.0]), np.array([0.4, 0.39, 0.1, np.nan])
    assert NOISY == 0.5
    assert is_noisy(floor, level)
    assert not is_noisy(floor, level + 0.02)
    assert not is_noisy(floor[2:], level[2:])
