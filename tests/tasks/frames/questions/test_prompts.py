"""What is left of a text as its answer."""

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


CLEANED = {
    "": ["", " ?! \n\n", "[Q]: Where?", "A:", "[A]:\n"],
    "knife": [" A knife.", "[A]: a knife [Q]: A kite is flown.", "knife[q]: where", '**The answer is:** "a knife"'],
    "knife ": ["Answer:\n\nknife\nBecause it is sharp.", "(knife)", "1. knife\n2. saw", "<b>knife</b>"],
    "bread knife": ["Answer: The Bread Knife!"],
    "yes": ["I would say, “Yes.”"],
    "the": ["the"],
    "a": ["A"],
    "knife (sharp)": ["a knife (sharp)"],
    "at the beach": ["at  the\tbeach"],
    "raining": ["I think it is raining"],
    "x" * LENGTH: ["the " + "x" * 60],
}  # fmt: skip


@pytest.mark.parametrize("answer", CLEANED)
def test_what_stands_around_an_answer_is_left_out(answer):
    assert {clean(text) for text in CLEANED[answer]} == {answer.strip()}


anything = st.text() | st.lists(
    st.sampled_from([*FILLERS, *WORDS, "\n", " ", "[Q]:", "(", ")", "[", "]"])
).map(" ".join)


@given(anything)
@example("(" + "a" * 49 + ") b")
@example("the (the " + "b" * 44 + ") c")
@example("İ")
def test_cleaning_is_done_once_and_adds_nothing(text):
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
def test_a_word_beside_fillers_is_the_answer(before, word, after):
    assert clean(" ".join([*before, word]) + after) == word.lower()


@given(st.text())
def test_a_text_that_holds_a_word_has_an_answer(text):
    """Only marks, brackets and openings are left out: "the" by itself stays."""
    if any(character.isalnum() for character in text) and not set(text) & set("[](){}<>:"):
        assert clean(text) or normalise(text).startswith(("i think", "i guess"))


def test_whether_the_answer_ends_only_with_the_text():
    for text in ("knife", "", "Answer:\n"):
        assert ends_open(text)
    for text in ("so\nknife", "knife\n", "knife [Q]:", "[Q]: a"):
        assert not ends_open(text)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        (" A knife.\nAnd a board", "a knife"),
        ('\n\n "Bread  Knife" ', "bread knife"),
        (" .\n\t\n", ""),
        ("חוט דק\nעוד", "חוט דק"),
        ("x" * 10_000, "x" * LENGTH),
        ("a" * (LENGTH - 1) + " b", "a" * (LENGTH - 1)),
    ],
)
def test_a_text_as_an_answer_without_cleaning(text, answer):
    assert normalise(text) == answer
