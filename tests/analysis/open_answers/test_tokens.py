"""Sentences and stop words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probsense.analysis.open_answers.tokens import STOP_WORDS, sentences


def test_there_are_179_stop_words() -> None:
    assert len(STOP_WORDS) == 179
    assert {"the", "don't", "ma", "yourselves"} <= STOP_WORDS


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", [""]),
        ("a quiet place", ["a quiet place"]),
        ("the quay. boats", ["the quay.", "boats"]),
        ('she said "stop." then left', ['she said "stop."', "then left"]),
        ("why? because! so", ["why?", "because!", "so"]),
        ("at 6 p.m. sharp", ["at 6 p.m. sharp"]),
        ("dr. kim or (mrs. kim)", ["dr. kim or (mrs. kim)"]),
        ("j. doe", ["j. doe"]),
        ("wait... here", ["wait... here"]),
        ("number 7. then 8. Stop", ["number 7. then 8.", "Stop"]),
        ("the end.", ["the end."]),
        (" . x", [" .", "x"]),
    ],
)
def test_full_stops_end_sentences_but_not_abbreviations(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


@given(st.text(alphabet="ab.?! \n'\"", max_size=40))
def test_nothing_but_space_is_lost(text: str) -> None:
    assert "".join("".join(sentences(text)).split()) == "".join(text.split())
