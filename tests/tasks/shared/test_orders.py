"""Orders of options: Latin squares, against enumeration; and lists of answers in a text, found and turned."""

from collections import Counter
from itertools import pairwise

import pytest

from probsense.tasks.shared.orders import composed, listed_order, orders_of, turned


@pytest.mark.parametrize("options", range(2, 29))
@pytest.mark.parametrize("wanted", [None, 1, 2, 3, 7, 28])
def test_no_option_stands_twice_in_one_place(options, wanted):
    """Four orders put every option near the middle of the list, on the average."""
    orders = orders_of(options, wanted)
    assert len(orders) == min(options, wanted or 4)
    assert orders[0] == tuple(range(options))  # the order of the file
    assert all(sorted(order) == [*range(options)] for order in orders)
    for place in range(options):
        assert len({order[place] for order in orders}) == len(orders)
    means = [sum(order.index(one) for order in orders) / len(orders) for one in range(options)]
    if wanted is None and options > 4:
        assert all(abs(mean - (options - 1) / 2) <= 0.75 * (options % 2) for mean in means)


@pytest.mark.parametrize("options", [2, 4, 6, 8])
def test_for_even_numbers_every_option_follows_every_other_one_once(options):
    following = Counter(pair for order in orders_of(options, options) for pair in pairwise(order))
    assert following == {(a, b): 1 for a in range(options) for b in range(options) if a != b}


YES_NO = (("yes", "aye"), ("no", "nay"))
THREE = (("red",), ("green",), ("blue",))


@pytest.mark.parametrize(
    ("text", "expected", "order"),
    [
        ('Start your answer with a "yes" or "no".', 'Start your answer with a "no" or "yes".', (0, 1)),
        ("Only respond with 'Nay', 'Aye', please.", "Only respond with 'Aye', 'Nay', please.", (1, 0)),
        ("yes/no? Say yes or no:", "no/yes? Say no or yes:", (0, 1)),
        ("“yes”, or “no”", "“no”, or “yes”", (0, 1)),
    ],
)
def test_words_change_places_and_marks_stay(text, expected, order):
    assert listed_order(text, YES_NO) == order
    assert turned(text, YES_NO, (1, 0)) == expected
    assert turned(text, YES_NO, (0, 1)) == text


@pytest.mark.parametrize(
    "text",
    ["Is it so, yes?", "yes or yes", "Say yes, but say no.", "eyes or nose", "yes or maybe or no", "no yes"],
)
def test_what_is_no_list_of_all_answers_stays(text):
    assert listed_order(text, YES_NO) is None
    assert turned(text, YES_NO, (1, 0)) == text


def test_three_answers_turn_by_their_places():
    """The answer in each place after the turn is the one that stood at the place it names."""
    text = "Choose: Blue, red, or green."
    order = listed_order(text, THREE)
    assert order == (2, 0, 1)
    assert turned(text, THREE, (1, 2, 0)) == "Choose: red, green, or Blue."
    assert composed(order, (1, 2, 0)) == listed_order("red, green, or Blue", THREE)
