"""Groups of people: how they are made and compared."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from probsense.analysis.agreement import subgroups
from probsense.analysis.agreement.subgroups import (
    bands,
    cohens_d,
    contrast_replicates,
    groups_of,
)
from probsense.analysis.inference import resampling


def test_labels_make_groups_and_unknown_ones_none() -> None:
    groups = groups_of(["b", None, "a", "b"])
    assert groups.names == ("a", "b")
    assert groups.members.tolist() == [[False, False, True, False], [True, False, False, True]]


def test_numbers_make_bands_of_about_one_size() -> None:
    ages = np.random.default_rng(1).permutation(np.repeat(np.arange(20.0, 60), 5))
    ages[0] = math.nan
    groups = bands(ages)
    assert groups.members.sum(axis=0).tolist() == [0] + [1] * 199
    assert all(40 <= size <= 60 for size in groups.members.sum(axis=1))
    assert groups.names[0].startswith("20–")
    assert groups.names[-1].endswith("–59")


def test_equal_numbers_stay_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subgroups, "BANDS", 3)
    groups = bands(np.array([0, 0, 0, 0, 0, 1, 2.0]))
    assert groups.names == ("0–0", "1–2")


Data = tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_]]


@pytest.fixture
def data() -> Data:
    rng = np.random.default_rng(2)
    values = rng.normal(5, 1, (3, 60))
    values[1, :7] = math.nan
    flags = rng.random((4, 60)) < 0.4
    return values, flags, ~flags


def test_effects_are_those_of_a_loop(data: Data) -> None:
    values, first, second = data
    found = cohens_d(*data)
    for v in range(3):
        for f in range(4):
            a, b = (values[v, side[f]] for side in (first, second))
            a, b = a[~np.isnan(a)], b[~np.isnan(b)]
            pooled = ((len(a) - 1) * a.var(ddof=1) + (len(b) - 1) * b.var(ddof=1)) / (len(a) + len(b) - 2)
            assert found[v, f] == pytest.approx((a.mean() - b.mean()) / math.sqrt(pooled), abs=1e-12)


def test_replicates_are_those_of_drawing_statement_by_statement(
    data: Data, monkeypatch: pytest.MonkeyPatch
) -> None:
    values, first, second = data
    monkeypatch.setattr(resampling, "REPLICATE_CELLS", 60 * 8)
    found = contrast_replicates(*data, np.random.default_rng(3), draws=20)
    times = np.random.default_rng(3).multinomial(60, np.full(60, 1 / 60), size=20)
    assert found.draws.shape == (20, 3, 4)
    for once, often in zip((found.value, *found.draws), (np.ones(60, int), *times), strict=True):
        drawn = np.repeat(np.arange(60), often)
        for v in range(3):
            for f in range(4):
                means = [np.nanmean(values[v, drawn][side[f, drawn]]) for side in (first, second)]
                assert once[v, f] == pytest.approx(means[0] - means[1], abs=1e-12)


def test_an_empty_side_has_no_contrast(data: Data) -> None:
    values, first, _ = data
    sides = first, np.zeros_like(first)
    assert np.isnan(cohens_d(values, *sides)).all()
    assert np.isnan(contrast_replicates(values, *sides, np.random.default_rng(3), draws=2).value).all()
