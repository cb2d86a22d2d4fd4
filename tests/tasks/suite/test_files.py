"""The files of a suite: what is read, and how everything that is wrong with one is named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from probsense.core.errors import InputError
from probsense.tasks.suite.probsem import read_suite
from probsense.tasks.suite.probsem import tests_of as names_of_tests

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


@pytest.mark.parametrize(
    ("place", "value", "parts"),
    [
        (("posttext",), None, ("posttext is missing", "pretext, context, posttext")),
        (("context", 1, "expected"), None, ("context[1].expected is missing", "text, expected")),
        (("querys",), [], ("unknown key querys; did you mean 'queries'?",)),
        (("context", 0, "txt"), "x", ("unknown key context[0].txt; did you mean 'text'?",)),
        (("pretext",), 5, ("pretext is 5", "text")),
        (("context", 1), "Who?", ("context[1] is 'Who?'", "an object")),
        (("context",), {}, ("context is {}", "a list")),
        (("context", 1, "expected"), True, ("context[1].expected is True", "whole")),
        (("context", 1, "expected"), 0.5, ("context[1].expected is 0.5",)),
        (("context", 1, "expected"), 2, ("context[1].expected is 2", "0 to 1, or -1 for none")),
        (("context", 0, "expected"), -2, ("context[0].expected is -2", "-1 for none")),
        (("context",), [], ("context is []", "at least one")),
        (("queries",), [], ("queries is []", "at least one")),
        (("queries", 1), 3, ("queries[1] is 3", "text")),
        (("queries", 1), "", ("queries[1] is ''", "some text")),
        (("queries", 1), "True", ("queries[1] is 'True' again, first in queries[0]", "each query once")),
    ],
)
def test_faults_are_named_with_their_place(
    tmp_path: Path, place: tuple[Any, ...], value: Any, parts: tuple[str, ...]
) -> None:
    """One value of a good file is another one; None removes its key."""
    content: Any = json.loads(json.dumps(GOOD))
    inner = content
    for step in place[:-1]:
        inner = inner[step]
    inner[place[-1]] = value
    if value is None:
        del inner[place[-1]]
    path = write(tmp_path, content)
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


def test_files_that_are_not_there_or_there_twice(tmp_path: Path) -> None:
    def refused(prompt: str, test: str, message: str) -> None:
        with pytest.raises(InputError, match=message):
            list(read_suite(tmp_path, prompt, test))

    refused("p", "t", r"p\.txt: no such file")
    write(tmp_path, GOOD, "p_a.json")
    refused("p", "t", r"p_t\.json: no such file \(expected one of the tests a\)")
    write(tmp_path, GOOD, "p_a.yaml")
    refused("p", "a", r"p_a\.json: the test exists twice, p_a\.yaml is the other one")
