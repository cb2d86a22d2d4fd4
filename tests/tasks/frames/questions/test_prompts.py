"""What is left of a text as its answer."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from probsense.tasks.frames.questions.prompts import LENGTH, clean, ends_open, normalise

FILLERS = [
    *["A:", "a :", "Answer:", "[A]:", "[a]", "(A)", "**Answer:**"],
    *["[Answer]:", "Final answer:", "My answer:"],
    *["The answer is", "The best answer would be", "I would say", "I'd say that", "I’d say it's"],
    *["Most people would say", "a", "An", "THE", "the the", "- ", "1. ", "# ", "• ", "“", "**", "`", "<b>"],
    *["</s>", "<|im_start|>", ""],
]
WORDS = [
    *["knife", "Café au lait", "ноже", "刀", "C++", "5 o'clock", "at the beach", "T-shirt", "area: 51"],
    "answers",
]


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        (" A knife.", "knife"),
        ("Answer: The Bread Knife!", "bread knife"),
        ("[A]: a knife [Q]: A kite is flown.", "knife"),
        ("knife[q]: where", "knife"),
        ("[Q]: Where?", ""),
        ('**The answer is:** "a knife"', "knife"),
        ("I would say, “Yes.”", "yes"),
        ("Answer:\n\nknife\nBecause it is sharp.", "knife"),
        ("A:", ""),
        ("[A]:\n", ""),
        ("the", "the"),
        ("A", "a"),
        ("(knife)", "knife"),
        ("a knife (sharp)", "knife (sharp)"),
        ("1. knife\n2. saw", "knife"),
        ("<b>knife</b>", "knife"),
        ("at  the\tbeach", "at the beach"),
        ("I think it is raining", "raining"),
        ("", ""),
        (" ?! \n\n", ""),
        ("the " + "x" * 60, "x" * LENGTH),
    ],
)
def test_what_stands_around_an_answer_is_left_out(text: str, answer: str) -> None:
    assert clean(text) == answer


anything = st.text() | st.lists(
    st.sampled_from([*FILLERS, *WORDS, "\n", " ", "[Q]:", "(", ")", "[", "]"])
).map(" ".join)


@given(anything)
@example("(" + "a" * 49 + ") b")
@example("the (the " + "b" * 44 + ") c")
@example("İ")
def test_cleaning_is_done_once_and_adds_nothing(text: str) -> None:
    answer = clean(text)
    assert clean(answer) == answer
    assert len(answer) <= min(LENGTH, len(text.lower()))
    assert "\n" not in answer
    assert answer == " ".join(answer.split())
    assert not answer or answer.lower() == answer


@given(
    st.lists(st.sampled_from(FILLERS), max_size=4),
    st.sampled_from(WORDS),
    st.sampled_from(["", ".", "”", "!**"]),
)
def test_a_word_beside_fillers_is_the_answer(before: list[str], word: str, after: str) -> None:
    assert clean(" ".join([*before, word]) + after) == word.lower()


@given(st.text())
def test_a_text_that_holds_a_word_has_an_answer(text: str) -> None:
    """Only marks, brackets and openings are left out: "the" by itself stays."""
    if any(character.isalnum() for character in text) and not set(text) & set("[](){}<>:"):
        assert clean(text) or normalise(text).startswith(("i think", "i guess"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("knife", True),
        ("so\nknife", False),
        ("knife\n", False),
        ("knife [Q]:", False),
        ("", True),
        ("Answer:\n", True),
        ("[Q]: a", False),
    ],
)
def test_whether_the_answer_ends_only_with_the_text(text: str, expected: bool) -> None:
    assert ends_open(text) is expected


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        (" A knife.\nAnd a board", "a knife"),
        ('\n\n "Bread  Knife" ', "bread knife"),
        ("", ""),
        (" .\n\t\n", ""),
        ("🎈 Schnur", "🎈 schnur"),
        ("חוט דק\nעוד", "חוט דק"),
        ("x" * 10_000, "x" * LENGTH),
        ("a" * (LENGTH - 1) + " b", "a" * (LENGTH - 1)),
    ],
)
def test_a_text_as_an_answer_without_cleaning(text: str, answer: str) -> None:
    assert normalise(text) == answer
