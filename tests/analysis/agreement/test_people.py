"""People's answers: sums over people and statements."""

from __future__ import annotations

import numpy as np

from probsense.analysis.agreement.people import People


def made(statement: list[int], person: list[int], q1: list[float], q2: list[float]) -> People:
    return People(
        np.array(statement, int), np.array(person, int), np.array(q1, float), np.array(q2, float), 3, 2
    )


def test_order_does_not_matter_and_gaps_are_kept() -> None:
    people = made([2, 0, 1], [1, 1, 0], [1, np.nan, 0], [0, 1, np.nan])
    assert people.person.tolist() == [0, 1, 1]
    assert people.statement.tolist() == [1, 0, 2]
    assert people.asked1.tolist() == [1, 0, 1]
    assert people.asked2.tolist() == [0, 1, 1]
    assert people.yes1.tolist() == [0, 0, 1]
    assert people.yes2.tolist() == [0, 1, 0]


def test_sums_and_the_matrix_are_those_of_a_loop(people: People) -> None:
    values = np.random.default_rng(1).random(len(people.q1))
    dense = np.zeros((people.people, people.statements))
    for s, j, value in zip(people.statement, people.person, values, strict=True):
        dense[j, s] += value
    assert (people.matrix(values).toarray() == dense).all()
    np.testing.assert_allclose(people.by_person(values), dense.sum(axis=1), atol=1e-12)
    np.testing.assert_allclose(people.by_statement(values), dense.sum(axis=0), atol=1e-12)


def test_a_part_is_what_it_would_be_by_itself(people: People) -> None:
    kept = people.person % 3 == 1
    part = people.where(kept)
    again = People(
        people.statement[kept], people.person[kept], people.q1[kept], people.q2[kept],
        people.statements, people.people,
    )  # fmt: skip
    for name in ("statement", "person", "q1", "q2", "asked1", "yes2"):
        np.testing.assert_array_equal(getattr(part, name), getattr(again, name))
    values = np.arange(len(part.q1), dtype=float)
    assert (part.matrix(values).toarray() == again.matrix(values).toarray()).all()


def test_nobody_at_all() -> None:
    nobody = made([], [], [], [])
    assert nobody.by_statement(nobody.yes1).tolist() == [0, 0, 0]
    assert nobody.matrix(nobody.yes1).toarray().tolist() == [[0, 0, 0], [0, 0, 0]]
