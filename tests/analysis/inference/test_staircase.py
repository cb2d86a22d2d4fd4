"""Tests of the adaptive search for a threshold: against the obvious loops, and by simulated observers."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probsense.analysis.inference.staircase import (
    BEYOND,
    CHANCE,
    LAPSES,
    TARGET,
    WIDTHS,
    Observers,
    Replies,
    Tally,
    dispersion,
    next_level,
    posterior,
    threshold,
)

OBSERVERS = Observers.of([3, 4, 5, 6])
COUNTS = st.lists(st.integers(0, 12), min_size=4, max_size=4)


def tally(right: list[int], wrong: list[int]) -> Tally:
    return Tally(np.array(right, float), np.array(wrong, float))


def slow_right(at: float, width: float, lapse: float, level: float) -> float:
    """Solve for the middle of the logistic function by bisection."""

    def share(middle: float) -> float:
        return CHANCE + (1 - CHANCE - lapse) / (1 + math.exp((at - middle) / width))

    low, high = at - 50 * width, at + 50 * width
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if share(middle) < TARGET else (low, middle)
    return CHANCE + (1 - CHANCE - lapse) / (1 + math.exp((level - middle) / width))


def slow_posterior(counts: Tally) -> np.ndarray:
    found = np.zeros(OBSERVERS.right.shape[:2])
    for t, s in np.ndindex(*found.shape):
        p = OBSERVERS.right[t, s]
        found[t, s] = math.prod(p**counts.right) * math.prod((1 - p) ** counts.wrong)
    return found / found.sum()


def entropy(shares: np.ndarray) -> float:
    return -sum(share * math.log(share) for share in shares if share > 0)


def test_observers_are_what_the_formula_says() -> None:
    assert OBSERVERS.thresholds[0] == 3 - BEYOND
    assert OBSERVERS.thresholds[-1] == 6 + BEYOND
    shapes = [(width, lapse) for lapse in LAPSES for width in WIDTHS]
    for t, at in enumerate(OBSERVERS.thresholds):
        for s, shape in enumerate(shapes):
            for x, level in enumerate(OBSERVERS.levels):
                assert OBSERVERS.right[t, s, x] == pytest.approx(slow_right(at, *shape, level), abs=1e-9)


@given(COUNTS, COUNTS)
def test_posterior_agrees_with_bayes_rule_by_loops(right: list[int], wrong: list[int]) -> None:
    counts = tally(right, wrong)
    assert posterior(OBSERVERS, counts) == pytest.approx(slow_posterior(counts), abs=1e-12)


@given(COUNTS, COUNTS)
def test_next_level_leaves_the_least_expected_entropy(right: list[int], wrong: list[int]) -> None:
    counts = tally(right, wrong)
    now = slow_posterior(counts)
    expected = []
    for level in range(4):
        total = 0.0
        for answer in (OBSERVERS.right[..., level], 1 - OBSERVERS.right[..., level]):
            joint = now * answer
            total += joint.sum() * entropy(joint.sum(axis=1) / joint.sum())
        expected.append(total)
    assert expected[next_level(OBSERVERS, counts)] == pytest.approx(min(expected), abs=1e-9)


@given(COUNTS, COUNTS, st.integers(0, 3))
def test_a_right_answer_never_lowers_the_threshold(right: list[int], wrong: list[int], level: int) -> None:
    before = threshold(OBSERVERS, posterior(OBSERVERS, tally(right, wrong)), 0.95)
    right[level] += 1
    after = threshold(OBSERVERS, posterior(OBSERVERS, tally(right, wrong)), 0.95)
    assert after.low <= after.value <= after.high
    assert after.value >= before.value


@pytest.mark.parametrize(("right", "wrong", "side"), [(30, 0, "above"), (15, 15, "below")])
def test_what_lies_outside_of_the_levels_is_said(right: int, wrong: int, side: str) -> None:
    found = threshold(OBSERVERS, posterior(OBSERVERS, tally([right] * 4, [wrong] * 4)), 0.95)
    assert getattr(found, side) > 0.9


def test_dispersion_is_that_of_the_groups() -> None:
    together = [Replies(1, 2, 0), Replies(1, 0, 2)] * 20
    apart = [Replies(1, 1, 1)] * 40
    # All answers at one level with one half right: groups of two that go together vary twice as much.
    assert dispersion(OBSERVERS, together, range(40)) == pytest.approx(2, abs=0.3)
    assert dispersion(OBSERVERS, apart, range(40)) == 1
    # Groups of four whose answers are all right or all wrong vary four times as much.
    pairs = [Replies(1, 2, 0), Replies(1, 2, 0), Replies(1, 0, 2), Replies(1, 0, 2)] * 10
    assert dispersion(OBSERVERS, pairs, [i // 2 for i in range(40)]) == pytest.approx(4, abs=0.6)
    assert dispersion(OBSERVERS, pairs, ["all"] * 40) == 1


@given(COUNTS, COUNTS, st.sampled_from([0.5, 0.8, 0.95]))
def test_a_threshold_is_where_the_summed_weights_pass_a_half_and_the_tails(
    right: list[int], wrong: list[int], level: float
) -> None:
    weights = posterior(OBSERVERS, tally(right, wrong))
    found = threshold(OBSERVERS, weights, level)
    tails = (0.5, (1 - level) / 2, (1 + level) / 2)
    below, places = 0.0, dict[float, float]()
    for at, share in zip(OBSERVERS.thresholds, weights.sum(axis=1), strict=True):
        below += share
        for tail in tails:
            if below >= tail:
                places.setdefault(tail, at)
    assert [*found][:3] == [places[tail] for tail in tails]


@pytest.mark.slow
@pytest.mark.parametrize("dependent", [False, True])
@pytest.mark.parametrize("width", [0.5, 2.0])
def test_intervals_cover(dependent: bool, width: float) -> None:
    """Ask simulated observers for pairs; a dependent one knows both answers of a pair, or guesses both."""
    rng = np.random.default_rng(5)
    observers = Observers.of(range(4, 13))
    held = []
    for _ in range(80):
        truth = rng.uniform(4.5, 11.5)
        right = [slow_right(truth, width, 0.03, level) for level in observers.levels]
        groups: list[Replies] = []
        for _ in range(15):
            level = next_level(observers, Tally.of(9, groups))
            for _ in range(4):
                knows = dependent and rng.random() < 2 * right[level] - 1
                number = 2 if knows else rng.binomial(2, 0.5 if dependent else right[level])
                groups.append(Replies(level, number, 2 - number))
        counts = Tally.of(9, groups)
        weights = posterior(observers, counts, dispersion(observers, groups, range(len(groups))))
        found = threshold(observers, weights, 0.95)
        held.append(found.low <= truth <= found.high)
    assert np.mean(held) > 0.91
