"""Groups of people: how they are made and compared."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import ttest_ind

from probsense.analysis.agreement.subgroups import bands, compare_groups, groups_of
from probsense.core.errors import InputError

Pair = tuple[NDArray[np.float64], NDArray[np.float64]]


def test_labels_make_groups_and_unknown_ones_none() -> None:
    groups = groups_of(["b", None, "a", "b"])
    assert groups.names == ("a", "b")
    assert groups.members.tolist() == [[False, False, True, False], [True, False, False, True]]


def test_somebody_must_be_known() -> None:
    with pytest.raises(InputError, match="nobody's group"):
        groups_of([None, None])
    with pytest.raises(InputError, match="nobody's number"):
        bands(np.full(3, math.nan))


def test_numbers_make_bands_of_about_one_size() -> None:
    ages = np.random.default_rng(1).permutation(np.repeat(np.arange(20.0, 60), 5))
    ages[0] = math.nan
    groups = bands(ages)
    assert groups.members.sum(axis=0).tolist() == [0] + [1] * 199
    assert all(40 <= size <= 60 for size in groups.members.sum(axis=1))
    assert groups.names[0].startswith("20–")
    assert groups.names[-1].endswith("–59")


def test_equal_numbers_stay_together() -> None:
    groups = bands(np.array([0, 0, 0, 0, 0, 1, 2.0]), 3)
    assert groups.names == ("0–0", "1–2")


def test_groups_are_compared_with_all_others_by_welch() -> None:
    rng = np.random.default_rng(5)
    labels = rng.choice(["a", "b", "c"], 60).tolist()
    labels[3] = None
    values = rng.normal(3, 1, (2, 60))
    values[0, 5:9] = math.nan
    groups = groups_of(labels)
    found = compare_groups(values, groups)
    for v in range(2):
        for g, name in enumerate(groups.names):
            inside = [x for x, label in zip(values[v], labels, strict=True) if label == name and x == x]
            rest = [
                x for x, label in zip(values[v], labels, strict=True) if label not in (name, None) and x == x
            ]
            expected = ttest_ind(inside, rest, equal_var=False)
            assert found.n[v, g] == len(inside)
            assert found.mean[v, g] == pytest.approx(np.mean(inside), abs=1e-12)
            assert found.stderr[v, g] == pytest.approx(np.std(inside, ddof=1) / len(inside) ** 0.5, abs=1e-12)
            assert found.difference[v, g] == pytest.approx(np.mean(inside) - np.mean(rest), abs=1e-12)
            t = found.difference[v, g] / found.difference_stderr[v, g]
            assert t == pytest.approx(expected.statistic, rel=1e-9)
            assert found.freedom[v, g] == pytest.approx(expected.df, rel=1e-9)
            assert found.p[v, g] == pytest.approx(expected.pvalue, rel=1e-9)


def test_a_group_of_one_has_a_mean_and_no_test() -> None:
    found = compare_groups(np.array([[1.0, 2.0, 3.0]]), groups_of(["a", "b", "b"]))
    assert found.mean[0, 0] == 1
    assert math.isnan(found.p[0, 0])
