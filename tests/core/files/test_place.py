"""Checks of values: each gives back what is right, and whatever else makes one clear line."""

import datetime
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probsense.core.errors import SHOWN, brief
from probsense.core.files import Place

FILE = Path("a.jsonl")
PLACE = Place(FILE, 3)

CHARACTERS = st.characters() | st.characters(categories=["Cs"])
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.just(10**400)
    | st.floats()
    | st.text(CHARACTERS, max_size=90)
    | st.binary(max_size=90)
    | st.dates()
)
KEYS = st.text(CHARACTERS, max_size=70) | st.integers() | st.booleans() | st.none()
DOCUMENTS = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(KEYS, inner), max_leaves=12)

CHECKS = {
    "mapping": lambda place, value: place.mapping(value),
    "record": lambda place, value: place.record(value, "a", needed=("text",), optional=("more",)),
    "text": lambda place, value: place.text(value, "a"),
    "one of": lambda place, value: place.one_of(value, "a", ("yes", "no")),
    "whole": lambda place, value: place.whole(value, "a", 0, 5),
    "number": lambda place, value: place.number(value, "a"),
    "number to 0": lambda place, value: place.number(value, "a", -float("inf"), 0),
    "entries": lambda place, value: place.entries(value, "a", least=2),
    "texts": lambda place, value: place.texts(value, "a"),
}


Fault = Callable[[Callable[[], object]], str]


@pytest.mark.parametrize("name", CHECKS)
@given(document=DOCUMENTS, key=st.text(CHARACTERS) | st.integers(), line=st.none() | st.just(7))
def test_any_document_is_right_or_one_line(fault_of, name, document, key, line):
    for place in (Place(FILE, line), Place(Path("b.yaml"), line).inside(key, "inner", 2)):
        found = []
        fault = fault_of(lambda: found.append(CHECKS[name](place, document)))  # noqa: B023 - called here
        # A large whole number is rounded where a float is asked for.
        right = [float(document)] if "number" in name and not fault else [document]
        assert fault.startswith(str(place.path)) if fault else found == right


@given(DOCUMENTS)
def test_a_value_is_shown_in_ascii_on_one_short_line(document):
    shown = brief(document)
    assert shown.isascii()
    assert shown.isprintable()
    assert len(shown) <= SHOWN


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ({"a": [1, "é"], 2: None}, r"{'a': [1, '\xe9'], 2: None}"),
        ("x" * 58, f"'{'x' * 58}'"),
        ("x" * 59, f"'{'x' * 56}..."),
        ([["a" * 30] * 10**6] * 10**6, "[['" + "a" * 30 + "', '" + "a" * 20 + "..."),
        (2**300, str(2**300)[:57] + "..."),
        ([10**5000], "a number of very many digits"),
        ([[[[[[[[]]]]]]]], "[[[[[[[...]]]]]]]"),
        (datetime.date(2001, 2, 3), "datetime.date(2001, 2, 3)"),
    ],
)
def test_what_is_shown_of_a_value(value, shown):
    assert brief(value) == shown


@pytest.mark.parametrize(
    ("check", "expected"),
    [
        (lambda: PLACE.mapping([]), "a.jsonl, line 3: the line is [] (expected an object)"),
        (
            lambda: Place(Path("a.yml.gz")).mapping({5: 1}),
            "a.yml.gz: a key of the file is 5 (expected text; in YAML, put it in quotes)",
        ),
        (
            lambda: PLACE.inside("context", 2).record({"text": ""}, needed=("text", "expected")),
            "a.jsonl, line 3: context[2].expected is missing (expected the keys text, expected)",
        ),
        (
            lambda: PLACE.record({"b": {"txt": 1}}["b"], "b", needed=(), optional=("text",)),
            "a.jsonl, line 3: unknown key b.txt; did you mean 'text'? (expected the keys text)",
        ),
        (
            lambda: PLACE.inside("b c").record({"d\n": 1}, needed=()),
            r"a.jsonl, line 3: unknown key b c['d\n'] (expected the keys )",
        ),
        (
            lambda: PLACE.one_of("yess", "a", ("yes", "no")),
            "a.jsonl, line 3: a is 'yess'; did you mean 'yes'? (expected one of yes, no)",
        ),
        (lambda: PLACE.whole(1.0, "a", 0), "a.jsonl, line 3: a is 1.0 (expected a whole number from 0)"),
        (lambda: PLACE.number(10**400, "a"), "a.jsonl, line 3: a is 1000"),
        (lambda: PLACE.number(float("nan"), "a"), "a.jsonl, line 3: a is nan (expected a number)"),
        (lambda: PLACE.entries([], "a", least=1), "a.jsonl, line 3: a is [] (expected a list of entries, at"),
        (lambda: PLACE.entries(None, "a"), "a.jsonl, line 3: a is nothing (expected a list of entries)"),
        (lambda: PLACE.inside("a").texts([5]), "a.jsonl, line 3: a[0] is 5 (expected text)"),
        (lambda: Place(FILE, part="entry 2").text(5, "a"), "a.jsonl: entry 2: a is 5 (expected text)"),
    ],
)
def test_what_an_error_says(fault_of, check, expected):
    assert fault_of(check).startswith(expected)


def test_each_value_once(fault_of):
    seen = {}
    PLACE.once("x", "id", seen)
    PLACE.once("y", "id", seen)
    assert fault_of(lambda: Place(FILE, 5).once("x", "id", seen)) == (
        "a.jsonl, line 5: id is 'x' again, first on line 3 (expected each once)"
    )
    inside = {}
    Place(FILE).inside("a", 0).once("x", "", inside)
    assert fault_of(lambda: Place(FILE).inside("a", 1).once("x", "", inside, "each name once")) == (
        "a.jsonl: a[1] is 'x' again, first in a[0] (expected each name once)"
    )
