"""Reading answers out of texts."""

from __future__ import annotations

import pytest

from probsense.tasks.worldsense.questions.asking import ask_again, read_reply

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
