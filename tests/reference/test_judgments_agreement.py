"""Every expected figure of the published computation that needs no text: people, models, features, split halves."""

from __future__ import annotations

import json
import math

import numpy as np
import polars as pl
import pytest
from numpy.typing import NDArray

from probsense.analysis.agreement.bootstrap import (
    noise_ceiling,
    published_split_half,
)
from probsense.analysis.agreement.groups import FEATURES, cohens_d, contrast_replicates
from probsense.analysis.agreement.models import (
    baseline_answers,
    fits,
    individual_scores,
    published_answers,
    published_leads,
    published_population_scores,
    published_shares,
)
from probsense.analysis.agreement.people import (
    People,
    published_majority,
    published_person_scores,
    published_statement_scores,
)
from probsense.analysis.comparison.regression import folds, out_of_sample_r2

pytestmark = pytest.mark.reference

Floats = NDArray[np.float64]
Sides = tuple[NDArray[np.bool_], NDArray[np.bool_]]
Masses = tuple[list[str], Floats, Floats]
Answers = tuple[list[str], Floats, Floats, Floats]
TESTS = 30
"""The models over which the expected p-values are corrected, of which 22 are there."""

SIDES = {"literal": "literal language", "figurative": "Figure of speech"}
"""Sides of features that have another name there."""


@pytest.fixture(scope="module")
def folder(reference_data):
    return reference_data / "judgments"


@pytest.fixture(scope="module")
def expected(folder):
    names = ("models", "synthetic_small", "synthetic_full")
    return {name: json.loads((folder / "expected" / f"{name}.json").read_text()) for name in names}


@pytest.fixture(scope="module")
def masses(folder, expected):
    """Names of models and their masses of yes, no and other, both questions."""
    table = pl.read_parquet(folder / "model_ratings.parquet").with_columns(
        pl.col("model", "question").cast(str)
    )
    names = list(expected["models"]["individual"])

    def of(name: str, question: str) -> Floats:
        rows = table.filter(pl.col("model") == name, pl.col("question") == question).sort("statement_id")
        return rows.select("p_yes", "p_no", "p_other").to_numpy()

    return names, *(np.array([of(name, question) for name in names]) for question in ("q1", "q2"))


@pytest.fixture(scope="module")
def answers(folder, expected):
    """Names of all models, their published answers to both questions, and the published majority."""
    table = pl.read_parquet(folder / "binary_answers.parquet").sort("statement_id")
    names = list(expected["models"]["individual_by_feature"])

    def of(question: str) -> Floats:
        return np.array([table[f"{name}_{question}"].to_numpy() for name in names], np.float64)

    return names, of("q1"), of("q2"), table["human_q1"].to_numpy().astype(np.float64)


@pytest.fixture(scope="module")
def people(folder):
    table = pl.read_parquet(folder / "humans_synthetic" / "ratings_long.parquet")
    statement, person, q1, q2 = (
        table[name].to_numpy() for name in ("statement_id", "participant", "q1", "q2")
    )
    return People(statement, person, q1, q2, int(statement.max()) + 1, int(person.max()) + 1)


@pytest.fixture(scope="module")
def small(folder):
    q1, q2 = (
        pl.read_csv(folder / "humans_synthetic" / f"small_{name}_ratings.csv.gz", infer_schema=False)
        .drop("")
        .cast(pl.Float64)
        .to_numpy()
        for name in ("individual", "group")
    )
    statement, person = np.nonzero(~(np.isnan(q1) & np.isnan(q2)))
    return People(statement, person, q1[statement, person], q2[statement, person], *q1.shape)


@pytest.fixture(scope="module")
def sides(folder):
    """Which statements are on the first and on the second side of each feature, shape (features, statements)."""
    table = pl.read_parquet(folder / "statements.parquet").sort("statement_id")
    first = np.array([table[f.column].to_numpy() == f.flag for f in FEATURES])
    return first, ~first


def column(rows: dict[str, dict[str, float]], names: list[str], figure: str) -> Floats:
    return np.array([rows[name][figure] for name in names])


def known(values: list[float | None]) -> Floats:
    return np.array([math.nan if x is None else x for x in values])


@pytest.mark.parametrize("which", ["synthetic_small", "synthetic_full"])
def test_people_and_statements(which, people, small, expected):
    everyone, figures = (small if which == "synthetic_small" else people), expected[which]
    statements, persons = published_statement_scores(everyone), published_person_scores(everyone)
    for letter, scores in (("i", statements), ("j", persons)):
        for name, values in (
            ("c", scores.consensus),
            ("a", scores.awareness),
            ("m", scores.commonsensicality),
        ):
            key = f"{name if letter == 'i' else name.upper()}_{letter}"
            np.testing.assert_array_equal(values, known(figures[key]), err_msg=key)
            summary = figures["summary"][key]
            values = values[~np.isnan(values)]
            assert len(values) == summary["n"]
            assert values.mean() == pytest.approx(summary["mean"], abs=1e-12)
            assert np.median(values) == pytest.approx(summary["median"], abs=1e-12)
            assert values.std(ddof=1) == pytest.approx(summary["sd"], abs=1e-12)
            for figure in ("q025", "q050", "q100", "q250", "q750", "q900", "q950", "q975"):
                share = int(figure[1:]) / 1000
                assert np.quantile(values, share) == pytest.approx(summary[figure], abs=1e-12)
    np.testing.assert_array_equal(published_majority(everyone), figures["maj_i"])


def test_models_as_individuals(masses, answers, expected):
    """Their scores are those of the analysis that users call."""
    names, *mass = masses
    q1, q2 = (published_answers(one) for one in mass)
    key, figures = answers[3], expected["models"]
    for figure, values in (("yes_rate_q1", q1.mean(axis=1)), ("yes_rate_q2", q2.mean(axis=1))):
        np.testing.assert_array_equal(values, column(figures["individual"], names, figure), err_msg=figure)
    np.testing.assert_array_equal((q1 == q2).mean(axis=1), [figures["q1_q2_agree"][name] for name in names])
    assert key.sum() == figures["maj_i"]["n_yes"]
    always = baseline_answers(key)["always yes"][None]
    assert individual_scores(always, always, key).consensus[0] == figures["maj_i"]["share"]
    for q, question in ((mass[0], "q1"), (mass[1], "q2")):
        ties = (q[..., 0] == q[..., 1]).sum(axis=1)
        np.testing.assert_array_equal(ties, column(figures["ties_scored_yes"], names, question))


def test_the_published_answers_are_those_of_the_masses_but_for_one_model(masses, answers, expected):
    names, *mass = masses
    every, q1, q2, key = answers
    for name, first, second in zip(names, *mass, strict=True):
        place = every.index(name)
        np.testing.assert_array_equal(published_answers(first), q1[place], err_msg=name)
        np.testing.assert_array_equal(published_answers(second), q2[place], err_msg=name)
    # The masses of that model are not there; its published answers bear the fault.
    faulty = individual_scores(q1, q2, key).awareness[every.index("GPT-4o")]
    assert faulty == expected["models"]["gpt4o_csv_bug"]["awareness_from_csv"]


def test_models_as_populations(masses, sides, expected):
    names, *mass = masses
    scores = published_population_scores(*(published_shares(one) for one in mass))
    figures, values = expected["models"]["group_model_side"], 100 * scores.commonsensicality
    for figure, found in (
        ("mean", values.mean(axis=1)),
        ("sd", values.std(axis=1)),
        ("median", np.median(values, axis=1)),
        ("q05", np.quantile(values, 0.05, axis=1)),
        ("q25", np.quantile(values, 0.25, axis=1)),
        ("q75", np.quantile(values, 0.75, axis=1)),
        ("cons_mean", 100 * scores.consensus.mean(axis=1)),
        ("aw_mean", 100 * scores.awareness.mean(axis=1)),
    ):
        np.testing.assert_allclose(
            found, column(figures, names, figure), rtol=1e-12, atol=1e-12, err_msg=figure
        )
    found = contrast_replicates(values, *sides, np.random.default_rng(1), draws=1).value
    effects = cohens_d(values, *sides)
    labels = {"figurative": "Figure"}
    for f, feature in enumerate(FEATURES):
        label = " - ".join(labels.get(side, side).capitalize() for side in (feature.first, feature.second))
        for m, name in enumerate(names):
            figure = expected["models"]["statement_dim_diff"][name][label]
            assert found[m, f] == pytest.approx(figure["diff"], abs=1e-12)
            assert effects[m, f] == pytest.approx(figure["cohens_d"], abs=1e-12)


def test_leads_over_people(people, answers, expected):
    figures, (every, q1, q2, _) = expected["synthetic_full"]["win_rate"], answers
    leads = published_leads(q1, q2, people)
    np.testing.assert_array_equal((leads > 0).mean(axis=0), column(figures, every, "strict"))
    np.testing.assert_array_equal((leads >= 0).mean(axis=0), column(figures, every, "ge"))
    lead = column(figures, every, "mean_diff_pct")
    np.testing.assert_allclose(100 * np.nanmean(leads, axis=0), lead, atol=1e-12)


def test_prediction(people, masses, expected):
    names, *mass = masses
    figures = expected["synthetic_full"]
    human = 100 * published_statement_scores(people).commonsensicality
    models = 100 * published_population_scores(*(published_shares(one) for one in mass)).commonsensicality
    once = np.ones((1, len(human)))
    found = {name: values[0] for name, values in fits(human, models, once).items()}
    for name in ("rmse", "mae"):
        ranks = column(figures["group"], names, f"{name}_rank")
        np.testing.assert_array_equal(np.argsort(found[name]), np.argsort(ranks))
    r2 = out_of_sample_r2(human, models, folds(len(human)))
    rows = figures["kfold_r2_per_model"]
    np.testing.assert_allclose(r2.mean(axis=1), column(rows, names, "mean"), atol=1e-12)
    np.testing.assert_allclose(r2.std(axis=1), column(rows, names, "sd"), atol=1e-12)


def test_split_halves(people, expected):
    figures = expected["synthetic_full"]["split_half"]
    found = published_split_half(people, draws=figures["n_boot"], seed=figures["seed"])
    np.testing.assert_allclose(found[:10], figures["first10"], atol=1e-12)
    assert found.mean() == pytest.approx(figures["mean"], abs=1e-12)
    low, high = np.quantile(found, [0.025, 0.975])
    assert (low, high) == pytest.approx((figures["lo"], figures["hi"]), abs=1e-12)
    assert noise_ceiling(np.asarray(found.mean())) == pytest.approx(0.88, abs=0.005)


def test_intervals_of_features_of_people(people, sides, expected):
    """Monte Carlo, and its seed was not kept."""
    human = published_statement_scores(people).commonsensicality
    found = contrast_replicates(100 * human[None], *sides, np.random.default_rng(1))
    for f, feature in enumerate(FEATURES):
        pair = [SIDES.get(side, side) for side in (feature.first, feature.second)]
        label = " - ".join(side[0].upper() + side[1:] for side in pair)
        given = expected["synthetic_full"]["dim_boot"][label]
        low, high = np.quantile(found.draws[:, 0, f], [0.025, 0.975])
        assert (low, high) == pytest.approx((given["lo"], given["hi"]), abs=0.3)
