"""The spread of answers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probsense.results.site.differing import spread

shares = st.lists(
    st.dictionaries(st.sampled_from("abc"), st.floats(0.01, 1), min_size=1).map(
        lambda own: {name: value / sum(own.values()) for name, value in own.items()}
    ),
    min_size=1,
    max_size=6,
)


@given(shares)
def test_it_is_a_share_and_knows_no_order(own: list[dict[str, float]]) -> None:
    found = spread(own)
    assert -1e-12 <= found < 1
    assert spread(own[::-1]) == found
    assert spread([{"abc"[::-1]["abc".index(name)]: own[name] for name in own} for own in own]) == found
    assert spread(own * 3) == pytest.approx(found)
    assert spread([own[0]] * 4) == pytest.approx(0, abs=1e-12)


def test_known_values() -> None:
    assert spread([{"a": 1}, {"b": 1}]) == 0.5
    assert spread([{"a": 1}, {"a": 0.5, "b": 0.5}]) == 0.25
    assert spread([{"a": 1.0, "b": 0.0}, {"a": 1.0}]) == 0
