"""The solver against a plain enumeration of permutations, and its speed."""

from __future__ import annotations

from itertools import combinations, permutations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probsense.tasks.worldsense.text.logic import (
    MAX_ENTITIES,
    Claim,
    ParseFailure,
    Verdict,
    verdict,
    worlds,
)


def true_in(order: tuple[int, ...], claim: Claim) -> bool:
    """Whether a claim holds in one order, said as plainly as can be."""
    place = {entity: i for i, entity in enumerate(order)}
    match claim:
        case ("before", (a, b)):
            return place[a] < place[b]
        case ("between", (m, a, b)):
            return place[a] < place[m] < place[b] or place[b] < place[m] < place[a]
        case ("outside", (m, a, b)):
            return not true_in(order, Claim("between", (m, a, b)))
        case ("first", (a,)):
            return order[0] == a
        case ("last", (a,)):
            return order[-1] == a
    raise AssertionError(claim)


@st.composite
def questions(draw: st.DrawFn) -> tuple[int, tuple[Claim, ...], Claim]:
    n = draw(st.integers(3, 6))

    def claim() -> Claim:
        relation = draw(st.sampled_from(["before", "between", "outside", "first", "last"]))
        arity = {"before": 2, "between": 3, "outside": 3}.get(relation, 1)
        return Claim(relation, tuple(draw(st.permutations(range(n)))[:arity]))

    return n, tuple(claim() for _ in range(draw(st.integers(0, 5)))), claim()


def judged(models: list[tuple[int, ...]], claim: Claim) -> Verdict:
    """The verdict on a claim, where all worlds are listed."""
    truths = {true_in(order, claim) for order in models}
    if len(truths) == 2:
        return "undecided"
    return "inconsistent" if not truths else "yes" if True in truths else "no"


@given(questions(), st.booleans())
def test_verdict_is_that_of_plain_enumeration(question, holds):
    n, facts, claim = question
    models = [order for order in permutations(range(n)) if all(true_in(order, fact) for fact in facts)]
    possible = worlds(n, facts)
    assert bool(possible) == bool(models)
    assert verdict(possible, claim) == judged(models, claim)
    part, kept = possible.where(claim, holds=holds), [one for one in models if true_in(one, claim) is holds]
    for pair in permutations(range(n), 2):
        assert verdict(part, Claim("before", pair)) == judged(kept, Claim("before", pair))
    if models:
        assert possible.some() == min(models)
        for pair in permutations(range(n), 2):
            assert verdict(possible, Claim("before", pair)) == judged(models, Claim("before", pair))
        for m, (a, b) in product(range(n), combinations(range(n), 2)):
            claim = Claim("between", (m, a, b))
            assert m in (a, b) or verdict(possible, claim) == judged(models, claim)


def test_twelve_things_and_one_more_are_decided_at_once():
    n = MAX_ENTITIES
    row = [Claim("before", (i, i + 1)) for i in range(5)]
    facts = (*row, *(Claim("between", (m, m - 1, m + 1)) for m in range(5, n - 1)))
    possible, far = worlds(n, facts), Claim("between", (1, 0, n - 1))
    assert (n, possible.some()) == (13, tuple(range(n)))
    assert {verdict(possible, claim) for claim in (far, Claim("before", (0, n - 1)))} == {"yes"}
    assert verdict(worlds(n, facts[1:]), row[0]) == verdict(worlds(n, facts[:-1]), far) == "undecided"


@pytest.mark.parametrize("n", [3, 5])
def test_lines_are_decided_by_their_directions(n):
    facts = tuple(Claim("perpendicular" if i % 2 else "parallel", (i, i + 1)) for i in range(n - 1))
    ends, turned = Claim("parallel", (0, n - 1)), Claim("perpendicular", (0, 1))
    possible, free = (worlds(n, told) for told in (facts, facts[1:]))
    world = possible.some()
    assert all((world[f.args[0]] == world[f.args[1]]) == (f.relation == "parallel") for f in facts)
    assert verdict(possible, ends) == ("yes" if world[0] == world[-1] else "no")
    assert verdict(free, ends) == "undecided"
    assert verdict(worlds(n, (*facts, turned)), facts[0]) == "inconsistent"


def test_a_foreign_claim_is_never_decided():
    foreign, cycle = Claim("foreign", (0, 1)), (Claim("before", (0, 1)), Claim("before", (1, 0)))
    assert verdict(worlds(3, ()), foreign) == "undecided"
    assert verdict(worlds(3, cycle), foreign) == "inconsistent"


@pytest.mark.parametrize("facts", [(), (Claim("parallel", (0, 1)),)])
def test_worlds_too_large_to_decide_are_refused(facts):
    with pytest.raises(ParseFailure, match="worlds of up to 13 entities can be decided, not of 14"):
        worlds(MAX_ENTITIES + 1, facts)
