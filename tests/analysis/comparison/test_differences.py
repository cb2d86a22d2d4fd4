from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from scipy.stats import t, ttest_rel

from probsense.analysis.comparison.aligned import Aligned, align
from probsense.analysis.comparison.differences import adjusted, differences, standardised
from probsense.analysis.comparison.scores import Scores
from probsense.analysis.inference.significance import mcnemar, sign_flip_test


def aligned(values: list[list[float]], cluster: list[int] | None = None) -> Aligned:
    n = len(values[0])
    items = pl.DataFrame(
        {"item": [f"i{k}" for k in range(n)], "cluster": [str(c) for c in cluster or range(n)]}
    )
    return align(
        [
            Scores(f"m{i}", "", f"s{i}", "toy", items, pl.DataFrame({"acc": row}))
            for i, row in enumerate(values)
        ],
        "acc",
    )


def test_one_difference_by_hand() -> None:
    first, second = [1.0, 1, 0, 1, 1, 0], [0.0, 1, 0, 0, 1, 1]
    (found,) = differences(aligned([first, second]), [7])
    apart = np.array(first) - np.array(second)
    assert found.estimate.value == pytest.approx(1 / 6, abs=1e-12)
    assert found.estimate.stderr == pytest.approx(apart.std(ddof=1) / math.sqrt(6), abs=1e-12)
    assert found.estimate.by == {"model": "m0", "versus": "m1"}
    assert found.estimate.measure == "acc_difference"
    assert found.effect == pytest.approx(apart.mean() / apart.std(ddof=1), abs=1e-12)
    assert (found.higher, found.lower, found.equal) == (2, 1, 3)
    assert found.p_mcnemar == mcnemar(first, second)
    assert found.p_permutation == sign_flip_test(
        apart, range(6), np.random.default_rng(0)
    )  # all 2³ are tried


def test_the_paired_t_test_of_scipy() -> None:
    rng = np.random.default_rng(3)
    values = rng.normal(size=(2, 40)).tolist()
    (found,) = differences(aligned(values), [0])
    known = ttest_rel(*values)
    assert found.p == pytest.approx(float(known.pvalue), abs=1e-12)
    ends = known.confidence_interval()
    assert (found.estimate.low, found.estimate.high) == pytest.approx((ends.low, ends.high), abs=1e-12)
    assert math.isnan(found.p_mcnemar)


def test_two_right_against_two_wrong_is_no_proof() -> None:
    (found,) = differences(aligned([[1.0, 1], [0.0, 0]]), [0])
    assert found.estimate.stderr == 0
    assert found.p == found.p_permutation == 0.25  # of 4 ways, 2 are as far, and count half
    assert math.isnan(found.effect)


def test_equal_models_do_not_differ() -> None:
    (found,) = differences(aligned([[1.0, 0, 1], [1.0, 0, 1]]), [0])
    assert (found.estimate.value, found.p, found.p_mcnemar) == (0, 1, 1)
    assert found.to_json()["effect"] is None


def test_a_single_cluster_tells_nothing() -> None:
    (found,) = differences(aligned([[1.0, 0, 1], [0.0, 0, 1]], [0, 0, 0]), [0])
    assert math.isnan(found.p)
    assert found.to_json()["stderr"] is None
    assert math.isnan(adjusted([found])[0].p_holm)


def test_more_models_change_no_pair() -> None:
    rng = np.random.default_rng(1)
    values = rng.integers(0, 2, size=(3, 30)).astype(float).tolist()
    two, three = differences(aligned(values[:2]), [5]), differences(aligned(values), [5])
    assert two[0] == three[0] or two[0].to_json() == three[0].to_json()
    assert [d.estimate.by["versus"] for d in three] == ["m1", "m2", "m2"]
    holm = adjusted(three)
    assert min(d.p_holm for d in holm) == pytest.approx(min(1, 3 * min(d.p for d in three)), abs=1e-12)


def test_the_smallest_difference_is_that_of_the_t_distribution() -> None:
    base = np.random.default_rng(11).normal(size=60)
    (found,) = differences(aligned([base.tolist(), [0.0] * 60]), [0])
    known = (t.ppf(0.975, 59) + t.ppf(0.8, 59)) * base.std(ddof=1) / math.sqrt(60)
    assert found.detectable == pytest.approx(float(known), rel=1e-9)


def test_weights_count_as_copies() -> None:
    apart, copies = np.array([0.0, 1, -1, 0.5]), np.array([1, 3, 2, 2])
    found = standardised(apart, copies / copies.mean())
    whole = np.repeat(apart, copies)
    assert found == pytest.approx(whole.mean() / whole.std() * math.sqrt(3 / 4), abs=1e-12)
