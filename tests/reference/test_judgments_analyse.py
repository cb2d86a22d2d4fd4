"""The analysis of the published answers gives the expected values."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from probsense.tasks.base import Analysis
from probsense.tasks.judgments.measures.estimates import PEOPLE, STATEMENTS
from probsense.tasks.judgments.measures.published import OWN_VOTE, PUBLISHED
from probsense.tasks.judgments.questions.ratings import read_ratings
from probsense.tasks.judgments.recorded import analyse

pytestmark = pytest.mark.reference

Value = Callable[..., float]
FEW = 10
SIDES = {"literal language": "literal", "Figure of speech": "figurative"}


def values(analysis: Analysis) -> Value:
    """Index the values of estimates by measure, model, method and feature."""
    found = {
        (e.measure, e.by["model"], e.method, e.by.get("feature")): e.value
        for e in analysis.results.estimates
        if "versus" not in e.by and "question" not in e.by
    }
    return lambda measure, model, method=PUBLISHED, feature=None: found[measure, model, method, feature]


def expected(reference_data: Path, name: str) -> Any:
    return json.loads((reference_data / "judgments" / "expected" / f"{name}.json").read_text())


@pytest.fixture(scope="module")
def folder(reference_data):
    return reference_data / "judgments"


@pytest.fixture(scope="module")
def against_majority(folder):
    return analyse(
        ratings=[folder / "model_ratings.parquet"],
        majority=folder / "binary_answers.parquet",
        data=folder / "statements.parquet",
        draws=FEW,
    )


@pytest.fixture(scope="module")
def against_people(folder):
    names = ("individual_ratings.csv.gz", "group_ratings.csv.gz")
    return analyse(
        ratings=[folder / "model_ratings.parquet"],
        humans=[folder / "humans_synthetic" / name for name in names],
        data=folder / "statements.parquet",
        draws=FEW,
    )


def test_real_answers_against_the_real_majority(against_majority, reference_data):
    found, right = values(against_majority), expected(reference_data, "models")
    assert len(right["individual"]) == 22
    for model, scores in right["individual"].items():
        assert found("consensus", model) == scores["consensus"]
        assert found("awareness", model) == scores["awareness"]
        assert found("commonsensicality", model) == scores["commonsensicality"]
    for model, moments in right["group_model_side"].items():
        for name, key in (("commonsensicality", "mean"), ("consensus", "cons_mean")):
            # The default counts ties half; there is hardly any.
            assert 100 * found(f"group_{name}", model, "clustered") == pytest.approx(moments[key], abs=0.2)
    assert not {e.measure for e in against_majority.results.estimates} & {"win_rate", "group_r", "ceiling"}


@pytest.fixture(scope="module")
def one_answer_each(folder):
    """The published answers of every model, also of those whose probabilities are not there."""
    return analyse(
        ratings=[folder / "binary_answers.parquet"],
        majority=folder / "binary_answers.parquet",
        data=folder / "statements.parquet",
        draws=FEW,
    )


@pytest.mark.parametrize(
    ("answers", "models"),
    [("against_majority", 22), pytest.param("one_answer_each", 26, marks=pytest.mark.slow)],
)
def test_the_published_table_of_features_to_the_last_digit(answers, models, request, reference_data):
    analysis = request.getfixturevalue(answers)
    found, right = values(analysis), expected(reference_data, "models")["individual_by_feature"]
    compared = 0
    for model in read_models(analysis) - {"GPT-4o"}:  # its published answers bear a fault, and have no table
        for feature, scores in right[model].items():
            side = None if feature == "all" else SIDES.get(feature, feature)
            for name, value in scores.items():
                assert found(name, model, PUBLISHED, side) == pytest.approx(value, abs=1e-12), (model, side)
            compared += 1
    assert compared == models * 13


def read_models(analysis: Analysis) -> set[str]:
    return {str(row["model"]) for row in analysis.results.coverage}


@pytest.mark.slow
def test_everything_published_against_synthetic_people(against_people, reference_data):
    found, right = values(against_people), expected(reference_data, "synthetic_full")
    models = read_models(against_people)
    for model, scores in right["individual_models"].items():
        for name, value in scores.items():
            assert found(name, model) == value
    for model, scores in right["with_model"].items():
        for name, value in scores.items():
            assert found(name, model, OWN_VOTE) == value
    for model in models & set(right["win_rate"]):
        assert found("win_rate", model) == right["win_rate"][model]["strict"]
    for model in models & set(right["group"]):
        fit = right["group"][model]
        assert found("group_r", model) == pytest.approx(fit["statistic"], abs=1e-12)
        assert found("group_p", model) == pytest.approx(fit["pvalue"], abs=1e-12)
        assert found("group_r2", model) == pytest.approx(fit["r2"], abs=1e-12)
        assert 100 * found("group_rmse", model) == pytest.approx(fit["rmse"], abs=1e-12)
        assert 100 * found("group_mae", model) == pytest.approx(fit["mae"], abs=1e-12)
    for model, fold in right["kfold_r2_per_model"].items():
        assert found("group_fold_r2", model) == pytest.approx(fold["mean"], abs=1e-12)
    assert found("split_half", PEOPLE) == pytest.approx(right["split_half"]["mean"], abs=1e-12)
    for name, key in (("group_commonsensicality", "m_i"), ("commonsensicality", "M_j")):
        assert found(name, PEOPLE) == pytest.approx(right["summary"][key]["mean"], abs=1e-12)
    for feature, value in right["human_comm_median_by_feature"].items():
        if feature != "all":
            side = SIDES.get(feature, feature)
            median = found("group_commonsensicality_median", PEOPLE, PUBLISHED, side)
            assert median == pytest.approx(value, abs=1e-12)
    for pair, effect in right["cohens_d"].items():
        first, second = (SIDES.get(side, side) for side in pair.split("-"))
        name = f"{first} − {second}"
        assert found("cohens_d", PEOPLE, "large sample", name) == pytest.approx(effect["d"], abs=1e-12)
        difference = 100 * found("feature_difference", PEOPLE, STATEMENTS, name)
        assert difference == pytest.approx(effect["diff"], abs=1e-11)


def test_folders_of_raw_results_are_analysed_as_they_are(folder, tmp_path):
    shutil.unpack_archive(folder / "raw_results.tar.gz", tmp_path)
    (raw,) = (path for path in tmp_path.iterdir() if path.is_dir())
    found = analyse(ratings=[raw], majority=folder / "binary_answers.parquet", draws=FEW)
    assert read_models(found) == set(read_ratings(raw).frame["model"].unique())
    both = [
        row for row in found.results.coverage if row["answers_q2"]
    ]  # the others were asked the first question alone
    assert len(both) == 7
    assert all(row["judged_by_people_too"] == row["answers_q1"] > 30 for row in both)
