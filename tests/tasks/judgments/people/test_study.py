"""Tables side by side as arrays: whose answers they are, under every policy, and what most people say in each case."""

import numpy as np
import polars as pl
import pytest

from probsense.analysis.agreement.models import population_scores
from probsense.analysis.agreement.people import People
from probsense.core.errors import InputError
from probsense.tasks.judgments.people.opinions import Opinions
from probsense.tasks.judgments.people.study import Study, align, population

TIE, REFUSAL, YES = (0.4, 0.4, 0.2), (0.1, 0.05, 0.85), (0.9, 0.1, 0.0)
ROWS = [
    ("b", 7, "q1", *TIE),
    ("b", 7, "q2", *YES),
    ("a", 3, "q1", *REFUSAL),
    ("a", 7, "q1", *YES),
    ("a", 3, "q2", *YES),
    ("b", 3, "q1", None, None, None),
]
COLUMNS = ["model", "statement_id", "question", "p_yes", "p_no", "p_other"]
FOUND = pl.DataFrame(ROWS, schema=COLUMNS, orient="row")
MAJORITY = Opinions(pl.DataFrame({"statement_id": [7, 9], "majority": [1, 0]}))
RATED = {"statement_id": [7, 7, 3], "person": ["10", "9", "9"], "q1": [1, 0, 1], "q2": [0, None, 1]}


def test_statements_are_those_that_either_side_knows_and_models_keep_their_order():
    judged = align(FOUND, MAJORITY)
    assert judged.models == ("b", "a")
    assert judged.ids.tolist() == [3, 7, 9]
    np.testing.assert_array_equal(judged.majority, [np.nan, 1, 0])
    assert judged.key is judged.published_key is judged.majority
    assert tuple(judged.mass["q1"][1, 0]) == REFUSAL
    assert np.isnan([judged.mass["q1"][0, 0], judged.mass["q3"][0, 0]]).all()


def test_people_are_in_the_order_of_their_names():
    judged = align(FOUND, Opinions(pl.DataFrame(RATED)))
    assert judged.persons == ("9", "10")
    np.testing.assert_array_equal(judged.people.statement, [0, 1, 1])
    np.testing.assert_array_equal(judged.people.q2, [1, np.nan, 0])


def test_models_alone_have_their_own_statements_and_nothing_of_people():
    judged = align(FOUND, policy="drop")
    assert not judged.beside_people
    assert judged.ids.tolist() == [3, 7]
    np.testing.assert_allclose(judged.shares[0], [[np.nan, 0.5], [2 / 3, 0.9]], atol=1e-12)
    np.testing.assert_array_equal(judged.published_answers.q1, [[np.nan, 1], [1, 1]])


def test_nothing_in_common_is_refused():
    with pytest.raises(InputError, match="statements of models are of the"):
        align(FOUND, Opinions(pl.DataFrame({"statement_id": [1, 2], "majority": [1, 0]})))


def test_a_tie_counts_half_and_a_refusal_is_no_answer_where_it_is_separate():
    judged = align(FOUND, MAJORITY)
    np.testing.assert_array_equal(judged.answers.q1, [[np.nan, 0.5, np.nan], [1, 1, np.nan]])
    np.testing.assert_array_equal(judged.published_answers.q1, [[np.nan, 1, np.nan], [1, 1, np.nan]])
    judged = align(FOUND, MAJORITY, policy="separate")
    np.testing.assert_array_equal(judged.answers.q1[1], [np.nan, 1, np.nan])


def test_within_a_population_other_answers_agree_with_neither_side():
    mass1 = np.array([[0.5, 0.2, 0.3], [0.2, 0.5, 0.3], [0.1, 0.1, 0.8]])
    mass2 = np.array([[0.6, 0.1, 0.3], [0.6, 0.1, 0.3], [0.3, 0.2, 0.5]])
    scores = population_scores(*population(mass1, mass2, "wrong"))
    np.testing.assert_allclose(scores.consensus, [0.3, 0.3, 0.0], atol=1e-12)
    np.testing.assert_allclose(scores.awareness[:2], [0.6, 0.1], atol=1e-12)


def test_people_make_the_key_and_a_tie_is_a_yes_only_as_published():
    statement, person = np.repeat(np.arange(3), 4), np.tile(np.arange(4), 3)
    q1 = np.array([1, 1, 1, 0, 1, 1, 0, 0, 0, np.nan, np.nan, np.nan])
    people = People(statement, person, q1, q1, 3, 4)
    mass = dict.fromkeys(("q1", "q2", "q3"), np.array([[YES] * 3]))
    judged = Study(("m",), np.arange(3), mass, "split", False, people, ("a", "b", "c", "d"))
    np.testing.assert_array_equal(judged.key, [1, 0.5, np.nan])  # one person is too few
    np.testing.assert_array_equal(judged.published_key, [1, 1, 0])
