"""Documents are read by their types; whatever is wrong has its place, and what was expected there."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Meta, Struct

from probsense.core.errors import InputError
from probsense.core.files import Place
from probsense.core.files.typed import Number, Record, Text, Unfit, Word, read_as


class Part(Record, frozen=True):
    name: Word
    size: Annotated[int, Meta(ge=1, le=10**6)] = 1
    kind: Literal["left", "right"] = "left"
    share: Number = 0.5
    texts: Annotated[tuple[Text, ...], Meta(min_length=1)] = ("a",)
    pairs: dict[str, tuple[int, str]] = {}  # noqa: RUF012 - msgspec copies it
    named: dict[Word, int] = {}  # noqa: RUF012
    either: str | tuple[str, ...] = ""
    maybe: bool | None = None

    def __post_init__(self):
        if self.name == "odd":
            raise Unfit("an even name", "name")
        if self.name == "void":
            raise ValueError("no such part")
        if self.name == "lone" and not self.either:
            raise Unfit("something beside it", "either")
        if self.size == 2 and len(self.texts) == 2:
            raise Unfit("no second text", "texts", 1)


class Whole(Record, frozen=True):
    parts: tuple[Part, ...]


@pytest.mark.parametrize(
    ("part", "error"),
    [
        ({"name": " \n"}, "parts[0].name is ' \\n' (expected some text)"),
        ({"named": {" ": 1}, "name": "a"}, "a key of parts[0].named is ' ' (expected some text)"),
        ({}, "parts[0].name is missing (expected the keys name, size, kind,"),
        ({"name": "a", "sise": 1}, "unknown key parts[0].sise; did you mean 'size'? (expected the keys name,"),
        ({"name": "a", True: 1}, "a key of parts[0] is True (expected text; in YAML, put it in quotes)"),
        ({"name": "a", "size": 10**30}, "(expected a whole number from 1 to 1000000)"),
        ({"name": "a", "kind": "lefd"}, "kind is 'lefd'; did you mean 'left'? (expected one of left, right)"),
        ({"name": "a", "share": float("nan")}, "parts[0].share is nan (expected a number)"),
        ({"name": "a", "texts": []}, "parts[0].texts is [] (expected a list, at least one)"),
        ({"name": "a", "texts": ["", "\udfff"]}, "texts[1] is '\\udfff' (expected text of Unicode characters)"),
        ({"name": "a", "pairs": {"p": [1, "a"], "q r": [1, 2]}}, "parts[0].pairs['q r'][1] is 2 (expected text;"),
        ({"name": "a", "\ud800": 1}, "half a character in '\\ud800' (expected Unicode characters)"),
        ({"name": "a", "pairs": {7: [1]}}, "a key of parts[0].pairs is 7 (expected text;"),
        ({"name": "a", "either": 3}, "parts[0].either is 3 (expected text; in YAML, put it in quotes or a list)"),
        ({"name": "a", "maybe": 0}, "parts[0].maybe is 0 (expected true or false)"),
        ({"name": "odd"}, "parts[0].name is 'odd' (expected an even name)"),
        ({"name": "void"}, "a.yaml, line 4: no such part"),
        ({"name": "lone"}, "parts[0].either is missing (expected something beside it)"),
        ({"name": "a", "size": 2, "texts": ["a", "b"]}, "parts[0].texts[1] is 'b' (expected no second text)"),
        ([], "parts[0] is [] (expected a mapping of keys to values)"),
        ({"name": "a", "x` - at `$.parts": 1}, "unknown key parts[0]['x` - at `$.parts'] (expected"),
    ],
)  # fmt: skip
def test_a_fault_has_its_place(part, error):
    with pytest.raises(InputError) as found:
        read_as(Whole, {"parts": [part]}, Place(Path("a.yaml"), 4))
    assert str(found.value).startswith("a.yaml, line 4: ")
    assert error in str(found.value)


@dataclass
class Lax:
    name: str
    size: int = 1


def test_a_key_is_missing_whatever_else_is_there():
    with pytest.raises(InputError, match=r"\[0\]\.name is missing \(expected the keys name, size\)"):
        read_as(list[Lax], [{"size": 2, "further": 3}], Place(Path("a.json")))


class Wider(Struct, frozen=True):
    name: Word


def test_other_keys_are_fine_where_a_type_says_so():
    with pytest.raises(InputError, match=r"name is missing \(expected the keys name"):
        read_as(Wider, {"size": 1}, Place(Path("a.json")))


def test_what_fits_is_a_value_of_the_type():
    part = {"name": "a", "pairs": {"p": [1, "x"]}, "either": ["y"], "share": 1}
    assert read_as(Part, part, Place(Path("a.json"))) == Part(
        "a", pairs={"p": (1, "x")}, either=("y",), share=1.0
    )


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4) | st.integers(), inner),
    max_leaves=6,
)


@given(st.fixed_dictionaries({}, optional=dict.fromkeys(Part.__struct_fields__, values)))
def test_any_value_fits_or_is_refused(part):
    with suppress(InputError):
        assert isinstance(read_as(Part, part, Place(Path("a.json"))), Part)
