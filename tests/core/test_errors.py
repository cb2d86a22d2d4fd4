"""Errors are one line of a length that a terminal can show, whatever they quote."""

import itertools
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probsense.core.errors import LONGEST, InputError, ModelError, ProbSenseError, check_fit, did_you_mean

LENGTHS = st.integers(0, 700) | st.just(100_000)


@given(LENGTHS, LENGTHS, LENGTHS, st.none() | st.integers(1, 10**9))
def test_no_error_is_too_long(path, found, expected, line):
    error = InputError("f" * found, path="p" * path, line=line, expected="e" * expected)
    said = str(error)
    assert len(said) <= LONGEST < 500
    whole = f"{'p' * path}{f', line {line}' if line else ''}: {'f' * found}"
    whole += f" (expected {'e' * expected})" if expected else ""
    if len(whole) <= LONGEST - 2:
        assert said == whole
    for letter, length in (("p", path), ("f", found), ("e", expected)):
        assert said.count(letter) >= min(length, 130)


def test_what_is_short_stays_whole_beside_what_is_long():
    error = InputError(f"no field {'x' * 100_000}", path=Path("a/b.csv"), line=7, expected="one of a, b")
    assert str(error).startswith("a/b.csv, line 7: no field xxx")
    assert " ... " in str(error)
    assert str(error).endswith("xxx (expected one of a, b)")


def test_a_million_names_are_not_all_compared():
    names = itertools.chain(["tinny"], map("name{:06}".format, itertools.count()))
    assert did_you_mean("tiny", names) == "; did you mean 'tinny'?"
    assert did_you_mean("nobody", names) == ""


@pytest.mark.parametrize("kind", [ProbSenseError, InputError, ModelError])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\u2028", "\x0b"])
def test_every_error_is_one_line(kind, end):
    assert str(kind(f"one{end}two")) == "one two"
    assert len(str(kind("x" * 10_000))) <= LONGEST


@pytest.mark.parametrize(
    ("fitting", "number", "known", "fits"),
    [
        (0, 1, 1, False),
        (1, 1, 1000, True),  # a few of a large set
        (30, 5000, 30, True),  # many, of which a part is asked
        (2, 30, 30, False),
        (3, 30, 30, True),
        (0, 0, 0, False),
    ],
)
def test_what_hardly_fits_is_refused(fitting, number, known, fits):
    words = {"what": "answers", "of": "trials", "expected": "others"}
    if fits:
        check_fit(fitting, number, known, **words)
    else:
        with pytest.raises(
            InputError, match=f"{fitting} of {number} answers are of the {known:,} trials .expected"
        ):
            check_fit(fitting, number, known, **words)
