"""Tables side by side as arrays: models alone, beside a majority, and among people."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from probsense.errors import InputError
from probsense.tasks.judgments.against import Majority, Ratings
from probsense.tasks.judgments.align import align, check_common
from probsense.tasks.judgments.judged import AgainstMajority, AmongPeople, BesidePeople, ModelsAlone

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
MAJORITY = Majority(
    pl.DataFrame({"statement_id": [7, 9], "majority": [1, 0]}, schema_overrides={"majority": pl.Int8})
)
PEOPLE = pl.DataFrame(
    [(7, "10", 1, 0), (7, "9", 0, None), (3, "9", 1, 1)],
    schema=["statement_id", "person", "q1", "q2"],
    orient="row",
)


def test_statements_are_those_that_either_side_knows_and_models_keep_their_order() -> None:
    judged = align(FOUND, MAJORITY)
    assert isinstance(judged, AgainstMajority)
    assert judged.models == ("b", "a")
    assert judged.ids.tolist() == [3, 7, 9]
    np.testing.assert_array_equal(judged.majority, [np.nan, 1, 0])
    assert judged.key is judged.published_key is judged.majority
    assert tuple(judged.mass["q1"][1, 0]) == REFUSAL
    assert np.isnan(judged.mass["q1"][0, 0]).all()
    assert np.isnan(judged.mass["q3"]).all()


def test_people_without_order_are_in_that_of_their_names() -> None:
    judged = align(FOUND, Ratings(PEOPLE))
    assert isinstance(judged, AmongPeople)
    assert judged.persons == ("9", "10")
    np.testing.assert_array_equal(judged.people.statement, [0, 1, 1])
    np.testing.assert_array_equal(judged.people.q2, [1, np.nan, 0])
    named = align(FOUND, Ratings(PEOPLE.with_columns(pl.lit("x").alias("person") + pl.col("person"))))
    assert isinstance(named, AmongPeople)
    assert named.persons == ("x10", "x9")


def test_models_alone_have_their_own_statements_and_nothing_of_people() -> None:
    judged = align(FOUND, policy="drop", compat=True)
    assert isinstance(judged, ModelsAlone)
    assert not isinstance(judged, BesidePeople)
    assert judged.ids.tolist() == [3, 7]
    assert (judged.policy, judged.compat) == ("drop", True)
    assert tuple(judged.mass["q1"][1, 0]) == REFUSAL


def test_every_case_carries_the_policy_and_the_faults() -> None:
    for against in (MAJORITY, Ratings(PEOPLE)):
        judged = align(FOUND, against, policy="wrong", compat=True)
        assert (judged.policy, judged.compat) == ("wrong", True)


def test_nothing_in_common_is_refused() -> None:
    check_common([1, 2], [2, 3])
    with pytest.raises(InputError, match="no statement in common"):
        check_common([1, 2], [3])
    with pytest.raises(InputError, match="no statement in common"):
        align(FOUND, Majority(MAJORITY.frame.with_columns(statement_id=pl.Series([1, 2]))))
