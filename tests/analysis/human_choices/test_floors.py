"""Noise floors, halves and what knows nothing, against the enumeration of all samples, halves and pairs."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from scipy.stats import multinomial

from analysis.human_choices.choices import padded, pairs
from probsense.analysis.human_choices import floors, halves
from probsense.analysis.human_choices.measures import MEASURES, distributions, uniform


def people(counts):
    return distributions(counts, uniform(~np.isnan(counts)))


def drawn(module):
    """The root of the divergence by a module, with a generator of its own."""
    return lambda pair: module.root_js(pair, np.random.default_rng(1))


def all_counts(n, options):
    """List all numbers of n people by option."""
    rows = itertools.product(range(n + 1), repeat=options)
    return np.array([row for row in rows if sum(row) == n], dtype=np.float64)


def floor_of(name, counts, chance):
    """Compute the expected measure of another sample in the model's place, over all pairs of samples."""
    n = counts[0].sum()
    first, second = (grid.ravel() for grid in np.indices((len(counts), len(counts))))
    pair = distributions(counts[first], counts[second] / n, answers=n)
    return float(chance[first] * chance[second] @ MEASURES[name].function(pair))


@pytest.mark.parametrize("name", floors.FLOORS)
@pytest.mark.parametrize(
    ("n", "shares", "off"), [(4, [0.7, 0.2, 0.1], 0.03), (9, [0.5, 0.3, 0.2], 0.003), (9, [0.9, 0.1], 0.01)]
)
def test_floors_are_right_on_average(name, n, shares, off):
    counts = all_counts(n, len(shares))
    chance = multinomial.pmf(counts, n, shares)
    found = float(chance @ floors.FLOORS[name](people(counts)))
    exact = name in ("squared", "squared_corrected", "expected_agreement")
    assert found == pytest.approx(floor_of(name, counts, chance), rel=1e-9 if exact else off, abs=1e-12)


@pytest.mark.parametrize(("n", "options"), [(2, 3), (4, 2), (5, 3), (8, 3), (9, 2)])
def test_the_floor_of_the_root_is_right_on_average(n, options):
    counts = all_counts(n, options)
    for shares in np.random.default_rng(1).dirichlet(np.ones(options), 5):
        chance = multinomial.pmf(counts, n, shares)
        found = float(chance @ drawn(floors)(people(counts)))
        assert found == pytest.approx(floor_of("root_js", counts, chance), abs=0.25 / n**2)


@pytest.mark.parametrize("name", ["total_variation", "js", "kl", "wasserstein"])
@pytest.mark.parametrize("n", [60, 100, 101, 250, 3000])
def test_floors_of_many_people_are_right_on_average(name, n):
    rng, rows = np.random.default_rng(1), 4000
    pi = rng.dirichlet([0.6, 0.5, 0.8, 0.3], rows)
    counts, others = (rng.multinomial(n, pi).astype(float) for _ in range(2))
    apart = MEASURES[name].function(distributions(counts, others / n, answers=n)) - floors.FLOORS[name](
        people(counts)
    )
    assert abs(apart.mean()) < 3 * apart.std() / np.sqrt(rows)
    assert abs(apart.mean()) < 0.04 * floors.FLOORS[name](people(counts)).mean()


def listed_halves(counts):
    """List the shares of both halves for every choice of the first one."""
    answers = np.repeat(np.arange(len(counts)), counts)
    found = []
    for chosen in itertools.combinations(range(len(answers)), len(answers) // 2):
        first = np.isin(np.arange(len(answers)), chosen)
        one, other = (np.bincount(answers[own], minlength=len(counts)) / own.sum() for own in (first, ~first))
        found.append((one, other))
    return found


@given(pairs())
def test_halves_are_means_over_all_ways_to_halve(pair):
    for i, there in enumerate(pair.exists):
        one = pair.where(np.array([i]))
        counts = np.round(pair.p[i, there] * pair.people[i]).astype(int).tolist()
        first, second = (np.array(side) for side in zip(*listed_halves(counts), strict=True))
        ways = distributions(first, second, answers=-(-pair.people[i] // 2))
        for name, half in halves.HALVES.items():
            assert half(one)[0] == pytest.approx(MEASURES[name].function(ways).mean(), abs=1e-12), name


def test_random_halves_of_the_root_are_right():
    rows = padded([[3, 3, 2], [0, 5, 4], [1, 7]])
    found = halves.root_js(people(rows), np.random.default_rng(1), splits=4000)
    for row, value in zip(rows, found, strict=True):
        sides = listed_halves([int(k) for k in row[~np.isnan(row)]])
        ways = distributions(*(np.array(side) for side in zip(*sides, strict=True)))
        assert value == pytest.approx(MEASURES["root_js"].function(ways).mean(), abs=0.006)


def test_one_person_or_an_unknown_number_has_no_floor():
    pair = distributions(
        padded([[1, 0], [np.nan, np.nan], [0.4, 0.6], [0.5, 0.5]]),
        np.full((4, 2), 0.5),
        people=[1, 0, np.nan, 8],
    )
    for function in (*floors.FLOORS.values(), *halves.HALVES.values(), drawn(floors), drawn(halves)):
        assert np.isnan(function(pair)).tolist() == [True, True, True, False], function


@pytest.mark.parametrize("name", ["total_variation", "js", "kl", "squared_corrected", "wasserstein"])
def test_other_questions_are_all_pairs_with_as_many_options(name):
    rng = np.random.default_rng(4)
    counts = padded([[3, 1], [2, 2, 4], [1, 7], [0, 5, 3], [4, 4], [6, 1, 1, 0], [9, 0, 1], [0, 0]])
    pair = distributions(counts, np.full(counts.shape, np.nan))
    expected = np.full((8, 8), np.nan)
    for i, k in itertools.permutations(np.flatnonzero(pair.people), 2):
        if pair.exists[i].sum() == pair.exists[k].sum():
            there = pair.where(np.array([i]))._replace(q=pair.p[[k]], answers=pair.people[[k]])
            expected[i, k] = MEASURES[name].function(there)[0]
    found = floors.from_others(name, pair, rng)
    assert np.isnan(found).tolist() == [False] * 5 + [True, False, True]
    left, reached = (
        np.array([np.nanmean(row) if not np.isnan(row).all() else np.nan for row in table])
        for table in (expected, expected.T)
    )
    assert found == pytest.approx(left + reached - np.nanmean(reached), nan_ok=True)
    assert np.nanmean(found) == pytest.approx(np.nanmean(left))


def test_simbench_s_score_is_a_ratio_within_each_data_set():
    apart = np.array([0.1, 0.3, 0.2, np.nan, 0.5])
    level = np.array([0.4, 0.4, 0.2, 0.9, 0.3])
    sets = np.array(["a", "a", "b", "b", "b"])
    found = floors.simbench(apart, level, sets)
    by_set = {"a": 100 * (1 - 0.2 / 0.4), "b": 100 * (1 - 0.35 / 0.25)}
    assert np.nanmean(found) == pytest.approx((2 * by_set["a"] + 2 * by_set["b"]) / 4)
    assert found[:2].mean() == pytest.approx(by_set["a"])
    assert np.isnan(found[3])
    assert np.isnan(floors.simbench(level, 0 * level, sets)).all()


def test_noise_is_compared_over_the_questions_that_know_both():
    floor, level = np.array([0.3, 0.1, np.nan, 5.0]), np.array([0.4, 0.39, 0.1, np.nan])
    assert floors.is_noisy(floor, level)
    assert not floors.is_noisy(floor, level + 0.02)
    assert not floors.is_noisy(floor[2:], level[2:])
