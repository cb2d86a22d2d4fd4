"""The depth of inference against brute force over all subsets of facts."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probsense.tasks.worldsense.generate.stories import before, between
from probsense.tasks.worldsense.measures.difficulty import depth
from probsense.tasks.worldsense.text.logic import Claim, verdict, worlds


def brute(n: int, facts: list[Claim], claim: Claim, lines: bool = False) -> int | None:
    if verdict(worlds(n, facts, lines), claim) not in ("yes", "no"):
        return None
    return next(
        k
        for k in range(len(facts) + 1)
        for chosen in combinations(facts, k)
        if verdict(worlds(n, chosen, lines), claim) in ("yes", "no")
    )


@st.composite
def stories(draw: st.DrawFn) -> tuple[int, list[Claim], Claim]:
    """Facts that hold in the order 0, 1, ..., some of which may follow from others, and any claim."""
    n = draw(st.integers(3, 6))
    pairs, triples = list(combinations(range(n), 2)), list(combinations(range(n), 3))
    true = [before(*pair) for pair in pairs] + [between(m, a, b) for a, m, b in triples]
    facts = draw(st.lists(st.sampled_from(true), min_size=1, max_size=8))
    relation = draw(st.sampled_from(["before", "between", "outside", "first", "last"]))
    arity = {"before": 2, "between": 3, "outside": 3}.get(relation, 1)
    return n, facts, Claim(relation, tuple(draw(st.permutations(range(n)))[:arity]))


@given(stories())
def test_depth_is_the_size_of_the_smallest_subset_that_decides(story: tuple[int, list[Claim], Claim]) -> None:
    assert depth(*story) == brute(*story)


@pytest.mark.parametrize("turned", [0, 2])
def test_lines_are_joined_link_by_link(turned: int) -> None:
    links = [Claim("perpendicular" if i == turned else "parallel", (i, i + 1)) for i in range(4)]
    for claim in (Claim("parallel", (3, 0)), Claim("perpendicular", (3, 0))):
        assert depth(5, links, claim, lines=True) == brute(5, links, claim, lines=True) == 3
    assert depth(5, links[1:], Claim("parallel", (3, 0)), lines=True) is None


def test_foreign_claims_have_no_depth() -> None:
    assert depth(3, [before(0, 1)], Claim("foreign", (0, 1))) is None
