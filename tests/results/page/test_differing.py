"""How far apart the answers to one question are."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probsense.analysis.distributions import divergence
from probsense.results.page.items import difference, total_variation
from probsense.runs.transcripts import Reply

NAMES = "abcde"


def reply(shares: dict[str, float], rest: float | None = None) -> Reply:
    return Reply("", (*shares.items(),), rest)


@st.composite
def shares(draw: st.DrawFn) -> Reply:
    weights = draw(st.lists(st.floats(0.001, 1), min_size=1, max_size=6))
    found = [weight / sum(weights) for weight in weights]
    if draw(st.booleans()) and len(found) > 1:
        return reply(dict(zip(NAMES, found[1:], strict=False)), found[0])
    found = [share / sum(found[:5]) for share in found[:5]]
    return reply(dict(zip(NAMES, found, strict=False)))


@given(shares(), shares())
def test_it_is_a_distance_from_0_to_1(one: Reply, other: Reply) -> None:
    found = total_variation(one, other)
    assert 0 <= found <= 1
    assert found == pytest.approx(total_variation(other, one))
    assert total_variation(one, one) == pytest.approx(0)


@given(shares(), shares())
def test_it_is_the_total_variation_of_arrays(one: Reply, other: Reply) -> None:
    if one.rest is None or other.rest is None:
        one, other = (
            reply({name: share / sum(dict(own.shares).values()) for name, share in own.shares}, 0.0)
            for own in (one, other)
        )
    p, q = (
        np.array([*(dict(own.shares).get(name, 0.0) for name in NAMES), own.rest]) for own in (one, other)
    )
    assert total_variation(one, other) == pytest.approx(float(divergence.total_variation(p, q)))


def test_what_has_no_name_counts_as_one_answer() -> None:
    refuses, says = reply({"yes": 0.0, "no": 0.001}, 0.999), reply({"yes": 0.9, "no": 0.1}, 0.0)
    assert total_variation(refuses, says) == pytest.approx(0.999)


def test_options_are_compared_with_what_labels_have_among_them() -> None:
    options, labels = reply({"yes": 0.75, "no": 0.25}), reply({"yes": 0.075, "no": 0.025}, 0.9)
    assert total_variation(options, labels) == pytest.approx(0)
    assert total_variation(options, reply({"yes": 0.0, "no": 0.0}, 1.0)) == 1


def test_the_two_that_differ_most_count() -> None:
    yes, no, even = (reply({"yes": p, "no": 1 - p}) for p in (1.0, 0.0, 0.5))
    assert difference([even, yes]) == pytest.approx(0.5)
    assert difference([even, yes, no]) == pytest.approx(1)
    assert difference([yes]) is None
    assert difference([]) is None
