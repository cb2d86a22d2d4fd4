"""The solver against a plain enumeration of permutations."""

from __future__ import annotations

from itertools import permutations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probsense.tasks.worldsense.logic import Claim, everywhere, holds, some_world, verdict, worlds


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
def questions(draw: st.DrawFn) -> tuple[int, list[Claim], Claim]:
    n = draw(st.integers(3, 6))

    def claim() -> Claim:
        relation = draw(st.sampled_from(["before", "between", "outside", "first", "last"]))
        arity = {"before": 2, "between": 3, "outside": 3}.get(relation, 1)
        return Claim(relation, tuple(draw(st.permutations(range(n)))[:arity]))

    return n, [claim() for _ in range(draw(st.integers(0, 5)))], claim()


@given(questions())
def test_verdict_is_that_of_plain_enumeration(question: tuple[int, list[Claim], Claim]) -> None:
    n, facts, claim = question
    models = [order for order in permutations(range(n)) if all(true_in(order, fact) for fact in facts)]
    truths = {true_in(order, claim) for order in models}
    expected = {(): "inconsistent", (True,): "yes", (False,): "no"}.get(tuple(truths), "undecided")
    possible = worlds(n, facts)
    assert possible.bit_count() == len(models)
    assert verdict(n, possible, claim) == expected
    if models:
        assert some_world(n, possible) in models


@pytest.mark.parametrize("n", [3, 5])
def test_lines_are_decided_by_their_directions(n: int) -> None:
    facts = [Claim("perpendicular" if i % 2 else "parallel", (i, i + 1)) for i in range(n - 1)]
    models = [
        directions
        for directions in product((0, 1), repeat=n)
        if all((directions[f.args[0]] == directions[f.args[1]]) == (f.relation == "parallel") for f in facts)
    ]
    possible = worlds(n, facts, lines=True)
    assert possible.bit_count() == len(models) == 2
    expected = "yes" if models[0][0] == models[0][-1] else "no"
    assert verdict(n, possible, Claim("parallel", (0, n - 1))) == expected


def test_a_foreign_claim_is_never_decided() -> None:
    assert verdict(3, everywhere(3), Claim("foreign", (0, 1))) == "undecided"
    assert verdict(3, 0, Claim("foreign", (0, 1))) == "inconsistent"


@pytest.mark.parametrize(
    "claim", [Claim("before", (0, 0)), Claim("between", (0, 1, 7)), Claim("foreign", (0, 1))]
)
def test_senseless_claims_are_refused(claim: Claim) -> None:
    with pytest.raises(ValueError, match=r"claim|says nothing"):
        holds(3, claim)


def test_worlds_too_large_to_list_are_refused() -> None:
    with pytest.raises(ValueError, match="enumerated"):
        holds(10, Claim("before", (0, 1)))
