"""Lists of answers in a text: found, and turned."""

from __future__ import annotations

import pytest

from probsense.tasks.shared.orders import composed, listed_order, turned

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
def test_words_change_places_and_marks_stay(text: str, expected: str, order: tuple[int, int]) -> None:
    assert listed_order(text, YES_NO) == order
    assert turned(text, YES_NO, (1, 0)) == expected
    assert turned(text, YES_NO, (0, 1)) == text


@pytest.mark.parametrize(
    "text",
    ["Is it so, yes?", "yes or yes", "Say yes, but say no.", "eyes or nose", "yes or maybe or no", "no yes"],
)
def test_what_is_no_list_of_all_answers_stays(text: str) -> None:
    assert listed_order(text, YES_NO) is None
    assert turned(text, YES_NO, (1, 0)) == text


def test_three_answers_turn_by_their_places() -> None:
    """The answer in each place after the turn is the one that stood at the place it names."""
    text = "Choose: Blue, red, or green."
    order = listed_order(text, THREE)
    assert order == (2, 0, 1)
    assert turned(text, THREE, (1, 2, 0)) == "Choose: red, green, or Blue."
    assert composed(order, (1, 2, 0)) == listed_order("red, green, or Blue", THREE)
