"""Whose answers deserve a look: each flag at its threshold, and pairs against a plain comparison of everybody."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probsense.studies.collect.answers import copied, gather
from support.studies.taking import FRAME, block_of

STATEMENTS = {"kind": "statement", "statements": ["a", "b", "c", "d"], "q1": "?", "q2": "??"}
OPEN = st.dictionaries(
    st.sampled_from("pqrs"), st.frozensets(st.sampled_from(["x", "y"]), min_size=1), max_size=4
)


def flagged(here: Any) -> list[tuple[str, ...]]:
    return [one.flags for one in gather(here.storage)]


@pytest.mark.parametrize(("slow", "flags"), [(2, ("too_fast",)), (3, ())])
def test_half_of_the_items_in_less_than_two_seconds(served, slow, flags):
    here = served(items=[STATEMENTS])
    one = here.participant().agree().send()
    for number in range(4):
        here.clock.pass_(ms=2001 if number < slow else 1900)
        one.send(q1="yes", q2="no")
    assert flagged(here) == [flags]


def test_open_answers_within_and_between_people(served, tmp_path):
    block = block_of("frame", tmp_path, *({**FRAME, "id": str(i)} for i in range(4)), answers=2)
    here = served(items=[block], order="fixed", flags={"seconds": 0})
    for answers in ("wind Wind rain WIND", "a b c d", "A b c D", "a b c e"):
        one = here.participant().agree().send()
        for answer in answers.split():
            one.send(answer_1=answer)
    assert flagged(here) == [(), ("copied",), ("copied",), ()]


@given(people=st.lists(OPEN, max_size=6), least=st.integers(0, 3))
def test_copies_are_those_of_comparing_everybody(people, least):
    expected = set()
    for i, one in enumerate(people):
        for j, other in enumerate(people):
            both = one.keys() & other.keys()
            if i != j and least and len(both) >= least and all(one[key] == other[key] for key in both):
                expected |= {i, j}
    assert copied(dict(enumerate(people)), least) == expected
