"""Reading answers out of texts."""

from __future__ import annotations

from collections import Counter

import pytest

from probsense.tasks.worldsense.generate.design import Design
from probsense.tasks.worldsense.questions.asking import ask_again, balanced, generated_items, read_reply

TRUTH = ("TRUE", "FALSE")
POSSIBILITY = ("POSSIBLE", "IMPOSSIBLE")
NUMBERS = ("1", "2", "3")


@pytest.mark.parametrize(
    ("reply", "allowed", "answer"),
    [
        ("TRUE", TRUTH, "TRUE"),
        (" false.\n", TRUTH, "FALSE"),
        ("The claim is 'TRUE'", TRUTH, "TRUE"),
        ("IMPOSSIBLE", POSSIBILITY, "IMPOSSIBLE"),
        ("(2)", NUMBERS, "2"),
        ("Answer: 3", NUMBERS, "3"),
        ("", TRUTH, ""),
        ("perhaps", TRUTH, ""),
        ("TRUE or FALSE", TRUTH, ""),
        ("It is not possible", POSSIBILITY, ""),
        ("12", NUMBERS, ""),
        ("3, because it cannot be decided", NUMBERS, "3"),
        ("1: Ann is older, not younger", NUMBERS, "1"),
        ("It is not 3", NUMBERS, ""),
        ("TRUE, not a guess", TRUTH, ""),
        ("untrue", TRUTH, ""),
    ],
)
def test_read_reply(reply: str, allowed: tuple[str, ...], answer: str) -> None:
    assert read_reply(reply, allowed) == answer


def test_the_second_question_lists_the_answers() -> None:
    assert (
        ask_again("Is it so?\n", TRUTH)
        == "Is it so?\nYour answer must be exactly one of these: TRUE, FALSE.\n"
    )


def test_a_limit_spreads_over_sizes_whatever_complexities_they_have() -> None:
    """Of four things, stories of one complexity only have enough forms; they are asked as often as others."""
    items = list(generated_items(Design(problems=("Infer.normal",))))
    sizes = Counter(item.data["size"] for item in balanced(items, 240, 0))
    assert sizes.total() == 240
    assert max(sizes.values()) - min(sizes.values()) < 40
