"""The analysis of the published answers gives the expected values."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from probsense.tasks.base import Analysis
from probsense.tasks.judgments.measures.estimates import PEOPLE, STATEMENTS
from probsense.tasks.judgments.measures.published import OWN_VOTE, PUBLISHED
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


def test_real_answers_against_the_real_majority(folder, reference_data):
    analysis = analyse(
        ratings=[folder / "model_ratings.parquet"],
        majority=folder / "binary_answers.parquet",
        data=folder / "statements.parquet",
        draws=FEW,
    )
    found, right = values(analysis), expected(reference_data, "models")
    assert len(right["individual"]) == 22
    for model, scores in right["individual"].items():
        for name in ("consensus", "awareness", "commonsensicality"):
            assert found(name, model) == scores[name]
    for model, moments in right["group_model_side"].items():
        for name, key in (("commonsensicality", "mean"), ("consensus", "cons_mean")):
            # The default counts ties half; there is hardly any.
            assert 100 * found(f"group_{name}", model, "clustered") == pytest.approx(moments[key], abs=0.2)
    assert not {e.measure for e in analysis.results.estimates} & {"win_rate", "group_r", "ceiling"}


def test_the_published_table_of_features_to_the_last_digit(folder, reference_data):
    """The published answers of every model, also of those whose probabilities are not there."""
    analysis = analyse(
        ratings=[folder / "binary_answers.parquet"],
        majority=folder / "binary_answers.parquet",
        data=folder / "statements.parquet",
        draws=FEW,
    )
    found = values(analysis)
    right = expected(reference_data, "models")["individual_by_feature"]
    compared = 0
    # The published answers of that model bear a fault, and have no table.
    for model in read_models(analysis) - {"GPT-4o"}:
        for feature, scores in right[model].items():
            side = None if feature == "all" else SIDES.get(feature, feature)
            for name, value in scores.items():
                assert found(name, model, PUBLISHED, side) == pytest.approx(value, abs=1e-12), (model, side)
            compared += 1
    assert compared == 26 * 13


def read_models(analysis: Analysis) -> set[str]:
    return {str(row["model"]) for row in analysis.results.coverage}


def test_everything_published_against_synthetic_people(folder, reference_data):
    names = ("individual_ratings.csv.gz", "group_ratings.csv.gz")
    analysis = analyse(
        ratings=[folder / "model_ratings.parquet"],
        humans=[folder / "humans_synthetic" / name for name in names],
        data=folder / "statements.parquet",
        draws=FEW,
    )
    found, right = values(analysis), expected(reference_data, "synthetic_full")
    models = read_models(analysis)
    for table, method in (("individual_models", PUBLISHED), ("with_model", OWN_VOTE)):
        for model, scores in right[table].items():
            for name, value in scores.items():
                assert found(name, model, method) == value
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
