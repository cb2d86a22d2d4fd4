"""Groups of people: how they are made and compared."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probsense.analysis.agreement.groups import (
    Answering,
    bands,
    cohens_d,
    contrast_replicates,
    contrast_size,
    groups_of,
    people_answering,
    personas_answering,
)
from probsense.analysis.inference import resampling
from probsense.analysis.inference.raters import Cells, crossed_interval


def test_labels_make_groups_and_unknown_ones_none():
    groups = groups_of(["b", None, "a", "b"])
    assert groups.names == ("a", "b")
    assert groups.members.tolist() == [[False, False, True, False], [True, False, False, True]]


def test_numbers_make_bands_of_about_one_size():
    ages = np.random.default_rng(1).permutation(np.repeat(np.arange(20.0, 60), 5))
    ages[0] = math.nan
    groups = bands(ages)
    assert groups.members.sum(axis=0).tolist() == [0] + [1] * 199
    assert all(40 <= size <= 60 for size in groups.members.sum(axis=1))
    assert groups.names[0].startswith("20–")
    assert groups.names[-1].endswith("–59")


@pytest.fixture
def data():
    rng = np.random.default_rng(2)
    values = rng.normal(5, 1, (3, 60))
    values[1, :7] = math.nan
    flags = rng.random((4, 60)) < 0.4
    return values, flags, ~flags


def test_effects_are_those_of_a_loop(data):
    values, first, second = data
    found = cohens_d(*data)
    for v in range(3):
        for f in range(4):
            a, b = (values[v, side[f]] for side in (first, second))
            a, b = a[~np.isnan(a)], b[~np.isnan(b)]
            pooled = ((len(a) - 1) * a.var(ddof=1) + (len(b) - 1) * b.var(ddof=1)) / (len(a) + len(b) - 2)
            assert found[v, f] == pytest.approx((a.mean() - b.mean()) / math.sqrt(pooled), abs=1e-12)


def test_replicates_are_those_of_drawing_statement_by_statement(data, monkeypatch):
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


def personas(yes, weight):
    return personas_answering(yes, np.zeros(yes.shape), weight)


def people(answers):
    person, statement = np.nonzero(~np.isnan(answers))
    return people_answering(answers[person, statement], statement, person, answers.shape[1])


def test_personas_by_hand():
    found = personas(np.array([[1.0, 0.9, np.nan], [0.0, 0.1, 0.3]]), np.array([3.0, 1.0]))
    np.testing.assert_allclose(found.share, [0.75, 0.7, 0.3])


answers = st.lists(
    st.lists(st.sampled_from([0.0, 1.0, float("nan")]), min_size=4, max_size=4), min_size=2, max_size=7
).map(np.array)


@given(answers)
def test_personas_who_answer_as_people_differ_as_people_do(given_answers):
    ours, theirs = personas(given_answers, np.ones(len(given_answers))), people(given_answers)
    several = (~np.isnan(given_answers)).sum(axis=0) > 1
    np.testing.assert_allclose(ours.share[several], theirs.share[several])
    np.testing.assert_allclose(ours.noise[several], theirs.noise[several], atol=1e-12)
    # What is known of each answer sums to nothing within a statement.
    for one in (ours, theirs):
        np.testing.assert_allclose(np.bincount(one.cells.item, one.cells.value, 4), 0, atol=1e-12)


@given(st.integers(0, 10_000))
def test_each_influence_on_a_contrast_is_its_derivative(seed):
    """Moving the share of a statement, or of one answer to it, moves the size as much."""
    rng = np.random.default_rng(seed)
    n, h = 12, 1e-6
    item, share, noise = np.arange(n), rng.normal(2, 1, n), np.zeros(n)
    other = Answering(noise, noise, Cells(item[:0], item[:0], noise[:0]))
    one = Answering(share, noise, Cells(item, item, np.ones(n)))
    found = contrast_size(one, other)
    assert found.raters is not None
    assert found.items.sum() == pytest.approx(0, abs=1e-9)
    for i in (0, 5):
        more = one._replace(share=share + h * (item == i))
        moved = (contrast_size(more, other).value - found.value) / h
        assert moved == pytest.approx(found.raters.value[i], rel=1e-4)


def test_a_contrast_of_noise_alone_has_no_error_and_one_without_statements_no_size():
    nobody = Cells(np.arange(0), np.arange(0), np.zeros(0))
    one = Answering(np.array([0.2, 0.6]), np.array([1.0, 1.0]), nobody)
    found = contrast_size(one, one)
    assert found.value == 0
    assert math.isnan(crossed_interval(found)[0])
    other = one._replace(share=np.array([0.9, 0.9]), noise=np.array([0.01, 0.05]))
    apart = contrast_size(one._replace(noise=np.full(2, 0.02)), other)
    assert apart.value == pytest.approx(math.sqrt((0.7**2 + 0.3**2 - 2 * 0.02 - 0.06) / 2))
    unknown = contrast_size(one, one._replace(share=np.full(2, math.nan)))
    assert math.isnan(unknown.value)
    assert not len(unknown.items)
