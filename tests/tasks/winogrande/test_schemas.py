"""Schemas: how a sentence is split, how what is wrong with a line is named, and those of the package."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probsense.core.errors import InputError
from probsense.core.records import Item
from probsense.tasks.winogrande.schemas import PACKAGED, read_schemas, split

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


@pytest.mark.parametrize(
    ("changes", "parts"),
    [
        ({"option2": None}, ("option2 is missing",)),
        ({"qID": None}, ("qID is missing",)),
        ({"option4": "x"}, ("unknown key option4", "did you mean 'option")),
        ({"option99999999999": "x"}, ("unknown key option99999999999",)),
        ({"anwser": "1"}, ("unknown key anwser; did you mean 'answer'?",)),
        ({"option1": 5}, ("option1 is 5", "text")),
        ({"answer": 1}, ("answer is 1", "text")),
        ({"answer": "3"}, ("answer is '3'", "1, 2")),
        ({"sentence": "Ann met Bob."}, ("0 times", "exactly one")),
        ({"sentence": "_ met _."}, ("2 times", "exactly one")),
        ({"option2": "Ann"}, ("two options are the same",)),
        ({"option2": " "}, ("option2 is ' '",)),
        ({"qID": "x-1"}, ("qID is 'x-1' again, first on line 1",)),
    ],
)
def test_faults_are_named_with_their_line(
    tmp_path: Path, changes: dict[str, Any], parts: tuple[str, ...]
) -> None:
    bad = {key: value for key, value in (GOOD | {"qID": "y"} | changes).items() if value is not None}
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


ITEMS = list(read_schemas(PACKAGED))


def pairs() -> dict[str, list[Item]]:
    found: dict[str, list[Item]] = defaultdict(list)
    for item in ITEMS:
        found[item.cluster].append(item)
    return found


def test_thirty_twin_pairs_side_by_side() -> None:
    assert len(ITEMS) == 60
    assert [item.id for item in ITEMS] == [f"{name}-{n}" for name in pairs() for n in (1, 2)]


def test_twins_differ_in_one_word_behind_the_blank_and_in_their_answer() -> None:
    for first, second in pairs().values():
        a, b = (item.data["sentence"].split(" ") for item in (first, second))
        assert len(a) == len(b)
        (place,) = [i for i, (x, y) in enumerate(zip(a, b, strict=True)) if x != y]
        assert place > next(i for i, word in enumerate(a) if "_" in word)
        assert first.data["options"] == second.data["options"]
        assert {first.gold, second.gold} == {"0", "1"}


def test_both_options_stand_in_the_sentence() -> None:
    for item in ITEMS:
        first, second = item.data["options"]
        assert first not in second
        assert second not in first
        assert all(option in item.data["sentence"] for option in (first, second)), item.id


def test_answers_are_balanced_by_number_by_twin_and_by_order_of_mention() -> None:
    assert Counter(item.gold for item in ITEMS) == {"0": 30, "1": 30}
    assert Counter((item.id[-1], item.gold) for item in ITEMS) == Counter(
        {(n, gold): 15 for n in "12" for gold in "01"}
    )
    mentioned_first = [
        min(item.data["options"], key=item.data["sentence"].index) == item.data["options"][int(item.gold)]
        for item in ITEMS
    ]
    assert sum(mentioned_first) == 30


def test_no_two_are_alike() -> None:
    assert len({item.data["sentence"].lower() for item in ITEMS}) == 60
    assert len({frozenset(item.data["options"]) for item in ITEMS}) == 30
    stories = [frozenset(a.data["sentence"].lower().split()) for a, _ in pairs().values()]
    for i, a in enumerate(stories):
        for b in stories[:i]:
            assert len(a & b) / len(a | b) < 0.5


def test_a_sentence_may_begin_with_its_blank() -> None:
    assert any(item.data["sentence"].startswith("_") for item in ITEMS)
