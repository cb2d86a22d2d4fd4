import math
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from probsense.analysis.comparison.aligned import align
from probsense.analysis.comparison.scores import Scores, named
from probsense.analysis.inference.bounded import proportion_estimate
from probsense.analysis.inference.estimate import t_quantile
from probsense.analysis.inference.means import crossed_error, mean_estimate
from probsense.core.errors import InputError


def scores(name, values, **columns):
    items = pl.DataFrame({"item": list(values), "cluster": list(values), **columns})
    acc = pl.DataFrame({"acc": [*values.values()]}, strict=False)
    return Scores(name, "", f"file of {name}", "toy", items, acc)


def test_items_are_found_whatever_their_order():
    one = scores("a", {"x": 1, "y": 0, "z": 1}, text=["?", None, "!"])
    two = scores("b", {"z": 0.5, "x": 0.25, "y": 0}, text=[None, "?", "and"])
    found = align([one, two], "acc")
    assert found.items["item"].to_list() == ["x", "y", "z"]
    assert found.items["text"].to_list() == ["?", "and", "!"]
    assert found.values.tolist() == [[1, 0, 1], [0.25, 0, 0.5]]
    assert found.left_out == (0, 0)


def test_unlike_items_are_refused_unless_told():
    one, two = scores("a", {"x": 1, "y": 0, "w": 0}), scores("b", {"x": 0, "y": 1, "z": 1})
    with pytest.raises(InputError, match=r"3 of a, 3 of b; 2 are common to all .*--intersection"):
        align([one, two], "acc")
    found = align([one, two], "acc", intersection=True)
    assert found.items["item"].to_list() == ["x", "y"]
    assert found.left_out == (1, 1)


def test_a_score_that_is_missing_is_an_item_that_is():
    one, two = scores("a", {"x": 1, "y": None}), scores("b", {"x": 0, "y": math.nan})
    assert align([one, two], "acc").items.height == 1
    with pytest.raises(InputError, match="1 of a, 2 of c"):
        align([one, scores("c", {"x": 1, "y": 1})], "acc")


def test_what_cannot_be_aligned_is_refused():
    one = scores("a", {"x": 1, "y": 0}, gold=["A", "B"], text=["?", "!"])
    for other, words in (
        (scores("b", {"z": 1}), r"0 are common to all .expected results on the same items.$"),
        (scores("b", {"x": 1, "y": math.inf}), "the acc of b on item 'y' is infinite"),
        (scores("b", {"y": 0, "x": 1}, gold=["C", "A"]), "'y' has the right answer 'B' for a and 'C' for b"),
        (scores("b", {"y": 0, "x": 1}, text=["C", "?"]), "'y' has the text '!' for a and 'C' for b"),
    ):
        with pytest.raises(InputError, match=words):
            align([one, other], "acc", intersection=True)
    with pytest.raises(InputError, match="'x' stands twice in file of a"):
        Scores("a", "", "file of a", "toy", pl.DataFrame({"item": ["x", "x"]}), pl.DataFrame({"acc": [1, 1]}))


def test_names_are_told_apart():
    same = [scores("m", {"x": 1}), scores("m", {"x": 0}), scores("n", {"x": 0})]
    same[0] = replace(same[0], source="other", detail="labels")
    assert [one.name for one in named(same)] == ["m (labels)", "m", "n"]
    same[0] = replace(same[0], detail="")
    assert [one.name for one in named(same)] == ["m (other)", "m (file of m)", "n"]
    with pytest.raises(InputError, match="is given twice"):
        named([same[1], same[1]])


def test_a_level_of_hits_is_a_proportion_and_of_numbers_a_mean():
    cluster = ["p", "p", "q", "q"]
    one = scores("a", {"w": 1, "x": 0, "y": 1, "z": 1}, cluster=cluster)
    two = scores("b", {"w": 0.5, "x": 0, "y": 1, "z": 0.25}, cluster=cluster)
    found = align([one, two], "acc")
    assert found.level(0) == proportion_estimate("acc", {"model": "a"}, [1, 0, 1, 1], cluster)
    assert found.level(1) == mean_estimate("acc", {"model": "b"}, [0.5, 0, 1, 0.25], cluster)


def stratified(weight, cluster, stratum, part):
    values = {f"i{k}": float(k % 3 == 0) for k in range(len(weight))}
    return scores("a", values, weight=weight, cluster=cluster, stratum=stratum, part=part)


def test_strata_of_a_part_count_alike_and_parts_do():
    # Part A has the strata s and t, part B has u, with 4, 2 and 6 clusters of a single item each.
    stratum = ["s"] * 4 + ["t"] * 2 + ["u"] * 6
    part = ["A"] * 6 + ["B"] * 6
    found = align([stratified([1.0] * 12, [*map(str, range(12))], stratum, part)] * 2, "acc")
    values = np.array([1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0], dtype=float)
    estimate = found.mean("acc", {}, values)
    assert estimate.value == pytest.approx(((2 / 4 + 0 / 2) / 2 + 2 / 6) / 2, abs=1e-12)
    assert float(values @ found.weights) / 12 == pytest.approx(estimate.value, abs=1e-12)
    # By hand: Σ w² s² / n with ddof 1.
    variance = (1 / 16) * (1 / 3) / 4 + (1 / 4) * (4 / 15) / 6
    assert estimate.stderr == pytest.approx(math.sqrt(variance), abs=1e-12)
    assert estimate.method == "stratified"


def test_a_stratum_with_one_cluster_leaves_the_mean_and_an_error():
    stratum, part = ["s"] * 4 + ["t"], ["A"] * 5
    found = align([stratified([1.0] * 5, [*"abcde"], stratum, part)] * 2, "acc")
    estimate = found.mean("acc", {}, np.array([1, 0, 0, 1, 1.0]))
    assert found.single
    assert estimate.value == pytest.approx((0.5 + 1) / 2, abs=1e-12)
    assert estimate.stderr > 0


def test_equal_scores_have_no_error_whatever_the_weights():
    stratum, part = ["s"] * 4 + ["t"] * 4, ["A"] * 8
    for strata in (stratum, [None] * 8):
        one = stratified([0.5, 2, 1, 0.5, 1, 1, 1, 3], [*"aabbccdd"], strata, part)
        estimate = align([one, one], "acc").mean("acc", {}, np.full(8, 0.3))
        assert (estimate.value, estimate.stderr) == pytest.approx((0.3, 0), abs=1e-12)


def drawn(forms, *, seed=0, unknown=False):
    """Items of two parts in twelve settings and so many forms, which are unlike one another."""
    rng = np.random.default_rng(seed)
    count = 480
    setting, form = rng.integers(12, size=count), rng.integers(forms, size=count)
    stratum = np.arange(count) % 3
    chance = 0.5 + 0.4 * np.sin(7.0 * form) + 0.05 * np.cos(5.0 * setting)
    return scores(
        "a",
        {f"i{k}": float(hit) for k, hit in enumerate(rng.random(count) < chance)},
        part=[f"p{k // 2}" for k in stratum],
        stratum=[f"s{k}" for k in stratum],
        setting=[f"t{k}" for k in setting],
        form=[None if unknown and k == 0 else f"f{k}" for k in form],
    )


def test_errors_are_over_settings_and_forms_where_there_are_enough_of_both():
    one = drawn(30)
    found = align([one, one], "acc")
    level = found.level(0)
    items, hits = found.items, found.values[0]
    error = crossed_error(
        hits,
        np.ones(len(hits)),
        items["stratum"],
        items["setting"],
        items["form"].str.slice(1).cast(pl.Int64),
        {"s0": 0.5, "s1": 0.5, "s2": 1.0},
    )
    assert level.method == "over forms"
    assert level.settings == 12
    assert level.stderr == pytest.approx(math.sqrt(error.variance), rel=1e-9)
    half = t_quantile(error.freedom, 0.95) * level.stderr
    assert (level.low, level.high) == pytest.approx((level.value - half, level.value + half))
    assert found.mean("x", {}, np.zeros(len(hits))).stderr == 0


@pytest.mark.parametrize(("forms", "unknown"), [(9, False), (30, True)])
def test_few_or_unknown_forms_leave_errors_over_settings(forms, unknown):
    one = drawn(forms, unknown=unknown)
    assert align([one, one], "acc").level(0).method == "over settings"
