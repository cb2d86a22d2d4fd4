"""The files of ProbSem: what is read, how everything that is wrong with one is named, and results."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import yaml

from probsense.core.errors import InputError
from probsense.tasks.suite.probsem import read_probsem, read_suite, results_name, write_results
from probsense.tasks.suite.probsem import tests_of as names_of_tests
from probsense.tasks.suite.task import DISTRIBUTIONS

GOOD = {
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


@pytest.mark.parametrize("kind", ["json", "yaml", "yml"])
def test_one_item_a_context(tmp_path, kind):
    """Of what stands before the query, only what is not empty is joined; a byte order mark is no text."""
    contexts = [{"text": "Fire is hot.", "expected": 0}, {"text": "", "expected": -1}]
    content = GOOD | {"context": contexts, "posttext": " b\n"}
    write(
        tmp_path,
        "\ufeff" + (json.dumps(content) if kind == "json" else yaml.safe_dump(content)),
        f"p_t.{kind}",
    )
    (tmp_path / "p.txt").write_text("\ufeffInstructions.\n", encoding="utf-8")
    first, second = read_suite(tmp_path, "p", "t")
    assert (first.id, first.cluster, first.gold) == ("p/t/0", "p/t/0", "0")
    assert (second.id, second.cluster, second.gold) == ("p/t/1", "p/t/1", "")
    assert first.data == {
        **{"prompt": "p", "test": "t", "instructions": "Instructions.\n"},
        **{"text": "True or false?\nFire is hot.\n b\n", "options": ["True", "False"]},
    }
    assert second.data["text"] == "True or false?\n b\n"
    for name in ("p_b.yaml", "p_t_2.json", "q_c.json", "p_notes.txt"):
        write(tmp_path, GOOD, name)
    assert names_of_tests(tmp_path, "p") == ["b", "t", "t_2"]


@pytest.mark.parametrize(
    ("place", "value", "parts"),
    [
        (("posttext",), None, ("posttext is missing", "pretext, context, posttext")),
        (("context", 1, "expected"), None, ("context[1].expected is missing", "text, expected")),
        (("querys",), [], ("unknown key querys; did you mean 'queries'?",)),
        (("context", 0, "txt"), "x", ("unknown key context[0].txt; did you mean 'text'?",)),
        (("context", 1, "expected"), True, ("context[1].expected is True", "whole")),
        (("context", 1, "expected"), 2, ("context[1].expected is 2", "0 to 1, or -1 for none")),
        (("context", 0, "expected"), -2, ("context[0].expected is -2", "-1 for none")),
        (("context",), [], ("context is []", "at least one")),
        (("queries",), [], ("queries is []", "at least one")),
        (("queries", 1), "", ("queries[1] is ''", "some text")),
        (("queries", 1), "True", ("queries[1] is 'True' again, first in queries[0]", "each query once")),
    ],
)
def test_faults_are_named_with_their_place(tmp_path, place, value, parts):
    """One value of a good file is another one; None removes its key."""
    content = json.loads(json.dumps(GOOD))
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


WORDS = yaml.safe_dump(GOOD).replace("'True'", "Yes").replace("'False'", "No")


@pytest.mark.parametrize(
    ("name", "content", "parts"),
    [
        ("p_t.json", '{"pretext": "a",\n "context": [}', ("line 2", "not valid JSON")),
        ("p_t.yaml", "a: !!python/object:os.system x", ("not valid YAML",)),
        ("p_t.yaml", "", ("the file is nothing", "a mapping")),
        ("p_t.yaml", WORDS, ("queries[0] is True", "in YAML, ", " quotes")),
    ],
)
def test_what_is_no_json_or_yaml(tmp_path, name, content, parts):
    path = write(tmp_path, content, name)
    with pytest.raises(InputError) as raised:
        list(read_suite(tmp_path, "p", "t"))
    assert "\n" not in str(raised.value)
    for expected in (str(path), *parts):
        assert expected in str(raised.value)


def test_files_that_are_not_there_or_there_twice(tmp_path):
    def refused(prompt: str, test: str, message: str) -> None:
        with pytest.raises(InputError, match=message):
            list(read_suite(tmp_path, prompt, test))

    refused("p", "t", r"p\.txt: no such file")
    write(tmp_path, GOOD, "p_a.json")
    refused("p", "t", r"p_t\.json: no such file \(expected one of the tests a\)")
    write(tmp_path, GOOD, "p_a.yaml")
    refused("p", "a", r"p_a\.json: the test exists twice, p_a\.yaml is the other one")


ROWS = [
    ("p", "a", "p/a/0", 'A text,\nwith "marks"', "yes\nindeed", -1 / 3, 0.1),
    ("p", "a", "p/a/0", 'A text,\nwith "marks"', "no", -1e-17, 0.9),
    ("p", "b", "p/b/0", "", "no", -2.0, 1.0),
]


def frame(rows: list[tuple[object, ...]]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=DISTRIBUTIONS, orient="row")


def test_names_hold_nothing_that_a_file_name_cannot():
    assert results_name("p", "t", "hf:../weird name*?") == "p_t_hf-..-weird-name_results.csv"
    assert "/" not in results_name("../p", "/t", "m")


def test_one_file_for_each_prompt_and_test(tmp_path):
    paths = write_results(tmp_path / "new", "hf:m", frame(ROWS))
    assert [path.name for path in paths] == ["p_a_hf-m_results.csv", "p_b_hf-m_results.csv"]
    with paths[0].open(newline="", encoding="utf-8") as stream:
        found = list(csv.reader(stream))
    assert found[0] == ["text", "query", "logp", "score"]
    assert [(text, query, float(logp), float(score)) for text, query, logp, score in found[1:]] == [
        row[3:] for row in ROWS[:2]
    ]


def test_nothing_is_written_over_another_suite(tmp_path):
    clash = [("p", "q_a", "", "t", "x", 0.0, 1.0), ("p_q", "a", "", "t", "x", 0.0, 1.0)]
    with pytest.raises(InputError, match="two suites"):
        write_results(tmp_path / "new", "m", frame(clash))
    assert not (tmp_path / "new").exists()


READ = [
    ["True or false?\nFire is hot.\nAnswer:", "True", -1.0, 0.75],
    ["True or false?\nFire is hot.\nAnswer:", "False", -2.0986, 0.25],
    ["True or false?\nWho knows?\nAnswer:", "True", -1.0, 0.6],
    ["True or false?\nWho knows?\nAnswer:", "False", -1.4055, 0.4],
]
TEST = GOOD | {"context": [{"text": "Fire is hot.", "expected": 0}, {"text": "Who knows?", "expected": 1}]}


@pytest.fixture
def tests(tmp_path):
    folder = tmp_path / "inputs"
    folder.mkdir()
    for name in ("one_A", "one_A_B", "two words_A"):
        (folder / f"{name}.json").write_text(json.dumps(TEST))
    return folder


def csv_file(path: Path, rows: list[list[object]], head: str = "text,query,logp,score") -> Path:
    lines = [",".join(f'"{cell}"' for cell in row) for row in rows]
    path.write_text("\n".join([head, *lines]) + "\n")
    return path


@pytest.mark.parametrize("known", [True, False])
def test_results_of_probsem(tests, tmp_path, known):
    """An index column is left alone; a context without an expected query has no score."""
    if not known:
        (tests / "one_A.json").write_text(json.dumps(GOOD))
    rows = [[k, *row] for k, row in enumerate(READ)]
    path = csv_file(tmp_path / "one_A_gpt2_results.csv", rows, ",text,query,logp,score")
    found = read_probsem(path, tests)
    assert (found.name, found.task, found.detail) == ("gpt2", "suite", "one_A")
    assert found.items["item"].to_list() == ["one_A/0", "one_A/1"]
    assert found.items["gold"].to_list() == ["True", "False" if known else None]
    assert found.items["label"].to_list() == ["True", "True"]
    p, q = (0.75, 0.4)
    second = (0, q, pytest.approx(2 * (1 - q) ** 2), pytest.approx(-math.log(q)))
    first = (1, p, pytest.approx(2 * (1 - p) ** 2), pytest.approx(-math.log(p)))
    measures = ("accuracy", "p_gold", "brier", "log_score")
    assert found.scores.select(measures).rows() == [first, second if known else (None,) * 4]


def test_the_longest_name_of_a_test_counts(tests, tmp_path):
    assert read_probsem(csv_file(tmp_path / "one_A_B_gpt2_results.csv", READ), tests).detail == "one_A_B"
    plain = read_probsem(csv_file(tmp_path / "two-words_A_gpt2_results.csv", READ), tests)
    assert (plain.detail, plain.name) == ("two words_A", "gpt2")


NAME, HEAD = "one_A_m_results.csv", "text,query,logp,score"


@pytest.mark.parametrize(
    ("name", "rows", "head", "said"),
    [
        ("three_A_m_results.csv", READ, HEAD, "--input-dir"),
        (NAME, READ, "text,query,logp,p", "has no column score"),
        (NAME, [], HEAD, "holds no rows"),
        (NAME, [["a", "b"]], HEAD, "line 2: 2 cells"),
        (NAME, [["a", "b", 0, "x"]], HEAD, "line 2: score is 'x'"),
        (NAME, [["a", "b", 0, "nan"]], HEAD, "line 2: score is 'nan'"),
        (NAME, [*READ[:3], [*READ[3][:3], 0.2]], HEAD, "line 8: the scores of a context sum to 0.8"),
        (NAME, READ[1:], HEAD, "line 2: 'False' after 'True or false"),
        (NAME, READ[:2], HEAD, "2 rows .expected 4"),
        (NAME, [READ[0], [READ[1][0], "No", 0, 0.25], *READ[2:]], HEAD, "line 5: 'No' after .* as in one_A"),
    ],
)
def test_faults_of_results_of_probsem(tests, tmp_path, name, rows, head, said):
    with pytest.raises(InputError, match=said):
        read_probsem(csv_file(tmp_path / name, rows, head), tests)
