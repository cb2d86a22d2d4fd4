"""What is kept of a form, and what is wrong with it."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probsense.studies.collect.forms import LONGEST, Field, faults, received

TEXT = Field("a", "?", "text")
CHOICE = Field("c", "?", "choice", (("x  y", "X"), ("z", "Z")), needed=False)
NUMBER = Field("n", "?", "number", needed=False, low=1.5)


@given(st.text())
def test_any_text_is_one_line_that_stays_the_same(text):
    kept = received((TEXT,), {"a": text})
    if "a" in kept:
        line = kept["a"]
        assert 0 < len(line) <= LONGEST
        assert len(line.splitlines()) == 1
        assert line == line.strip()
        assert unicodedata.is_normalized("NFC", line)
        assert received((TEXT,), kept) == kept
    assert bool(faults((TEXT,), kept)) == ("a" not in kept)


@pytest.mark.parametrize(
    "text", ["e\u0301t\u00e9", "\u0645\u06cc\u200c\u0631\u0648\u0645", "\U0001f469\u200d\U0001f52c", "\u6c34"]
)
def test_letters_of_any_script_stay(text):
    assert received((TEXT,), {"a": f" {text}\x07 "}) == {"a": unicodedata.normalize("NFC", text)}


@pytest.mark.parametrize("text", ["\u200b", "\u202e \u2066", "\u200c\u200d", "\ufeff"])
def test_what_nobody_sees_is_no_answer(text):
    assert received((TEXT,), {"a": text}) == {}


def test_what_nobody_sees_beside_an_answer_goes():
    assert received((TEXT,), {"a": "a\u202eb\u00adc"}) == {"a": "abc"}


def test_only_options_that_there_are():
    assert received((CHOICE,), {"c": "x  y"}) == {"c": "x  y"}
    assert received((CHOICE,), {"c": "x y"}) == {}
    assert received((CHOICE,), {"c": ""}) == {}


@pytest.mark.parametrize("text", ["1,5", "2", "", "2,1250", "50000"])
def test_numbers_within_their_bounds(text):
    assert faults((NUMBER,), received((NUMBER,), {"n": text})) == {}


@pytest.mark.parametrize("text", ["1.4", "two", "nan", "50,000", "50.000", "2.125e3", "1_000", "1.234.567"])
def test_what_is_no_number_or_out_of_bounds(text):
    assert faults((NUMBER,), received((NUMBER,), {"n": text})) != {}
