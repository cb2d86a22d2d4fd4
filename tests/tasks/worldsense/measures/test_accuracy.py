from __future__ import annotations

import math
from collections import defaultdict
from statistics import fmean, variance
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probsense.analysis.inference.estimate import Estimate, t_quantile
from probsense.analysis.inference.means import stratified_mean
from probsense.tasks.worldsense.measures.accuracy import (
    METHODS,
    by_depth,
    by_skin,
    estimates,
    published,
    stratified,
)
from probsense.tasks.worldsense.measures.scores import SCORES, cell_means
from probsense.tasks.worldsense.questions.format import PROBLEMS
from probsense.tasks.worldsense.words import WHOM, WORDS, figure_notes, key_results, widest
from support.worldsense import Row, overall, rows_of, table

PROBLEM = st.sampled_from(["Infer.normal", "Consist.trivial", "Compl.normal"])
RESP = st.sampled_from(["TRUE", "FALSE", "POSSIBLE", "IMPOSSIBLE", "1", "2", "3", "", None, "maybe", "true"])
WEIGHT = {"1": 0.25, "2": 0.25}
FOLD = {"TRUE": "TRUE", "FALSE": "FALSE", "POSSIBLE": "POSSIBLE", "IMPOSSIBLE": "IMPOSSIBLE"}
FOLD |= {"1": "KNOW", "2": "KNOW", "3": "UNKNOWN"}
SIGN = {"TRUE": 1, "POSSIBLE": 1, "1": 1, "2": 1, "FALSE": -1, "IMPOSSIBLE": -1, "3": -1}


@st.composite
def tables(draw: st.DrawFn) -> list[Row]:
    rows = []
    for model, prompting in draw(
        st.lists(st.sampled_from([("m", "basic"), ("m", "COT"), ("n", "basic")]), unique=True)
    ):
        tuples = draw(st.lists(st.tuples(PROBLEM, st.sampled_from([3, 4])), max_size=12))
        found = rows_of(tuples, lambda row: draw(RESP), model=model, prompting=prompting)
        for row in found:
            row["corrected"] = draw(st.sampled_from([None, None, *PROBLEMS[row["problem"]]]))
        dropped = draw(st.sets(st.integers(0, len(found)), max_size=3))
        rows += [row for i, row in enumerate(found) if i not in dropped]
    return draw(st.permutations(rows))


def tuple_scores(
    rows: list[Row], measure: str, judge: str
) -> dict[tuple[str, str, str, int], list[tuple[float, int]]]:
    """(score, trials) of every complete tuple, by prompting, model, problem, size: section 2.2 to 2.4."""
    tuples = defaultdict(list)
    for row in rows:
        tuples[row["prompting"], row["model"], row["tuple_id"]].append(row)
    found = defaultdict(list)
    for (prompting, model, _), members in tuples.items():
        if len(members) != members[0]["expected_len"]:
            continue
        total = weights = 0.0
        for row in members:
            right = row["gold"] if judge == "published" or row["corrected"] is None else row["corrected"]
            weight = WEIGHT.get(row["gold"], 0.5)
            if measure == "bias":
                score = SIGN.get(row["resp"], 0)
            elif measure == "strict_accuracy":
                score = row["resp"] == right
            else:
                score = row["resp"] in FOLD and FOLD[row["resp"]] == FOLD[right]
            total, weights = total + weight * score, weights + weight
        found[prompting, model, members[0]["problem"], members[0]["size"]].append(
            (total / weights, len(members))
        )
    return found


def groups_of(cells: dict[Any, Any], level: int) -> dict[Any, dict[str, dict[int, Any]]]:
    """Cells as group -> problem -> size, the group with no problem, the problem, or problem and size."""
    groups = defaultdict(lambda: defaultdict(dict))
    for (prompting, model, problem, size), cell in cells.items():
        groups[prompting, model, *(problem, size)[:level]][problem][size] = cell
    return groups


def slow_published(rows: list[Row], measure: str, level: int) -> dict[Any, tuple[float, float, int, int]]:
    """(mean, its variance, n, tuples) by group: section 2.5, with its own formula for the variance."""

    def up(cells: list[tuple[float, float, float]]) -> tuple[float, float, float]:
        smallest = min(n for n, _, _ in cells)
        total = smallest * len(cells)
        mean = sum(smallest * m for _, m, _ in cells) / total
        return total, mean, sum(smallest * (v + m**2) for _, m, v in cells) / total - mean**2

    def leaf(cell: list[tuple[float, int]]) -> tuple[float, float, float]:
        values = [value for value, _ in cell]
        return len(values), fmean(values), variance(values) if len(values) > 1 else math.nan

    result = {}
    for group, problems in groups_of(tuple_scores(rows, measure, "published"), level).items():
        count = sum(len(cell) for sizes in problems.values() for cell in sizes.values())
        n, m, v = up([up([leaf(cell) for cell in sizes.values()]) for sizes in problems.values()])
        result[group] = (m, v / n, int(n), count)
    return result


def slow_stratified(
    rows: list[Row], measure: str, level: int, judge: str
) -> dict[Any, tuple[float, float, int, int]]:
    """(mean, variance of the mean, trials, tuples) by group: Q9, as one sum."""
    result = {}
    for group, problems in groups_of(tuple_scores(rows, measure, judge), level).items():
        mean = fmean(
            fmean(fmean(v for v, _ in cell) for cell in sizes.values()) for sizes in problems.values()
        )
        squared = 0.0
        for sizes in problems.values():
            for cell in sizes.values():
                values = [value for value, _ in cell]
                spread = variance(values) if len(values) > 1 else math.nan
                squared += spread / len(values) / len(sizes) ** 2 / len(problems) ** 2
        cells = [cell for sizes in problems.values() for cell in sizes.values()]
        trials = sum(trials for cell in cells for _, trials in cell)
        result[group] = (mean, squared, trials, sum(len(cell) for cell in cells))
    return result


def check(
    estimates: list[Estimate], z: float | None, expected: dict[tuple[str, int], dict[Any, Any]]
) -> None:
    """Every estimate is expected and the other way round, with the same numbers; z errors are half an interval."""
    expected = {key: dict(groups) for key, groups in expected.items()}
    for e in estimates:
        group = tuple(e.by[c] for c in ("prompting", "model", "problem", "size") if c in e.by)
        mean, squared, n, clusters = expected[e.measure, len(group) - 2].pop(group)
        assert e.value == pytest.approx(mean, abs=1e-12)
        assert e.stderr**2 == pytest.approx(squared, abs=1e-12, nan_ok=True)
        assert (e.n, e.clusters, e.level) == (n, clusters, 0.95)
        if z is not None:
            assert e.high - e.value == pytest.approx(z * e.stderr, abs=1e-12, nan_ok=True)
            assert e.value - e.low == pytest.approx(z * e.stderr, abs=1e-12, nan_ok=True)
        assert isinstance(e.n, int)
    assert not any(expected.values())


@given(tables())
def test_estimates_are_what_the_specification_says(rows):
    cells = cell_means(table(rows))
    levels = (0, 1, 2)
    two, three = ("accuracy", "bias"), ("accuracy", "bias", "strict_accuracy")
    check(published(cells), 1.96, {(m, k): slow_published(rows, m, k) for m in two for k in levels})
    for judge, measures in (("published", three), ("corrected", three[::2])):
        slow = {(m, k): slow_stratified(rows, m, k, judge) for m in measures for k in levels}
        check(stratified(cells, judge), None, slow)


CELLS = [(problem, size) for problem in PROBLEMS for size in (3, 4, 5)]


BASELINES = {
    "always the first": (lambda row: PROBLEMS[row["problem"]][0], 0.5, 1),
    "always the last": (lambda row: PROBLEMS[row["problem"]][-1], 0.5, -1),
    "the right one": (lambda row: row["gold"], 1, 0),
    "none": (lambda row: "", 0, 0),
}


@pytest.mark.parametrize("baseline", BASELINES)
def test_baselines_have_the_figures_of_the_specification(baseline):
    answer, accuracy, bias = BASELINES[baseline]
    found = estimates(table(rows_of(CELLS * 2, answer)))
    assert len(found) == (2 + 3 + 2) * (1 + 8 + 24)
    for e in found:
        if e.measure != "strict_accuracy" or accuracy != 0.5:
            assert (e.value, e.stderr) == (bias if e.measure == "bias" else accuracy, 0)
            assert e.low == e.high == e.value


def test_rows_come_in_the_order_of_the_tables():
    models = ["GPT4", "Llama2-FT+0", "Llama2-FT+1M", "alpha", "zeta"]
    problems = ["Infer.trivial", "Compl.normal", "Infer.parallel"]
    cells = [(problem, 4) for problem in sorted(problems)] * 2
    rows = [row for model in models[::-1] for row in rows_of(cells, lambda row: "1", model=model)]
    found = [e.by for e in published(cell_means(table(rows))) if e.measure == "bias" and "size" not in e.by]
    assert [by["model"] for by in found if "problem" not in by] == models
    assert [by["problem"] for by in found if "problem" in by] == problems * 5
    assert estimates(table([])) == []


def in_skins(skins: int, sizes: int = 1) -> pl.DataFrame:
    """Answers to two problems in some skins; the first half of the skins has all answers right."""
    cells, kinds = [], []
    for size in range(3, 3 + sizes):
        for problem in ("Infer.normal", "Compl.normal"):
            for skin in range(skins):
                cells += [(problem, size)] * 4
                kinds += [skin] * 4
    easy = {f"t{number}": skin < skins / 2 for number, skin in enumerate(kinds)}
    rows = rows_of(cells, lambda row: row["gold"] if easy[row["tuple_id"]] or row["key"] % 5 < 3 else "")
    names = [f"skin {kinds[int(row['tuple_id'][1:])]}" for row in rows]
    return table(rows).with_columns(skin=pl.Series(names))


@pytest.mark.parametrize(
    ("judge", "over_questions"), [("published", "stratified"), ("corrected", "corrected")]
)
def test_intervals_over_skins_are_those_of_the_means_of_skins(judge, over_questions):
    frame = in_skins(12).with_columns(corrected=pl.when(pl.col("gold") == "TRUE").then(pl.lit("FALSE")))
    found = overall(estimates(frame))
    questions, skins = found["accuracy", over_questions], found["accuracy", METHODS[judge][1]]
    cells = (cell_means(frame.filter(pl.col("skin") == f"skin {k}")) for k in range(12))
    stderr = math.sqrt(variance(stratified(own, judge)[0].value for own in cells) / 12)
    assert skins.stderr == pytest.approx(stderr, rel=1e-12)
    assert skins.stderr > 1.5 * questions.stderr
    assert skins.high - skins.value == pytest.approx(t_quantile(11, 0.95) * stderr)
    same = (questions.value, questions.n, questions.clusters)
    assert (skins.value, skins.n, skins.clusters, skins.settings) == (*same, 12)


def with_twins() -> pl.DataFrame:
    """Give every trial's twin the trial's answer, but none to every seventh."""
    return in_skins(12).with_columns(twin=pl.when(pl.col("key") % 7 > 0).then("resp").otherwise(pl.lit("")))


def test_differences_from_twins_are_paired():
    frame = with_twins()
    found = overall(estimates(frame))
    weight = pl.col("gold").replace_strict({"1": 0.25, "2": 0.25}, default=0.5)
    right = SCORES["published"]["accuracy"].cast(pl.Float64)
    value = (right - SCORES["twins"]["twin_accuracy"]) * weight
    apart = frame.group_by("tuple_id", maintain_order=True).agg(
        value.sum().alias("value"), pl.col("problem").first()
    )
    expected = stratified_mean("", {}, apart["value"], range(len(apart)), apart["problem"])
    whole, wide = (found["twin_difference", method] for method in ("stratified", "over settings"))
    plain = found["accuracy", "stratified"]
    figures = (expected.value, expected.stderr, expected.low, expected.high)
    assert (whole.value, whole.stderr, whole.low, whole.high) == pytest.approx(figures)
    assert whole.value == pytest.approx(plain.value - found["twin_accuracy", "stratified"].value)
    assert (whole.n, wide.settings) == (frame.height, 12)
    assert [whole.to_json()["p"], wide.to_json()["p"], "p" in plain.to_json()] == [whole.p, wide.p, False]
    assert (wide.p < 0.05) == (wide.low > 0 or wide.high < 0)
    same = overall(estimates(frame.with_columns(twin="resp")))["twin_difference", "stratified"]
    assert (same.value, math.isnan(same.p)) == (0, True)


def test_tuples_without_all_their_twins_are_not_compared():
    frame = with_twins()
    lacking = frame.with_columns(twin=pl.when(pl.col("key") == frame["key"][0]).then(None).otherwise("twin"))
    first = frame["tuple_id"][0]
    short, rest = (
        overall(estimates(each))["twin_difference", "stratified"]
        for each in (lacking, frame.filter(pl.col("tuple_id") != first))
    )
    assert short == rest
    none = frame.with_columns(twin=pl.lit(None, pl.String))
    assert not any(e.measure.startswith("twin") for e in estimates(none))


def test_few_skins_do_not_speak_for_others():
    few, enough = estimates(in_skins(9)), estimates(in_skins(14).with_columns(model=pl.lit("B")))
    assert "over settings" not in {e.method for e in few}
    assert f"intervals speak for {WHOM['stratified']}" in figure_notes(few)
    single = in_skins(12).filter((pl.col("problem") == "Infer.normal") | (pl.col("skin") == "skin 1"))
    found = estimates(single)
    assert {e.by.get("problem") for e in found if e.method == "over settings"} == {"Infer.normal"}
    # The skins of another model are none of this one's.
    widths = [widest(some) for some in (found, enough, found + enough)]
    assert widths == ["stratified", "over settings", "stratified"]


def test_the_opening_of_a_page_quotes_the_interval_over_skins():
    made = estimates(in_skins(12))
    found = key_results(made, WORDS)
    (said,) = found.models
    skins = overall(made)["accuracy", "over settings"]
    assert f"[{100 * skins.low:.0f}, {100 * skins.high:.0f}]" in said.said
    assert found.scope == "Intervals speak for other questions in other skins, too."


@settings(max_examples=12)
@given(tables(), st.randoms(use_true_random=False), st.sampled_from(["skin", "depth"]))
def test_each_skin_and_depth_has_the_figures_of_its_tuples_alone(rows, rng, column):
    """And changes no other figure; skins have overall ones only, depths those of problems with several depths."""
    known = {"skin": [None, "sea", "farm"], "depth": [None, 1, 2, 3]}[column]
    of = {row["tuple_id"]: rng.choice(known) for row in rows}
    divided = table([row | {column: of[row["tuple_id"]]} for row in rows])
    made = cell_means(divided)
    own = made.filter(pl.col(column).is_not_null())
    several = {one["problem"][0] for one in own.partition_by("problem") if one["depth"].n_unique() > 1}
    chosen = {"skin": {None} if own["skin"].n_unique() > 1 else set(), "depth": several}[column]
    expected = {
        (e.measure, *sorted({**e.by, column: value}.items(), key=str)): e
        for value in known[1:]
        for e in stratified(cell_means(divided.filter(pl.col(column) == value)))
        if e.by.get("problem") in chosen
    }
    found = {
        (e.measure, *sorted(e.by.items(), key=str)): e
        for e in {"skin": by_skin, "depth": by_depth}[column](made)
    }
    assert found.keys() == expected.keys()
    for key, e in found.items():
        for figure in ("value", "stderr", "low", "high", "n", "clusters", "chance"):
            assert getattr(e, figure) == pytest.approx(getattr(expected[key], figure), nan_ok=True), key
    others = [e for e in estimates(divided) if column not in e.by and "settings" not in e.method]
    assert list(map(repr, others)) == list(map(repr, estimates(table(rows))))


def in_forms(skins: int, forms: int) -> pl.DataFrame:
    """Answers in some skins and forms; those to the first third of the forms are right."""
    frame = in_skins(skins)
    number = pl.int_range(pl.len()) * 7 % forms
    right = pl.when(number < forms / 3).then(pl.col("gold")).otherwise(pl.col("resp"))
    return frame.with_columns(form=pl.format("form {}", number), resp=right)


def test_where_a_form_is_unknown_no_interval_speaks_for_others():
    """Neither does that of all problems, which is no mean of the other ones; these keep theirs."""
    frame = in_forms(12, 13)
    unknown = (pl.col("problem") == "Infer.normal") & (pl.col("key") == pl.col("key").min())
    some = frame.with_columns(form=pl.when(unknown).then(None).otherwise(pl.col("form")))
    before, after = ([e for e in estimates(each) if e.method == "over forms"] for each in (frame, some))
    assert {e.by.get("problem") for e in before} == {None, "Infer.normal", "Compl.normal"}
    assert after == [e for e in before if e.by.get("problem") == "Compl.normal"]
    assert "other forms of questions in other skins" in key_results(estimates(frame), WORDS).scope


def test_few_or_unknown_forms_leave_the_interval_over_skins():
    for frame in (in_forms(12, 4), in_skins(12)):
        found = estimates(frame)
        assert "over forms" not in {e.method for e in found}
        assert widest(found) == "over settings"
    assert widest(estimates(in_forms(4, 13))) == "stratified"
