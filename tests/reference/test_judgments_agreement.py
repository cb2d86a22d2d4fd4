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
    individual_scores,
    published_answers,
    published_population_scores,
    published_shares,
)
from probsense.analysis.agreement.people import (
    People,
    published_majority,
    published_person_scores,
    published_statement_scores,
)

pytestmark = pytest.mark.reference

Floats = NDArray[np.float64]

SIDES = {"literal": "literal language", "figurative": "Figure of speech"}
"""Sides of features that have another name there."""


@pytest.fixture(scope="module")
def folder(reference_data):
    return reference_data / "judgments"


@pytest.fixture(scope="module")
def expected(folder):
    names = ("models", "synthetic_full")
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

    return names, *(np.array([of(name, question) for name in names]) for question in ("q1", "q2"))  # type: ignore[return-value]


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
def sides(folder):
    """Which statements are on the first and on the second side of each feature, shape (features, statements)."""
    table = pl.read_parquet(folder / "statements.parquet").sort("statement_id")
    first = np.array([table[f.column].to_numpy() == f.flag for f in FEATURES])
    return first, ~first


def column(rows: dict[str, dict[str, float]], names: list[str], figure: str) -> Floats:
    return np.array([rows[name][figure] for name in names])


def known(values: list[float | None]) -> Floats:
    return np.array([math.nan if x is None else x for x in values])


def test_people_and_statements(people, expected):
    figures = expected["synthetic_full"]
    statements, persons = published_statement_scores(people), published_person_scores(people)
    for letter, scores in (("i", statements), ("j", persons)):
        for name, values in (
            ("c", scores.consensus),
            ("a", scores.awareness),
            ("m", scores.commonsensicality),
        ):
            key = f"{name if letter == 'i' else name.upper()}_{letter}"
            np.testing.assert_array_equal(values, known(figures[key]), err_msg=key)
    np.testing.assert_array_equal(published_majority(people), figures["maj_i"])


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
    figures = expected["models"]["group_model_side"]
    values = 100 * scores.commonsensicality
    for figure, found in (
        ("mean", values.mean(axis=1)),
        ("sd", values.std(axis=1)),
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
