import math
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from scipy.stats import ttest_rel

from probsense.analysis.comparison.aligned import align
from probsense.analysis.comparison.differences import adjusted, differences, standardised
from probsense.analysis.comparison.scores import Scores
from probsense.analysis.inference.raters import raters_error
from probsense.analysis.inference.significance import adjust, mcnemar, sign_flip_test


def aligned(values, cluster=None, **columns):
    places = range(len(values[0]))
    known = {"item": [f"i{k}" for k in places], "cluster": [*map(str, cluster or places)], **columns}
    tables = [pl.DataFrame({"acc": row}) for row in values]
    own = [Scores(f"m{i}", "", f"s{i}", "toy", pl.DataFrame(known), one) for i, one in enumerate(tables)]
    return align(own, "acc")


def test_one_difference_by_hand():
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
    known = ttest_rel(first, second)
    assert found.p == pytest.approx(float(known.pvalue), abs=1e-12)
    assert (found.estimate.low, found.estimate.high) == pytest.approx(tuple(known.confidence_interval()))


def test_what_does_not_vary_is_tested_by_signs_and_a_single_cluster_not_at_all():
    (found,) = differences(aligned([[1.0, 1], [0.0, 0]]), [0])
    assert (found.estimate.stderr, found.p) == (0, 0.25)  # of 4 ways, 2 are as far, and count half
    assert found.to_json()["effect"] is None
    (same,) = differences(aligned([[1.0, 0, 1], [1.0, 0, 1]]), [0])
    assert (same.estimate.value, same.p, same.p_mcnemar) == (0, 1, 1)
    (single,) = differences(aligned([[1.0, 0, 1], [0.0, 0, 1]], [0, 0, 0]), [0])
    assert np.isnan([single.p, adjusted([single])[0].p_holm]).all()


def test_more_models_change_no_pair():
    rng = np.random.default_rng(1)
    values = rng.integers(0, 2, size=(3, 30)).astype(float).tolist()
    two, three = differences(aligned(values[:2]), [5]), differences(aligned(values), [5])
    assert two[0] == three[0] or two[0].to_json() == three[0].to_json()
    assert [d.estimate.by["versus"] for d in three] == ["m1", "m2", "m2"]
    assert [one.p_holm for one in adjusted(three)] == adjust(np.array([d.p for d in three]), "holm").tolist()


def test_weights_count_as_copies():
    apart, copies = np.array([0.0, 1, -1, 0.5]), np.array([1, 3, 2, 2])
    found = standardised(apart, copies / copies.mean())
    whole = np.repeat(apart, copies)
    assert found == pytest.approx(whole.mean() / whole.std() * math.sqrt(3 / 4), abs=1e-12)


def test_people_bring_the_error_of_who_was_asked_on_either_side():
    rng = np.random.default_rng(2)
    rater, item = np.indices((8, 40)).reshape(2, -1)
    acc = (rng.random((8, 40)) < rng.random((8, 1))).astype(float).ravel()
    ratings = pl.DataFrame({"item": [f"i{k}" for k in item], "rater": rater, "acc": acc})
    items = pl.DataFrame({"item": [f"i{k}" for k in range(40)], "cluster": [str(k) for k in range(40)]})
    people = Scores("p", "", "p", "toy", items, pl.DataFrame({"acc": acc.reshape(8, 40).mean(axis=0)}))
    model = Scores("m", "", "m", "toy", items, pl.DataFrame({"acc": rng.integers(0, 2, 40)}))
    asked = replace(people, ratings=ratings)
    (plain,) = differences(align([model, people], "acc"), [0])
    variance = plain.estimate.stderr**2 + raters_error(acc, rater, item, item, np.ones(320)).variance
    for pair in ([model, asked], [asked, model]):
        (found,) = differences(align(pair, "acc"), [0])
        assert found.estimate.stderr == pytest.approx(math.sqrt(variance))
        assert found.estimate.method == "two-way clustered"
        assert found.estimate.clusters == 8
        assert np.isnan([found.p_permutation, found.p_mcnemar]).all()


def test_weights_count_in_the_permutation_test():
    first, second, weight = [1.0, 0, 1, 1], [0.0, 1, 0, 0], np.array([1.0, 4, 1, 2])
    (found,) = differences(aligned([first, second], weight=weight), [0])
    apart = weight * (np.array(first) - second)
    assert found.p_permutation == sign_flip_test(apart, range(4), np.random.default_rng(0)) != 1
