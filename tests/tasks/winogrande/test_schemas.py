"""The file format of schemas: how a sentence is split, and how everything that is wrong with a line is named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probsense.errors import InputError
from probsense.tasks.winogrande.schemas import read_schemas, split

GOOD = {
    "qID": "x-1",
    "sentence": "Ann met Bob, as _ had hoped.",
    "option1": "Ann",
    "option2": "Bob",
    "answer": "2",
}


def write(folder: Path, *records: Any) -> Path:
    path = folder / "schemas.jsonl"
    path.write_text("".join((r if isinstance(r, str) else json.dumps(r)) + "\n" for r in records))
    return path


@pytest.mark.parametrize(
    ("sentence", "parts"),
    [
        ("A is B because _ is C.", ("A is B because", " ", " is C.")),
        ("_ is C, not B.", ("", "", " is C, not B.")),
        (" _ is C.", ("", " ", " is C.")),
        ("Two blanks:  _ x", ("Two blanks: ", " ", " x")),
        ("He said “_!”", ("He said “", "", "!”")),
        ("on a line\n_ ends", ("on a line\n", "", " ends")),
        ("It is _", ("It is", " ", "")),
    ],
)
def test_a_space_before_the_blank_belongs_to_the_option(sentence: str, parts: tuple[str, str, str]) -> None:
    assert split(sentence) == parts


@given(st.text(), st.text(), st.text(min_size=1))
def test_the_sentence_is_fed_as_it_is(before: str, after: str, option: str) -> None:
    before, after = before.replace("_", ""), after.replace("_", "")
    prefix, join, suffix = split(f"{before}_{after}")
    assert prefix + join + option + suffix == before + option + after
    assert join == (" " if before.endswith(" ") else "")


def test_an_item_a_line_and_twins_share_a_cluster(tmp_path: Path) -> None:
    records = [
        GOOD,
        GOOD | {"qID": "x-2", "answer": "1"},
        GOOD | {"qID": "y-3", "answer": ""},
        {key: value for key, value in GOOD.items() if key != "answer"} | {"qID": "z"},
    ]
    items = list(read_schemas(write(tmp_path, *records)))
    assert [item.id for item in items] == ["x-1", "x-2", "y-3", "z"]
    assert [item.cluster for item in items] == ["x", "x", "y-3", "z"]
    assert [item.gold for item in items] == ["1", "0", "", ""]
    assert items[0].data == {"sentence": GOOD["sentence"], "options": ["Ann", "Bob"]}


def test_there_may_be_more_than_two_options(tmp_path: Path) -> None:
    (item,) = read_schemas(write(tmp_path, {"option3": "the dog"} | GOOD | {"answer": "3"}))
    assert item.data["options"] == ["Ann", "Bob", "the dog"]
    assert item.gold == "2"


FAULTS: dict[str, tuple[Any, tuple[str, ...]]] = {
    "missing option": ({"option2": None}, ("option2 is missing",)),
    "missing id": ({"qID": None}, ("qID is missing",)),
    "options with a gap": ({"option4": "x"}, ("unknown key option4", "did you mean 'option")),
    "an option far away": ({"option99999999999": "x"}, ("unknown key option99999999999",)),
    "unknown field": ({"anwser": "1"}, ("unknown key anwser; did you mean 'answer'?",)),
    "number": ({"option1": 5}, ("option1 is 5", "text")),
    "not a number": ({"answer": float("nan")}, ("answer is nan", "text")),
    "answer as number": ({"answer": 1}, ("answer is 1", "text")),
    "answer out of range": ({"answer": "3"}, ("answer is '3'", "1, 2")),
    "no blank": ({"sentence": "Ann met Bob."}, ("0 times", "exactly one")),
    "two blanks": ({"sentence": "_ met _."}, ("2 times", "exactly one")),
    "same options": ({"option2": "Ann"}, ("two options are the same",)),
    "empty option": ({"option2": " "}, ("option2 is ' '",)),
    "half a character": ({"sentence": "\ud800 _"}, ("sentence is '\\ud800 _'", "Unicode")),
    "id again": ({}, ("qID is 'x-1' again, first on line 1",)),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_named_with_their_line(tmp_path: Path, fault: str) -> None:
    changes, parts = FAULTS[fault]
    changed: dict[str, Any] = ({} if fault == "id again" else {"qID": "y"}) | changes
    bad = {key: value for key, value in (GOOD | changed).items() if value is not None}
    path = write(tmp_path, GOOD, bad)
    with pytest.raises(InputError) as raised:
        list(read_schemas(path))
    for part in (f"{path}, line 2: ", *parts):
        assert part in str(raised.value)


@pytest.mark.parametrize(
    ("content", "part"),
    [
        ("", "is empty"),
        ("{oops", "line 1: not valid JSON"),
        ("[1]", "a JSON object"),
        ('"_"', "a JSON object"),
    ],
)
def test_files_that_are_none(tmp_path: Path, content: str, part: str) -> None:
    with pytest.raises(InputError, match=part):
        list(read_schemas(write(tmp_path, content)))
    (tmp_path / "junk.jsonl").write_bytes(bytes(range(128, 256)))
    with pytest.raises(InputError, match="not UTF-8"):
        list(read_schemas(tmp_path / "junk.jsonl"))
