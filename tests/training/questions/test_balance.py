"""The choice of questions that say nothing about their answers, against trying all choices."""

from collections import Counter
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from questions.balance import even

questions = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), st.booleans()), max_size=9)


def is_even(chosen):
    sides = [
        Counter((what, row[what]) for row in chosen if row[2] is way for what in (0, 1))
        for way in (True, False)
    ]
    return sides[0] == sides[1]


@given(questions)
def test_as_many_as_can_be_are_chosen_evenly(rows):
    chosen = even([row[0] for row in rows], [row[1] for row in rows], [row[2] for row in rows])
    assert len({*chosen}) == len(chosen)
    assert is_even([rows[i] for i in chosen])
    most = next(
        count
        for count in range(len(rows), -1, -1)
        if any(is_even(list(some)) for some in combinations(rows, count))
    )
    assert len(chosen) == most
