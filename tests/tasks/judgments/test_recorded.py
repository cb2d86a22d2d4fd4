"""Recorded ratings set against people: every figure that the data allow, and what is said of the rest."""

from __future__ import annotations

import json
import math
from itertools import combinations, permutations
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from probsense.analysis.inference.estimate import Estimate, t_p_value, t_quantile
from probsense.core.errors import InputError
from probsense.results.part import Part, findings
from probsense.tasks.base import Analysis
from probsense.tasks.judgments.measures.coverage import READ_CORRECTED
from probsense.tasks.judgments.measures.estimates import PEOPLE, STATEMENTS, TWO_WAY
from probsense.tasks.judgments.measures.published import PUBLISHED
from probsense.tasks.judgments.measures.results import differences
from probsense.tasks.judgments.recorded import analyse
from probsense.tasks.judgments.words import WORDS
from probsense.tasks.results import Results

Study = Any  # tests/tasks/judgments/conftest.py
FEW: dict[str, Any] = {"draws": 40}
MODELS = ("good", "always no", "refuser")


@pytest.fixture(scope="module")
def whole(study: Study) -> Analysis:
    return analyse(ratings=[study.ratings], humans=[study.people], data=study.statements, **FEW)


def figure(analysis: Analysis, measure: str, model: str, method: str = TWO_WAY, **by: str) -> Estimate:
    (found,) = [
        e
        for e in analysis.results.estimates
        if (e.measure, e.method, dict(e.by)) == (measure, method, {"model": model, **by})
    ]
    return found


def test_individuals_agree_with_the_majority_as_counted_by_hand(whole: Analysis, study: Study) -> None:
    share = study.truth["q1"].to_numpy()
    key = np.where(share == 0.5, 0.5, share > 0.5)
    agreed = np.where(key == 0.5, 0.5, key == 0)
    assert figure(whole, "consensus", "always no").value == pytest.approx(agreed.mean(), abs=1e-12)
    published = figure(whole, "consensus", "always no", PUBLISHED)
    assert published.value == np.mean(share < 0.5)
    assert figure(whole, "commonsensicality", "good", PUBLISHED).value == 1
    assert figure(whole, "win_rate", "good", PUBLISHED).value > 0.9


def test_every_pair_of_models_is_compared(whole: Analysis) -> None:
    pairs = [e for e in whole.results.estimates if e.measure == "commonsensicality_difference"]
    assert [(e.by["model"], e.by["versus"]) for e in pairs] == [*combinations(MODELS, 2)]
    good, no = (figure(whole, "commonsensicality", model).value for model in MODELS[:2])
    assert pairs[0].value == pytest.approx(good - no, abs=1e-12)


def test_statements_that_people_alone_judged_are_not_answered(study: Study, tmp_path: Path) -> None:
    path, all_ratings = tmp_path / "ratings.csv", pl.read_csv(study.ratings)
    few = all_ratings["statement_id"].unique().sort()[:5]
    all_ratings.filter(pl.col("statement_id").is_in(few.implode())).write_csv(path)
    found = analyse(ratings=[path], majority=study.majority, data=study.statements, draws=2)
    counted = {(row["answered"], row["asked"]) for row in found.results.coverage}
    assert counted == {(5, pl.read_csv(study.majority).height)}


def test_the_published_scores_by_feature_count_a_tie_for_yes(study: Study, tmp_path: Path) -> None:
    even = {"p_yes": 0.4, "p_no": 0.4, "p_other": 0.2}
    ratings = pl.read_csv(study.ratings).filter(pl.col("model") == "good")
    path = tmp_path / "ratings.csv"
    ratings.with_columns(pl.lit(value).alias(name) for name, value in even.items()).write_csv(path)
    found = analyse(ratings=[path], majority=study.majority, data=study.statements, draws=2)
    most, opinion = pl.read_csv(study.majority)["majority"].to_numpy(), np.tile([False, False, True], 10)
    for side, members in {"fact": ~opinion, "opinion": opinion}.items():
        half, yes = (
            figure(found, "consensus", "good", method, feature=side) for method in (STATEMENTS, PUBLISHED)
        )
        assert (half.value, half.n) == (0.5, members.sum())
        assert (yes.value, yes.n) == (most[members].mean(), members.sum())
    assert most[opinion].mean() != 0.5
    published = {e.by.get("feature") for e in found.results.estimates if e.method == PUBLISHED}
    assert published == {None, "fact", "opinion"}  # categories are not


def test_the_results_of_either_method_may_be_had_alone(whole: Analysis, study: Study) -> None:
    files: dict[str, Any] = {"ratings": [study.ratings], "humans": [study.people], "data": study.statements}
    ours, published = (
        analyse(**files, method=how, **FEW).results.estimates for how in ("default", "published")
    )
    assert not any(e.method.startswith(PUBLISHED) for e in ours)
    assert sorted(map(repr, [*ours, *published])) == sorted(map(repr, whole.results.estimates))
    with pytest.raises(InputError, match=r"no such method: 'ours' \(expected one of both, default, pub"):
        analyse(**files, method="ours")


def test_the_tidy_tables(whole: Analysis) -> None:
    assert set(whole.results.tables) == {
        *("individuals", "statements", "features", "differences", "pq"),
        *("share_calibration", "departures"),
    }
    kinds = whole.results.tables["individuals"].group_by("kind").len().rows()
    assert dict(kinds) == {"person": 12, "model": 3, "baseline": 4}
    assert whole.results.tables["statements"].height == 90
    assert whole.results.tables["differences"].filter(pl.col("p_holm") < pl.col("p")).is_empty()


def test_differences_of_models_have_p_values_of_the_distribution_of_their_intervals(whole: Analysis) -> None:
    table = whole.results.tables["differences"]
    chosen = [e for e in whole.results.estimates if e.measure == "commonsensicality_difference"]
    rows = table.filter(pl.col("measure") == "commonsensicality").rows(named=True)
    for e, row in zip(chosen, rows, strict=True):
        assert (e.n, e.clusters) == (30, 12)
        assert e.high - e.value == pytest.approx(t_quantile(11, 0.95) * e.stderr)
        assert row["p"] == pytest.approx(float(t_p_value(e.value / e.stderr, 11)))


@pytest.mark.parametrize(("n", "clusters"), [(4, 100), (100, 4)])
def test_a_difference_whose_interval_ends_at_0_has_a_p_value_of_5_percent(n: int, clusters: int) -> None:
    half = t_quantile(3, 0.95) * 0.01
    by = {"model": "a", "versus": "b"}
    apart = Estimate("win_rate_difference", by, half, 0.01, 0, 2 * half, 0.95, n, clusters, TWO_WAY)
    assert differences([apart])["p"].to_list() == pytest.approx([0.05])


def test_the_statements_may_tell_the_majority(study: Study, tmp_path: Path) -> None:
    most = pl.read_csv(study.majority)["majority"].replace_strict({1: "agree", 0: "disagree"})
    told = tmp_path / "told.csv"
    pl.read_csv(study.statements).with_columns(most=most).write_csv(told)
    by_column, by_file = (
        analyse(ratings=[study.ratings], data=data, majority=majority, **FEW)
        for data, majority in ((told, None), (study.statements, study.majority))
    )
    for model in MODELS:
        one, other = (figure(found, "consensus", model, STATEMENTS) for found in (by_column, by_file))
        assert one == other
    with pytest.raises(InputError, match="nothing to set the models against"):
        analyse(ratings=[study.ratings], data=study.statements, **FEW)


def test_with_a_majority_alone_the_rest_is_left_out_and_that_is_said(study: Study) -> None:
    found = analyse(ratings=[study.ratings], majority=study.majority, **FEW)
    assert figure(found, "consensus", "good", STATEMENTS).value == 1
    assert figure(found, "consensus", "good", PUBLISHED).value == 1
    measures = {e.measure for e in found.results.estimates}
    assert not measures & {"win_rate", "percentile", "group_r", "ceiling", "share_brier"}
    assert "need the ratings of single people" in found.results.notes[0]
    assert set(found.results.tables) == {"individuals", "differences", "pq"}


@pytest.mark.parametrize("policy", ["split", "drop", "wrong", "separate"])
def test_what_becomes_of_refusals(study: Study, policy: Any, tmp_path: Path) -> None:
    found = analyse(ratings=[silent(study, tmp_path)], majority=study.majority, other=policy, **FEW)
    refuser = [
        e.value
        for e in found.results.estimates
        if (e.measure, e.by["model"], e.method) == ("consensus", "refuser", STATEMENTS)
    ]
    # .1 yes, .05 no, .85 other: a yes, unless other answers count as wrong.
    share_yes = pl.read_csv(study.majority)["majority"].mean()
    assert refuser == pytest.approx({"drop": [share_yes], "wrong": [0.0]}.get(policy, []), abs=1e-12)
    assert figure(found, "consensus", "good", STATEMENTS).value == 1
    assert any("“split”" in note for note in found.results.notes) == (policy != "split")


@pytest.mark.parametrize("policy", ["split", "drop", "wrong", "separate"])
def test_shares_of_next_to_nothing_are_left_out(study: Study, policy: Any, tmp_path: Path) -> None:
    ratings = silent(study, tmp_path, yes=0.006, no=0.002)
    found = analyse(ratings=[ratings], majority=study.majority, other=policy, **FEW)
    own = [e for e in found.results.estimates if "refuser" in {e.by["model"], e.by.get("versus")}]
    resting = {e.measure for e in own if not e.method.startswith(PUBLISHED)}
    assert {"yes_mass", "other_mass", "other_rate"} <= resting
    said = "refuser: yes and no have 0.8 % (q1) and 0.8 % (q2) of the probability of the first word"
    assert any(warning.startswith(said) for warning in found.results.warnings)
    if policy in ("split", "drop"):
        assert resting == {"yes_mass", "other_mass", "other_rate"}
        assert found.results.warnings[0].startswith(said)
        assert "results that rest on yes and no are left out" in found.results.warnings[0]
    else:
        assert "yes_rate" in resting
    assert "consensus" in {e.measure for e in found.results.estimates if e.by["model"] == "good"}


def silent(study: Study, folder: Path, yes: float = 0.1, no: float = 0.05) -> Path:
    """Ratings in which "refuser" says something other than yes and no of each statement."""
    refuses = pl.col("model") == "refuser"
    path = folder / "silent.csv"
    pl.read_csv(study.ratings).with_columns(
        p_yes=pl.when(refuses).then(yes).otherwise("p_yes"),
        p_no=pl.when(refuses).then(no).otherwise("p_no"),
        p_other=pl.when(refuses).then(1 - yes - no).otherwise("p_other"),
    ).write_csv(path)
    return path


def test_what_rests_on_the_answers_of_a_silent_model_is_left_out_and_that_is_said_first(
    study: Study, tmp_path: Path
) -> None:
    who = tmp_path / "who.csv"
    who.write_text("person,drink\n" + "".join(f"P{i:02d},{('tea', 'milk')[i % 2]}\n" for i in range(12)))
    files: dict[str, Any] = {"humans": [study.people], "data": study.statements, "demographics": who}
    found = analyse(ratings=[silent(study, tmp_path)], **files, **FEW).results
    assert "more probable than both on 30 and 30 of 30 statements" in found.warnings[0]
    assert sum("refuser: yes and no have 15.0 %" in said for said in (*found.warnings, *found.notes)) == 1
    said = "yes and no have only 15.0 % (q1) and 15.0 % (q2) of the probability"
    assert found.withheld == {"refuser": said}
    for name, table in found.tables.items():
        assert "refuser" not in {str(value) for column in table for value in column}, name
    results = findings(Part("judgments", WORDS, found)).models
    assert [result.model for result in results] == ["good", "always no", "refuser"]
    assert results[-1].said == f"has no result: {said}."
    few = analyse(ratings=[study.ratings], **files, **FEW).results
    assert any(e.measure == "win_rate" and e.by["model"] == "refuser" for e in few.estimates)


def test_the_same_seed_gives_the_same_figures_and_another_other_intervals(study: Study) -> None:
    files: dict[str, Any] = {"ratings": [study.ratings], "humans": [study.people], "data": study.statements}
    first, again, other = (analyse(**files, draws=20, seed=seed) for seed in (1, 1, 2))
    assert json.dumps(first.to_json()) == json.dumps(again.to_json())
    assert figure(first, "consensus", "good").value == figure(other, "consensus", "good").value
    assert figure(first, "consensus", "always no").low != figure(other, "consensus", "always no").low


def test_faults_of_the_published_calculation_come_back_on_request(study: Study, tmp_path: Path) -> None:
    table = pl.read_csv(silent(study, tmp_path)).filter(pl.col("model") == "refuser")
    names = ("GPT-4o", "x-with-system-prompt")
    path = tmp_path / "ratings.csv"
    pl.concat([table.with_columns(model=pl.lit(name)) for name in names]).write_csv(path)
    values = {}
    for compat in (False, True):
        found = analyse(ratings=[path], humans=[study.people], data=study.statements, draws=2, compat=compat)
        for name in names:
            values[compat, name] = [
                figure(found, measure, name, PUBLISHED).value for measure in ("awareness", "group_rmse")
            ]
    (right, same), (wrong, also) = values[False, "GPT-4o"], values[True, "GPT-4o"]
    assert (right, same) == (pytest.approx(1 - wrong), also)
    assert values[False, "x-with-system-prompt"][1] != values[True, "x-with-system-prompt"][1]


def test_a_model_of_few_answers_changes_nothing_of_the_others(study: Study, tmp_path: Path) -> None:
    ratings = pl.read_csv(study.ratings)
    few = ratings.filter((pl.col("model") == "good") & (pl.col("statement_id") < 4)).with_columns(
        model=pl.lit("few")
    )
    path = tmp_path / "few.csv"
    few.write_csv(path)
    files: dict[str, Any] = {"humans": [study.people], "data": study.statements, "draws": 50}
    alone, beside = (
        analyse(ratings=given, **files).results for given in ([study.ratings], [study.ratings, path])
    )
    of_people = {PEOPLE, *(e.by["model"] for e in alone.estimates)} - {"models"}

    def known(results: Results) -> dict[object, tuple[float, ...]]:
        return {
            (e.measure, *sorted(e.by.items()), e.method): (e.value, e.low, e.high)
            for e in results.estimates
            if {e.by.get("model"), e.by.get("versus", e.by.get("model"))} <= of_people
        }

    before, after = known(alone), known(beside)
    assert before.keys() <= after.keys()
    for key, figures in before.items():
        assert after[key] == pytest.approx(figures, abs=1e-12, nan_ok=True), key


def test_models_that_say_neither_yes_nor_no_make_no_pq_curve(study: Study, tmp_path: Path) -> None:
    path = tmp_path / "silent.csv"
    silent = pl.read_csv(study.ratings).with_columns(p_yes=0.0, p_no=0.0, p_other=1.0)
    silent.write_csv(path)
    found = analyse(ratings=[path], humans=[study.people], data=study.statements, draws=2).results
    assert {e.by["model"] for e in found.estimates if e.measure == "pq_area"} <= {PEOPLE}


def test_why_people_make_no_pq_curve_is_told(study: Study, tmp_path: Path) -> None:
    people = pl.read_csv(study.people)
    path = tmp_path / "people.csv"
    people.sample(fraction=0.5, seed=1).write_csv(path)
    found = analyse(ratings=[study.ratings], humans=[path], data=study.statements, draws=2).results
    assert [note for note in found.notes if "no pq curve of people: it takes at least 3 of them" in str(note)]
    assert PEOPLE not in {e.by["model"] for e in found.estimates if e.measure == "pq_area"}


def test_what_most_people_say_is_no_feature_of_a_statement(study: Study, tmp_path: Path) -> None:
    statements = pl.read_csv(study.statements)
    path = tmp_path / "statements.csv"
    halves = pl.int_range(statements.height, eager=True) % 2
    statements.with_columns(most=halves, odd=halves).write_csv(path)
    found = analyse(ratings=[study.ratings], humans=[study.people], data=path, draws=2)
    named = {str(value) for one in found.results.estimates for value in one.by.values()}
    assert {"odd", "not odd"} <= named
    assert not {"most", "not most"} & named


def test_agreement_with_groups_of_people(study: Study, tmp_path: Path) -> None:
    path = tmp_path / "who.csv"
    rows = "".join(f"P{p:02d},{'tea' if p < 6 else 'coffee'},{20 + p},{p}\n" for p in range(12))
    path.write_text("person,drink,age,code\n" + rows)
    people = pl.read_csv(study.people)
    some = people.filter((pl.col("person") > "P01") | (pl.int_range(people.height) % 3 > 0))
    some.write_csv(tmp_path / "people.csv")
    files: dict[str, Any] = {"humans": [tmp_path / "people.csv"], "data": study.statements}
    found = analyse(ratings=[study.ratings], demographics=path, **files, **FEW)
    no = some.group_by("person", maintain_order=True).agg((pl.col("q1") == 0).mean())["q1"]
    expected = no[:6].mean()
    found_tea = figure(found, "agreement", "always no", "two-way clustered", people="drink: tea")
    assert found_tea.value == pytest.approx(expected, abs=1e-12)
    assert found_tea.n == 6
    groups = found.results.tables["groups"]
    (apart,) = groups.filter(who="always no", group="tea")["difference"]
    assert apart == pytest.approx(expected - no[6:].mean(), abs=1e-12)
    assert set(groups["characteristic"]) == {"drink"}  # twelve ages have too few people each
    assert set(groups["who"]) == {"good", "always no", "refuser", PEOPLE}
    assert (groups["p_holm"] >= groups["p"]).all()
    # The interval of a difference holds 0 exactly where p is above 5 %.
    holds = (groups["low"] < 0) & (groups["high"] > 0)
    assert holds.to_list() == (groups["p"] > 0.05).to_list()
    half = (groups["high"] - groups["low"]) / 2
    assert (groups["high"] - groups["difference"]).to_list() == pytest.approx(half.to_list())
    coffee = figure(found, "commonsensicality", PEOPLE, "two-way clustered", people="drink: coffee")
    by_people = groups.filter(pl.col("who") == PEOPLE, pl.col("group") == "coffee")
    assert coffee.value == pytest.approx(by_people["mean"].item(), abs=1e-12)
    assert (coffee.n, coffee.clusters) == (6, 6)
    assert 0 <= coffee.low < coffee.value < coffee.high <= 1


def test_the_effect_of_size(study: Study, tmp_path: Path) -> None:
    table = pl.read_csv(study.ratings).filter(pl.col("model") == "good")
    rng = np.random.default_rng(2)
    parts, sizes = [], ["model,parameters,family"]
    for i in range(6):
        wrong = pl.Series(rng.random(60) < 0.4 - 0.06 * i)
        turned = {
            one: pl.when(wrong).then(other).otherwise(one) for one, other in permutations(("p_yes", "p_no"))
        }
        parts.append(table.with_columns(model=pl.lit(f"m{i}"), **turned))
        sizes.append(f"m{i},{10**i},{'ab'[i % 2]}")
    ratings, path = tmp_path / "ratings.csv", tmp_path / "sizes.csv"
    pl.concat(parts).write_csv(ratings)
    path.write_text("\n".join(sizes) + "\n")
    found = analyse(ratings=[ratings], majority=study.majority, sizes=path, **FEW)
    effect = figure(found, "size_effect", "all models", "mixed model", of="commonsensicality")
    assert effect.low > 0
    rank = figure(found, "size_spearman", "all models", "ranks", of="commonsensicality")
    assert 0.7 < rank.value < 1
    assert math.atanh(rank.value) - math.atanh(rank.low) == pytest.approx(1.959964 * math.sqrt(1.06 / 3))
    path.write_text("\n".join(sizes[:3]) + "\n")
    with pytest.raises(InputError, match="2 models with a size"):
        analyse(ratings=[ratings], majority=study.majority, sizes=path, **FEW)


def test_files_that_do_not_go_together_are_refused(study: Study, tmp_path: Path) -> None:
    def refused(message: str, ratings: list[Path] | None = None, **files: Any) -> None:
        with pytest.raises(InputError, match=message) as caught:
            analyse(ratings=[study.ratings] if ratings is None else ratings, **FEW, **files)
        assert "\n" not in str(caught.value)

    refused("nothing to set the models against")
    refused("expected one of them", humans=[study.people], majority=study.majority)
    refused("--labels without people's answers", labels=["yes=ja", "no=nein"])
    refused("--columns without people's answers", majority=study.majority, columns=["q1=*_a"])
    refused("no ratings of models", [], majority=study.majority)
    refused("good, statement 0, q1 again", [study.ratings, study.ratings], majority=study.majority)
    refused("the statements are texts", humans=[study.people])
    refused("without their ratings", majority=study.majority, demographics=study.people)
    elsewhere = tmp_path / "majority.csv"
    elsewhere.write_text("statement_id,majority\n77,1\n")
    refused("statements of models are of the", majority=elsewhere)
    swapped = tmp_path / "people.csv"
    swapped.write_text("person,statement,q1,q2\nStatement number 0.,P01,1,1\n")
    refused("one of the statements, word for word", humans=[swapped], data=study.statements)
    strangers = tmp_path / "who.csv"
    strangers.write_text("person,drink\nX,tea\n")
    known: dict[str, Any] = {"humans": [study.people], "data": study.statements}
    refused("none of these people rated anything", **known, demographics=strangers)


def test_a_statement_that_few_rated_does_not_count_and_that_is_said(study: Study, tmp_path: Path) -> None:
    people = pl.read_csv(study.people)
    rare = people.filter((pl.col("statement") != "Statement number 4.") | (pl.col("person") < "P02"))
    none = rare.filter(pl.col("statement") != "Statement number 7.")
    path = tmp_path / "people.csv"
    none.write_csv(path)
    found = analyse(ratings=[study.ratings], humans=[path], data=study.statements, **FEW)
    assert figure(found, "consensus", "good").n == 28
    assert {e.n for e in found.results.estimates if e.measure == "share_brier" and "feature" not in e.by} == {
        28
    }
    assert not {4, 7} & {*found.results.tables["departures"]["statement_id"]}
    assert any("1 statements were rated by fewer than 3" in note for note in found.results.notes)
    assert any("2 of 30 statements have no majority" in note for note in found.results.notes)
    assert all(math.isfinite(e.value) for e in found.results.estimates)


def test_few_raters_of_each_statement_are_a_note(study: Study, whole: Analysis, tmp_path: Path) -> None:
    people = pl.read_csv(study.people)
    number = people["person"].str.slice(1).cast(pl.Int64)
    about = people["statement"].str.extract(r"(\d+)").cast(pl.Int64)
    path = tmp_path / "sparse.csv"  # four of twelve people judge each statement
    people.filter((number + about // 3) % 3 == 0).write_csv(path)
    found = analyse(ratings=[study.ratings], humans=[path], data=study.statements, draws=2)
    assert READ_CORRECTED in found.results.notes
    assert READ_CORRECTED not in whole.results.notes  # twelve of twelve
