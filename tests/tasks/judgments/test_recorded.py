"""Recorded ratings set against people: every figure that the data allow, and what is said of the rest."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl
import pytest

from probsense.analysis.inference.estimate import Estimate, t_quantile
from probsense.core.errors import InputError
from probsense.tasks.base import Analysis
from probsense.tasks.judgments.measures.coverage import READ_CORRECTED
from probsense.tasks.judgments.measures.estimates import PEOPLE, STATEMENTS, TWO_WAY
from probsense.tasks.judgments.measures.published import PUBLISHED
from probsense.tasks.judgments.recorded import analyse

Study = Any  # tests/tasks/judgments/conftest.py
Analysed = Callable[..., Analysis]
Frame = pl.DataFrame
MODELS = ("good", "always no", "refuser")
DRINKS = "person,drink\n" + "".join(f"P{p:02d},{'milk' if p % 2 else 'tea'}\n" for p in range(12))
NEEDS_BOTH = {"percentile", "win_rate", "group_r", "group_r_of_ceiling", "ceiling", "split_half", "group_r2"}


@pytest.fixture(scope="module")
def whole(study):
    return analyse(ratings=[study.ratings], humans=[study.people], data=study.statements, draws=40)


def figure(analysis: Analysis, measure: str, model: Any, method: str = TWO_WAY, **by: Any) -> Estimate:
    (found,) = [
        e
        for e in analysis.results.estimates
        if (e.measure, e.method, dict(e.by)) == (measure, method, {"model": model, **by})
    ]
    return found


def measures_of(analysis: Analysis, model: str) -> set[str]:
    return {e.measure for e in analysis.results.estimates if e.by["model"] == model}


def refusing(table: Frame) -> Frame:
    """Let "refuser" say something other than yes and no of each statement."""
    own = pl.when(pl.col("model") == "refuser")
    return table.with_columns(
        own.then(mass).otherwise(name).alias(name)
        for name, mass in {"p_yes": 0.1, "p_no": 0.05, "p_other": 0.85}.items()
    )


def test_individuals_agree_with_the_majority_as_counted_by_hand(whole, study):
    share = study.truth["q1"].to_numpy()
    key = np.where(share == 0.5, 0.5, share > 0.5)
    agreed = np.where(key == 0.5, 0.5, key == 0)
    assert figure(whole, "consensus", "always no").value == pytest.approx(agreed.mean(), abs=1e-12)
    assert figure(whole, "consensus", "always no", PUBLISHED).value == np.mean(share < 0.5)
    assert figure(whole, "commonsensicality", "good", PUBLISHED).value == 1
    assert figure(whole, "win_rate", "good", PUBLISHED).value > 0.9


def test_differences_of_models_have_the_interval_of_the_fewer_people(whole):
    chosen = [e for e in whole.results.estimates if e.measure == "commonsensicality_difference"]
    assert [(e.by["model"], e.by["versus"]) for e in chosen] == [*combinations(MODELS, 2)]
    good, no = (figure(whole, "commonsensicality", model).value for model in MODELS[:2])
    assert chosen[0].value == pytest.approx(good - no, abs=1e-12)
    for e in chosen:
        assert (e.n, e.clusters) == (30, 12)
        assert e.high - e.value == pytest.approx(t_quantile(11, 0.95) * e.stderr)


def test_the_tidy_tables(whole):
    tables = whole.results.tables
    assert {*tables} == {"individuals", "statements", "features", "pq", "share_calibration", "departures"}
    assert Counter(tables["individuals"]["kind"]) == {"person": 12, "model": 3, "baseline": 4}
    assert tables["statements"].height == 90


def test_statements_that_people_alone_judged_are_not_answered(analysed, study):
    few = analysed(ratings=lambda table: table.filter(pl.col("statement_id") < 5), majority=study.majority)
    assert {(row["answered"], row["asked"]) for row in few.results.coverage} == {(5, 30)}


def test_the_published_scores_by_feature_count_a_tie_for_yes(analysed, study):
    even = {name: pl.lit(value) for name, value in (("p_yes", 0.4), ("p_no", 0.4), ("p_other", 0.2))}
    found = analysed(ratings=lambda table: table.with_columns(**even), majority=study.majority)
    most, opinion = pl.read_csv(study.majority)["majority"].to_numpy(), np.tile([False, False, True], 10)
    for side, members in {"fact": ~opinion, "opinion": opinion}.items():
        half, yes = (figure(found, "consensus", "good", how, feature=side) for how in (STATEMENTS, PUBLISHED))
        assert (half.value, half.n) == (0.5, members.sum())
        assert (yes.value, yes.n) == (most[members].mean(), members.sum())
    published = {e.by.get("feature") for e in found.results.estimates if e.method == PUBLISHED}
    assert published == {None, "fact", "opinion"}  # categories are not


def test_the_results_of_either_method_may_be_had_alone(whole, analysed):
    ours, published = (analysed(method=how, draws=40).results.estimates for how in ("default", "published"))
    assert not any(e.method.startswith(PUBLISHED) for e in ours)
    # The same seed gives the same figures.
    assert sorted(map(repr, [*ours, *published])) == sorted(map(repr, whole.results.estimates))
    other = analysed(seed=2, draws=40)
    assert figure(whole, "consensus", "good").value == figure(other, "consensus", "good").value
    assert figure(whole, "consensus", "always no").low != figure(other, "consensus", "always no").low


def test_what_needs_single_people_is_left_out_beside_a_majority(analysed, study):
    found = analysed(majority=study.majority)
    assert figure(found, "consensus", "good", PUBLISHED).value == 1
    left_out = {"win_rate", "percentile", "group_r", "ceiling", "share_brier"}
    assert not left_out & {e.measure for e in found.results.estimates}
    assert "need the ratings of single people" in found.results.notes[0]
    assert set(found.results.tables) == {"individuals", "features", "pq"}


def test_what_becomes_of_refusals_is_the_users_choice(analysed, study):
    """0.1 yes, .05 no, .85 other: a yes, unless other answers count as wrong."""
    share_yes = pl.read_csv(study.majority)["majority"].mean()
    for policy, expected in {"drop": share_yes, "wrong": 0.0}.items():
        found = analysed(ratings=refusing, majority=study.majority, other=policy)
        assert figure(found, "consensus", "refuser", STATEMENTS).value == pytest.approx(expected, abs=1e-12)
        assert any(f"“{policy}” (by the method “published”: “split”)" in note for note in found.results.notes)


def test_what_rests_on_the_answers_of_a_silent_model_is_left_out_and_said_first(analysed):
    found = analysed(ratings=refusing, demographics=DRINKS).results
    assert "more probable than both on 30 and 30 of 30 statements" in found.warnings[0]
    assert sum("refuser: yes and no have 15.0 %" in said for said in (*found.warnings, *found.notes)) == 1
    said = "yes and no have only 15.0 % (q1) and 15.0 % (q2) of the probability"
    assert found.withheld == {"refuser": said}
    ours = [e for e in found.estimates if not e.method.startswith(PUBLISHED)]
    assert {e.measure for e in ours if "refuser" in e.by.values()} == {"yes_mass", "other_mass", "other_rate"}
    for name, table in found.tables.items():
        assert "refuser" not in {str(value) for column in table for value in column}, name


def test_faults_of_the_published_calculation_come_back_on_request(analysed):
    names = ("GPT-4o", "x-with-system-prompt")

    def named(table: Frame) -> Frame:
        own = refusing(table).filter(pl.col("model") == "refuser")
        return pl.concat([own.with_columns(model=pl.lit(name)) for name in names])

    found = [analysed(ratings=named, compat=compat) for compat in (False, True)]
    right, wrong = (figure(one, "awareness", "GPT-4o", PUBLISHED).value for one in found)
    assert right == pytest.approx(1 - wrong)
    for name, alike in zip(names, (True, False), strict=True):
        one, other = (figure(each, "group_rmse", name, PUBLISHED).value for each in found)
        assert (one == other) == alike


def test_a_model_of_few_answers_changes_nothing_of_the_others(analysed):
    def with_few(table: Frame) -> Frame:
        few = table.filter((pl.col("model") == "good") & (pl.col("statement_id") < 4))
        return pl.concat([table, few.with_columns(model=pl.lit("few"))])

    alone, beside = analysed(draws=20), analysed(ratings=with_few, draws=20)
    for e in alone.results.estimates:
        if e.by["model"] != "models":
            same = figure(beside, e.measure, method=e.method, **e.by)
            expected = pytest.approx((e.value, e.low, e.high), abs=1e-12, nan_ok=True)
            assert (same.value, same.low, same.high) == expected, e


def test_models_that_say_neither_yes_nor_no_make_no_pq_curve(analysed):
    found = analysed(ratings=lambda table: table.with_columns(p_yes=0.0, p_no=0.0, p_other=1.0))
    assert "pq_area" not in measures_of(found, "models")


def test_what_most_people_say_is_no_feature_of_a_statement(analysed):
    halves = pl.int_range(30, eager=True) % 2
    found = analysed(data=lambda table: table.with_columns(most=halves, odd=halves))
    named = {str(value) for one in found.results.estimates for value in one.by.values()}
    assert {"odd", "not odd"} <= named
    assert not {"most", "not most"} & named


def test_agreement_with_groups_of_people(analysed, study):
    rows = "".join(f"P{p:02d},{'tea' if p < 6 else 'coffee'},{20 + p},{p}\n" for p in range(12))
    people = pl.read_csv(study.people)
    # Two of them judged fewer statements.
    people = people.filter((pl.col("person") > "P01") | (pl.int_range(people.height) % 3 > 0))
    found = analysed(humans=lambda _: people, demographics=f"person,drink,age,code\n{rows}")
    no = people.group_by("person", maintain_order=True).agg((pl.col("q1") == 0).mean())["q1"]
    expected = no[:6].mean()
    tea = figure(found, "agreement", "always no", "two-way clustered", people="drink: tea")
    assert (tea.value, tea.n) == (pytest.approx(expected, abs=1e-12), 6)
    groups = found.results.tables["groups"]
    (apart,) = groups.filter(who="always no", group="tea")["difference"]
    assert apart == pytest.approx(expected - no[6:].mean(), abs=1e-12)
    assert set(groups["characteristic"]) == {"drink"}  # twelve ages have too few people each
    assert set(groups["who"]) == {*MODELS, PEOPLE}
    assert (groups["p_holm"] >= groups["p"]).all()
    # The interval of a difference holds 0 exactly where p is above 5 %.
    holds = (groups["low"] < 0) & (groups["high"] > 0)
    assert holds.to_list() == (groups["p"] > 0.05).to_list()
    coffee = figure(found, "commonsensicality", PEOPLE, "two-way clustered", people="drink: coffee")
    assert [coffee.value] == groups.filter(who=PEOPLE, group="coffee")["mean"].to_list()
    assert (coffee.n, coffee.clusters) == (6, 6)


def test_the_effect_of_size(analysed, study):
    rng = np.random.default_rng(2)
    sizes = ["model,parameters,family\n", *(f"m{i},{10**i},{'ab'[i % 2]}\n" for i in range(6))]

    def graded(table: Frame) -> Frame:
        """Make models that answer better as they grow."""
        own, yes = table.filter(pl.col("model") == "good"), pl.col("p_yes")
        wrong = [pl.Series(rng.random(60) < 0.4 - 0.06 * i) for i in range(6)]
        parts = (
            own.with_columns(model=pl.lit(f"m{i}"), p_yes=(one - yes).abs()) for i, one in enumerate(wrong)
        )
        return pl.concat(parts).with_columns(p_no=1 - yes)

    found = analysed(ratings=graded, majority=study.majority, sizes="".join(sizes))
    assert figure(found, "size_effect", "all models", "mixed model", of="commonsensicality").low > 0
    rank = figure(found, "size_spearman", "all models", "ranks", of="commonsensicality")
    assert 0.7 < rank.value < 1
    assert math.atanh(rank.value) - math.atanh(rank.low) == pytest.approx(1.959964 * math.sqrt(1.06 / 3))
    with pytest.raises(InputError, match="2 models with a size"):
        analysed(ratings=graded, majority=study.majority, sizes="".join(sizes[:3]))


def test_files_that_do_not_go_together_are_refused(analysed, study):
    most = {"majority": study.majority}
    cases = [
        ("no answers of people to compare the models with", {"humans": ()}),
        ("--labels without people's answers", {"humans": (), "labels": ["yes=ja", "no=nein"]}),
        ("--columns without people's answers", {"humans": (), "columns": ["q1=*_a"]}),
        ("no ratings of models", {**most, "ratings": []}),
        ("good, statement 0, q1 again", {**most, "ratings": [study.ratings, study.ratings]}),
        ("expected one of them", {**most, "humans": study.people}),
        ("without their ratings", {**most, "demographics": study.people}),
        ("none of these people rated anything", {"demographics": "person,drink\nX,tea\n"}),
        (r"no such method: 'ours' \(expected one of both, default, pub", {"method": "ours"}),
        ("1 draws", {"draws": 1}),
    ]
    for message, given in cases:
        with pytest.raises(InputError, match=message) as caught:
            analysed(**given)
        assert "\n" not in str(caught.value)


def test_a_statement_that_few_rated_does_not_count_and_that_is_said(analysed):
    def rare(people: Frame) -> Frame:
        of = pl.col("statement")
        few = people.filter((of != "Statement number 4.") | (pl.col("person") < "P02"))
        return few.filter(of != "Statement number 7.")

    found = analysed(humans=rare)
    assert figure(found, "consensus", "good").n == 28
    distances = [e.n for e in found.results.estimates if e.measure == "share_brier" and "feature" not in e.by]
    assert {*distances} == {28}
    assert not {4, 7} & {*found.results.tables["departures"]["statement_id"]}
    assert any("1 statements were rated by fewer than 3" in note for note in found.results.notes)
    assert any("2 of 30 statements have no majority" in note for note in found.results.notes)
    assert all(math.isfinite(e.value) for e in found.results.estimates)


def test_what_few_raters_of_each_statement_mean_is_told(analysed, whole):
    number = pl.col("person").str.slice(1).cast(pl.Int64)
    about = pl.col("statement").str.extract(r"(\d+)").cast(pl.Int64) // 3
    # Four of twelve people judge each statement.
    found = analysed(humans=lambda people: people.filter((number + about) % 3 == 0)).results
    assert READ_CORRECTED in found.notes
    assert [note for note in found.notes if "no pq curve of people: it takes at least 3 of them" in str(note)]
    assert READ_CORRECTED not in whole.results.notes  # twelve of twelve


@pytest.mark.parametrize("people", ["q1 q2", "q1", "q2"])
@pytest.mark.parametrize("models", ["q1 q2", "q1", "q2"])
def test_what_rests_on_an_unanswered_question_is_left_out_and_named(analysed, people, models):
    unasked = [name for name in ("q1", "q2") if name not in people]
    nothing = {} if models == "q1" else {name: pl.lit(None) for name in unasked}  # no column, or an empty one
    found = analysed(
        humans=lambda table: table.drop(unasked).with_columns(**nothing),
        ratings=lambda table: table.filter(pl.col("question").is_in(models.split())),
        demographics=DRINKS,
    )
    assert all(math.isfinite(e.value) for e in found.results.estimates)
    assert all(table.height for table in found.results.tables.values())
    own, theirs = measures_of(found, "good"), measures_of(found, PEOPLE)
    scores = {"q1": "consensus", "q2": "awareness"}
    answered = {scores[name] for name in models.split()} if "q1" in people else set[str]()
    assert own & {*scores.values()} == answered
    assert ("commonsensicality" in own) == (answered == {*scores.values()})
    assert bool(own & NEEDS_BOTH) == (people == models == "q1 q2")
    said = " ".join([*found.results.notes, *found.results.warnings])
    for name in unasked:
        assert f"nobody answered {name}: " in said
    for name in {*scores} - {*models.split()}:
        assert f"good: no answer to {name}: {scores[name]}, common sense and all that" in said
    if people == "q1":
        assert {"consensus", "group_consensus", "pq_area"} <= theirs
        assert not theirs & {"awareness", "commonsensicality", "group_awareness", "group_commonsensicality"}
    if people == "q2":
        assert all(name.startswith("share_") for name in theirs)
