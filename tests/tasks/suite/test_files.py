"""The files of a suite: what is read, and how everything that is wrong with one is named."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from probsense.errors import InputError
from probsense.tasks.suite.files import read_suite
from probsense.tasks.suite.files import tests_of as names_of_tests

GOOD: dict[str, Any] = {
    "pretext": "True or false?",
    "context": [{"text": "Fire is hot.", "expected": 0}, {"text": "Who knows?", "expected": -1}],
    "posttext": "Answer:",
    "queries": ["True", "False"],
}


def write(folder: Path, content: Any, name: str = "p_t.json") -> Path:
    (folder / "p.txt").write_text("Instructions.\n", encoding="utf-8")
    path = folder / name
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def test_one_item_a_context(tmp_path: Path) -> None:
    write(tmp_path, GOOD)
    first, second = read_suite(tmp_path, "p", "t")
    assert (first.id, first.cluster, first.gold) == ("p/t/0", "p/t/0", "0")
    assert (second.id, second.cluster, second.gold) == ("p/t/1", "p/t/1", "")
    assert first.data == {
        "prompt": "p",
        "test": "t",
        "instructions": "Instructions.\n",
        "text": "True or false?\nFire is hot.\nAnswer:",
        "options": ["True", "False"],
    }


@pytest.mark.parametrize(
    ("pretext", "text", "posttext", "joined"),
    [
        ("a", "b", "c", "a\nb\nc"),
        ("", "b", "", "b"),
        ("a", "", "c", "a\nc"),
        ("", "", "", ""),
        ("a\n", " b ", "c\n", "a\n\n b \nc\n"),
    ],
)
def test_only_what_is_not_empty_is_joined(
    tmp_path: Path, pretext: str, text: str, posttext: str, joined: str
) -> None:
    context = [{"text": text, "expected": -1}]
    write(tmp_path, GOOD | {"pretext": pretext, "context": context, "posttext": posttext})
    (item,) = read_suite(tmp_path, "p", "t")
    assert item.data["text"] == joined


@pytest.mark.parametrize("suffix", ["yaml", "yml"])
def test_yaml_says_the_same(tmp_path: Path, suffix: str) -> None:
    write(tmp_path, GOOD, "p_j.json")
    write(tmp_path, yaml.safe_dump(GOOD), f"p_y.{suffix}")
    a, b = ([item.data | {"test": ""} for item in read_suite(tmp_path, "p", test)] for test in "jy")
    assert a == b


def test_the_names_of_tests(tmp_path: Path) -> None:
    for name in ("p_b.yaml", "p_a.json", "p_a_2.json", "q_c.json", "p_notes.txt"):
        write(tmp_path, GOOD, name)
    assert names_of_tests(tmp_path, "p") == ["a", "a_2", "b"]
    assert names_of_tests(tmp_path / "nowhere", "p") == []


def test_a_byte_order_mark_is_no_text(tmp_path: Path) -> None:
    write(tmp_path, "\ufeff" + json.dumps(GOOD))
    (tmp_path / "p.txt").write_text("\ufeffInstructions.\n", encoding="utf-8")
    assert next(iter(read_suite(tmp_path, "p", "t"))).data["instructions"] == "Instructions.\n"


def change(*place: str | int, to: Any) -> Callable[[], dict[str, Any]]:
    """The good file with one value changed; a value of None removes the key."""

    def make() -> dict[str, Any]:
        content: Any = json.loads(json.dumps(GOOD))
        inner = content
        for step in place[:-1]:
            inner = inner[step]
        if to is None:
            del inner[place[-1]]
        else:
            inner[place[-1]] = to
        return dict(content)

    return make


FAULTS: dict[str, tuple[Callable[[], dict[str, Any]], tuple[str, ...]]] = {
    "missing key": (change("posttext", to=None), ("posttext is missing", "pretext, context, posttext")),
    "missing key of a context": (
        change("context", 1, "expected", to=None),
        ("context[1].expected is missing", "text, expected"),
    ),
    "unknown key": (change("querys", to=[]), ("unknown key querys; did you mean 'queries'?",)),
    "unknown key of a context": (
        change("context", 0, "txt", to="x"),
        ("unknown key context[0].txt; did you mean 'text'?",),
    ),
    "text as number": (change("pretext", to=5), ("pretext is 5", "text")),
    "context as text": (change("context", 1, to="Who?"), ("context[1] is 'Who?'", "an object")),
    "contexts as mapping": (change("context", to={}), ("context is {}", "a list")),
    "expected as text": (change("context", 1, "expected", to="0"), ("context[1].expected is '0'", "whole")),
    "expected as truth": (
        change("context", 1, "expected", to=True),
        ("context[1].expected is True", "whole"),
    ),
    "expected as fraction": (change("context", 1, "expected", to=0.5), ("context[1].expected is 0.5",)),
    "expected is not a number": (
        change("context", 1, "expected", to=float("nan")),
        ("context[1].expected is nan",),
    ),
    "index too large": (
        change("context", 1, "expected", to=2),
        ("context[1].expected is 2", "0 to 1, or -1 for none"),
    ),
    "index too small": (
        change("context", 0, "expected", to=-2),
        ("context[0].expected is -2", "-1 for none"),
    ),
    "no contexts": (change("context", to=[]), ("context is []", "at least one")),
    "no queries": (change("queries", to=[]), ("queries is []", "at least one")),
    "query as number": (change("queries", 1, to=3), ("queries[1] is 3", "text")),
    "empty query": (change("queries", 1, to=""), ("queries[1] is ''", "some text")),
    "half a character": (change("queries", 1, to="\ud800"), ("queries[1] is '\\ud800'", "Unicode")),
    "query twice": (
        change("queries", to=["True", "False", "True"]),
        ("queries[2] is 'True' again, first in queries[0]", "each query once"),
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_named_with_their_place(tmp_path: Path, fault: str) -> None:
    make, parts = FAULTS[fault]
    path = write(tmp_path, make())
    with pytest.raises(InputError) as raised:
        list(read_suite(tmp_path, "p", "t"))
    for expected in (str(path), *parts):
        assert expected in str(raised.value)


@pytest.mark.parametrize(
    ("name", "content", "parts"),
    [
        ("p_t.json", '{"pretext": "a",\n "context": [}', ("line 2", "not valid JSON")),
        ("p_t.json", "[" * 100_000, ("not valid JSON",)),
        ("p_t.json", "", ("line 1", "not valid JSON")),
        ("p_t.json", "[1, 2]", ("the file is [1, 2]", "an object")),
        ("p_t.yaml", "pretext: 'a\ncontext: [", ("not valid YAML",)),
        ("p_t.yaml", "a: !!python/object:os.system x", ("not valid YAML",)),
        ("p_t.yaml", "a: \x01", ("cannot be read as YAML",)),
        ("p_t.yaml", "", ("the file is nothing", "a mapping")),
    ],
)
def test_what_is_no_json_or_yaml(tmp_path: Path, name: str, content: str, parts: tuple[str, ...]) -> None:
    path = write(tmp_path, content, name)
    with pytest.raises(InputError) as raised:
        list(read_suite(tmp_path, "p", "t"))
    assert "\n" not in str(raised.value)
    for expected in (str(path), *parts):
        assert expected in str(raised.value)


def test_yaml_that_takes_a_word_for_a_truth_value(tmp_path: Path) -> None:
    write(tmp_path, yaml.safe_dump(GOOD).replace("'True'", "Yes").replace("'False'", "No"), "p_t.yaml")
    with pytest.raises(InputError, match=r"queries\[0\] is True \(expected text; in YAML, .* quotes\)"):
        list(read_suite(tmp_path, "p", "t"))


def test_files_that_are_not_there_or_no_text(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"p\.txt: no such file"):
        list(read_suite(tmp_path, "p", "t"))
    write(tmp_path, GOOD, "p_a.json")
    with pytest.raises(InputError, match=r"p_t\.json: no such file \(expected one of the tests a\)"):
        list(read_suite(tmp_path, "p", "t"))
    write(tmp_path, GOOD, "p_a.yaml")
    with pytest.raises(InputError, match=r"p_a\.json: the test exists twice, p_a\.yaml is the other one"):
        list(read_suite(tmp_path, "p", "a"))
    (tmp_path / "p.txt").write_bytes(b"\xff\xfe\x00junk")
    with pytest.raises(InputError, match=r"p\.txt, line 1: not UTF-8 text"):
        list(read_suite(tmp_path, "p", "a"))
    (tmp_path / "q.txt").mkdir()
    with pytest.raises(InputError, match=r"q\.txt: cannot be read"):
        list(read_suite(tmp_path, "q", "a"))
