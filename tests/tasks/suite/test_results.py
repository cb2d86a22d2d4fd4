"""Files of results: those that are written, and those of ProbSem, read as scores of items."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from probsense.core.errors import InputError
from probsense.tasks.suite.probsem import read_probsem, results_name, write_results
from probsense.tasks.suite.task import DISTRIBUTIONS

ROWS = [
    ("p", "a", "p/a/0", 'A text,\nwith "marks"', "yes\nindeed", -1 / 3, 0.1),
    ("p", "a", "p/a/0", 'A text,\nwith "marks"', "no", -1e-17, 0.9),
    ("p", "b", "p/b/0", "", "no", -2.0, 1.0),
]


def frame(rows: list[tuple[object, ...]]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=DISTRIBUTIONS, orient="row")


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("gpt2", "p_t_gpt2_results.csv"),
        ("hf:Qwen/Qwen3-0.6B", "p_t_hf-Qwen-Qwen3-0.6B_results.csv"),
        ("hf:../weird name*?", "p_t_hf-..-weird-name_results.csv"),
        ("hf:C:\\models\\mine", "p_t_hf-C-models-mine_results.csv"),
        ("oracle:", "p_t_oracle_results.csv"),
    ],
)
def test_names_hold_nothing_that_a_file_name_cannot(model: str, name: str) -> None:
    assert results_name("p", "t", model) == name
    assert "/" not in results_name("../p", "/t", model)


def test_one_file_for_each_prompt_and_test(tmp_path: Path) -> None:
    paths = write_results(tmp_path / "new", "hf:m", frame(ROWS))
    assert [path.name for path in paths] == ["p_a_hf-m_results.csv", "p_b_hf-m_results.csv"]
    with paths[0].open(newline="", encoding="utf-8") as stream:
        found = list(csv.reader(stream))
    assert found[0] == ["text", "query", "logp", "score"]
    assert [(text, query, float(logp), float(score)) for text, query, logp, score in found[1:]] == [
        row[3:] for row in ROWS[:2]
    ]


def test_nothing_is_written_over_another_suite(tmp_path: Path) -> None:
    clash = [("p", "q_a", "", "t", "x", 0.0, 1.0), ("p_q", "a", "", "t", "x", 0.0, 1.0)]
    with pytest.raises(InputError, match="two suites"):
        write_results(tmp_path / "new", "m", frame(clash))
    assert not (tmp_path / "new").exists()


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be written"):
        write_results(tmp_path / "file", "m", frame(ROWS))


TEST = {
    "pretext": "",
    "context": [{"text": "Ice is cold.", "expected": 0}, {"text": "Fire is cold.", "expected": 1}],
    "posttext": "So?",
    "queries": ["True", "False"],
}
READ = [
    ["Ice is cold.\nSo?", "True", -1.0, 0.75],
    ["Ice is cold.\nSo?", "False", -2.0986, 0.25],
    ["Fire is cold.\nSo?", "True", -1.0, 0.6],
    ["Fire is cold.\nSo?", "False", -1.4055, 0.4],
]


@pytest.fixture
def tests(tmp_path: Path) -> Path:
    folder = tmp_path / "inputs"
    folder.mkdir()
    for name in ("one_A", "one_A_B", "two words_A"):
        (folder / f"{name}.json").write_text(json.dumps(TEST))
    return folder


def csv_file(path: Path, rows: list[list[object]], head: str = "text,query,logp,score") -> Path:
    lines = [",".join(f'"{cell}"' for cell in row) for row in rows]
    path.write_text("\n".join([head, *lines]) + "\n")
    return path


def test_results_of_probsem(tests: Path, tmp_path: Path) -> None:
    found = read_probsem(csv_file(tmp_path / "one_A_gpt2_results.csv", READ), tests)
    assert (found.name, found.task, found.detail) == ("gpt2", "suite", "one_A")
    assert found.items["item"].to_list() == ["one_A/0", "one_A/1"]
    assert found.items["gold"].to_list() == ["True", "False"]
    assert found.items["label"].to_list() == ["True", "True"]
    assert found.scores["accuracy"].to_list() == [1, 0]
    assert found.scores["p_gold"].to_list() == [0.75, 0.4]
    assert found.scores["brier"].to_list() == pytest.approx([2 * 0.25**2, 2 * 0.6**2], abs=1e-12)
    assert found.scores["log_score"].to_list() == pytest.approx([-math.log(0.75), -math.log(0.4)], abs=1e-12)


def test_the_longest_name_of_a_test_counts(tests: Path, tmp_path: Path) -> None:
    assert read_probsem(csv_file(tmp_path / "one_A_B_gpt2_results.csv", READ), tests).detail == "one_A_B"
    plain = read_probsem(csv_file(tmp_path / "two-words_A_gpt2_results.csv", READ), tests)
    assert (plain.detail, plain.name) == ("two words_A", "gpt2")


def test_an_index_column_is_left_alone(tests: Path, tmp_path: Path) -> None:
    rows = [[k, *row] for k, row in enumerate(READ)]
    path = csv_file(tmp_path / "one_A_gpt2_results.csv", rows, ",text,query,logp,score")
    assert read_probsem(path, tests).items.height == 2


def test_contexts_without_an_expected_query_have_no_score(tests: Path, tmp_path: Path) -> None:
    open_ended = {**TEST, "context": [{"text": "Ice is cold.", "expected": -1}, TEST["context"][1]]}
    (tests / "one_A.json").write_text(json.dumps(open_ended))
    found = read_probsem(csv_file(tmp_path / "one_A_gpt2_results.csv", READ), tests)
    assert found.scores["p_gold"].to_list() == [None, 0.4]
    assert found.of("accuracy").height == 1


def test_the_same_text_twice_is_two_contexts(tests: Path, tmp_path: Path) -> None:
    twice = {**TEST, "context": [{"text": "Ice is cold.", "expected": 0}] * 2}
    (tests / "one_A.json").write_text(json.dumps(twice))
    found = read_probsem(csv_file(tmp_path / "one_A_gpt2_results.csv", [*READ[:2], *READ[:2]]), tests)
    assert found.items.height == 2


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
        (NAME, [*READ[:3], [*READ[3][:3], 0.2]], HEAD, "line 6: the scores of a context sum to 0.8"),
        (NAME, READ[1:], HEAD, "line 2: 'False' after 'Ice is cold"),
        (NAME, READ[:2], HEAD, "2 rows .expected 4"),
        (NAME, [READ[0], [READ[1][0], "No", 0, 0.25], *READ[2:]], HEAD, "line 4: 'No' after .* as in one_A"),
    ],
)
def test_faults_of_results_of_probsem(
    tests: Path, tmp_path: Path, name: str, rows: Any, head: str, said: str
) -> None:
    with pytest.raises(InputError, match=said):
        read_probsem(csv_file(tmp_path / name, rows, head), tests)
