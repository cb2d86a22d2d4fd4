"""The small set of digests holds what a set holds."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from probsense.core.digests import Digests


@given(st.lists(st.integers(0, 2**64 - 1).map(lambda n: n % 5000 if n % 2 else n), max_size=300))
def test_it_holds_what_a_set_holds(numbers: list[int]) -> None:
    found, expected = Digests(), set[int]()
    for number in numbers:
        assert (number in found) == (number in expected | ({0, 1} if expected & {0, 1} else set()))
        new = found.add(number)
        assert new or number in expected | {0, 1}
        expected.add(number)
    assert all(number in found for number in numbers)


def test_it_grows_and_stays_small() -> None:
    numbers = [n * 0x9E3779B97F4A7C15 % 2**64 for n in range(1, 20_001)]
    found = Digests(numbers)
    assert len(found) == 20_000
    assert all(number in found for number in numbers)
    assert not any(number + 1 in found for number in numbers)
    assert len(found._places) * 8 < 30 * len(found)
