"""Orders of options: Latin squares, against enumeration."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest

from probsense.tasks.shared.orders import orders_of


@pytest.mark.parametrize("options", range(2, 9))
def test_as_many_orders_as_options_put_every_option_once_in_every_place(options: int) -> None:
    orders = orders_of(options, options)
    assert len(orders) == options
    assert all(sorted(order) == [*range(options)] for order in orders)
    assert {(place, one) for order in orders for place, one in enumerate(order)} == {
        (place, one) for place in range(options) for one in range(options)
    }
    assert orders[0] == tuple(range(options))  # the order of the file


@pytest.mark.parametrize("options", [2, 4, 6, 8])
def test_for_even_numbers_every_option_follows_every_other_one_once(options: int) -> None:
    following = Counter(pair for order in orders_of(options, options) for pair in pairwise(order))
    assert following == {(a, b): 1 for a in range(options) for b in range(options) if a != b}


@pytest.mark.parametrize("options", range(2, 30))
@pytest.mark.parametrize("wanted", [None, 1, 2, 3, 4, 7])
def test_no_option_stands_twice_in_one_place(options: int, wanted: int | None) -> None:
    orders = orders_of(options, wanted)
    assert len(orders) == min(options, wanted or 4)
    for place in range(options):
        assert len({order[place] for order in orders}) == len(orders)


@pytest.mark.parametrize("options", range(5, 27))
def test_four_orders_put_every_option_near_the_middle_of_the_list_on_average(options: int) -> None:
    means = [sum(order.index(one) for order in orders_of(options)) / 4 for one in range(options)]
    middle = (options - 1) / 2
    assert all(abs(mean - middle) <= (0 if options % 2 == 0 else 0.75) for mean in means)
