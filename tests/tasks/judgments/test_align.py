"""Tables side by side as arrays, and answers under every policy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from probsense.agreement.populations import population_scores
from probsense.errors import InputError
from probsense.tasks.judgments.align import align, check_common, population
from probsense.tasks.judgments.demographics import read_demographics

TIE, REFUSAL, YES = (0.4, 0.4, 0.2), (0.1, 0.05, 0.85), (0.9, 0.1, 0.0)


def ratings(*rows: tuple[str, int, str, tuple[float, float, float]]) -> pl.DataFrame:
    schema = ["model", "statement_id", "question", "p_yes", "p_no", "p_other"]
    return pl.DataFrame([(*row[:3], *row[3]) for row in rows], schema=schema, orient="row")


FOUND = ratings(
    ("b", 7, "q1", TIE),
    ("b", 7, "q2", YES),
    ("a", 3, "q1", REFUSAL),
    ("a", 7, "q1", YES),
    ("a", 3, "q2", YES),
)
MAJORITY = pl.DataFrame({"statement_id": [7, 9], "majority": [1, 0]}, schema_overrides={"majority": pl.Int8})


def test_statements_are_those_that_either_side_knows_and_models_keep_their_order() -> None:
    judged = align(FOUND, majority=MAJORITY)
    assert judged.models == ("b", "a")
    assert judged.ids.tolist() == [3, 7, 9]
    np.testing.assert_array_equal(judged.given, [np.nan, 1, 0])
    assert tuple(judged.mass["q1"][1, 0]) == REFUSAL
    assert np.isnan(judged.mass["q1"][0, 0]).all()
    assert np.isnan(judged.mass["q3"]).all()


def test_a_tie_counts_half_and_is_a_yes_as_published() -> None:
    judged = align(FOUND, majority=MAJORITY)
    np.testing.assert_array_equal(judged.answers.q1, [[np.nan, 0.5, np.nan], [1, 1, np.nan]])
    np.testing.assert_array_equal(judged.published_answers.q1, [[np.nan, 1, np.nan], [1, 1, np.nan]])
    np.testing.assert_array_equal(judged.refusals("q1"), [[np.nan, 0, np.nan], [1, 0, np.nan]])


def test_a_refusal_is_no_answer_where_it_is_separate() -> None:
    judged = align(FOUND, majority=MAJORITY, policy="separate")
    np.testing.assert_array_equal(judged.answers.q1[1], [np.nan, 1, np.nan])


def test_within_a_population_other_answers_agree_with_neither_side() -> None:
    mass1 = np.array([[0.5, 0.2, 0.3], [0.2, 0.5, 0.3], [0.1, 0.1, 0.8]])
    mass2 = np.array([[0.6, 0.1, 0.3], [0.6, 0.1, 0.3], [0.3, 0.2, 0.5]])
    scores = population_scores(*population(mass1, mass2, "wrong"))
    np.testing.assert_allclose(scores.consensus, [0.3, 0.3, 0.0], atol=1e-12)
    np.testing.assert_allclose(scores.awareness[:2], [0.6, 0.1], atol=1e-12)


def test_people_without_order_are_in_that_of_their_names() -> None:
    rows = [(7, "10", 1, 0), (7, "9", 0, None), (3, "9", 1, 1)]
    people = pl.DataFrame(rows, schema=["statement_id", "person", "q1", "q2"], orient="row")
    judged = align(FOUND, people)
    assert judged.persons == ("9", "10")
    assert judged.people is not None
    np.testing.assert_array_equal(judged.people.statement, [0, 1, 1])
    np.testing.assert_array_equal(judged.people.q2, [1, np.nan, 0])
    names = align(FOUND, people.with_columns(pl.lit("x").alias("person") + pl.col("person"))).persons
    assert names == ("x10", "x9")


def test_nothing_in_common_is_refused() -> None:
    check_common([1, 2], [2, 3])
    check_common([1, 2], None)
    with pytest.raises(InputError, match="no statement in common"):
        check_common([1, 2], [3])


def test_published_demographics_are_joined_by_the_number_of_the_response(tmp_path: Path) -> None:
    path = tmp_path / "demographics.csv"
    path.write_text("ResponseId,sex\n" + "".join(f"Response_{i},{'ab'[i > 5]}\n" for i in range(1, 11)))
    found = read_demographics(path, [str(i) for i in range(10)])
    assert found.groups["sex"].names == ("a", "b")
    assert found.groups["sex"].members[0].tolist() == [True] * 5 + [False] * 5
    assert "are taken for the people 0, 1" in found.notes[0]
    path.write_text("ResponseId,sex\nR_1,a\n")
    with pytest.raises(InputError, match="line 2: ResponseId is 'R_1'"):
        read_demographics(path, ["0"])
    path.write_text("person,age\n" + "".join(f"{i},{20 + i}\n" for i in range(40)))
    bands = read_demographics(path, [str(i) for i in range(40)]).groups["age"]
    assert bands.names == ("20–29", "30–39", "40–49", "50–59")
