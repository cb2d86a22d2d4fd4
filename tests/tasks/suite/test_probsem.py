from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from probsense.errors import InputError
from probsense.tasks.suite.probsem import read_probsem

TEST = {
    "pretext": "",
    "context": [{"text": "Ice is cold.", "expected": 0}, {"text": "Fire is cold.", "expected": 1}],
    "posttext": "So?",
    "queries": ["True", "False"],
}
ROWS = [
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


def test_a_file(tests: Path, tmp_path: Path) -> None:
    found = read_probsem(csv_file(tmp_path / "one_A_gpt2_results.csv", ROWS), tests)
    assert (found.name, found.task, found.detail) == ("gpt2", "suite", "one_A")
    assert found.items["item"].to_list() == ["one_A/0", "one_A/1"]
    assert found.items["gold"].to_list() == ["True", "False"]
    assert found.items["label"].to_list() == ["True", "True"]
    assert found.scores["accuracy"].to_list() == [1, 0]
    assert found.scores["p_gold"].to_list() == [0.75, 0.4]
    assert found.scores["brier"].to_list() == pytest.approx([2 * 0.25**2, 2 * 0.6**2], abs=1e-12)
    assert found.scores["log_score"].to_list() == pytest.approx([-math.log(0.75), -math.log(0.4)], abs=1e-12)


def test_the_longest_name_of_a_test_counts(tests: Path, tmp_path: Path) -> None:
    assert read_probsem(csv_file(tmp_path / "one_A_B_gpt2_results.csv", ROWS), tests).detail == "one_A_B"
    plain = read_probsem(csv_file(tmp_path / "two-words_A_gpt2_results.csv", ROWS), tests)
    assert (plain.detail, plain.name) == ("two words_A", "gpt2")


def test_an_index_column_is_left_alone(tests: Path, tmp_path: Path) -> None:
    rows = [[k, *row] for k, row in enumerate(ROWS)]
    path = csv_file(tmp_path / "one_A_gpt2_results.csv", rows, ",text,query,logp,score")
    assert read_probsem(path, tests).items.height == 2


def test_contexts_without_an_expected_query_have_no_score(tests: Path, tmp_path: Path) -> None:
    open_ended = {**TEST, "context": [{"text": "Ice is cold.", "expected": -1}, TEST["context"][1]]}
    (tests / "one_A.json").write_text(json.dumps(open_ended))
    found = read_probsem(csv_file(tmp_path / "one_A_gpt2_results.csv", ROWS), tests)
    assert found.scores["p_gold"].to_list() == [None, 0.4]
    assert found.of("accuracy").height == 1


def test_the_same_text_twice_is_two_contexts(tests: Path, tmp_path: Path) -> None:
    twice = {**TEST, "context": [{"text": "Ice is cold.", "expected": 0}] * 2}
    (tests / "one_A.json").write_text(json.dumps(twice))
    found = read_probsem(csv_file(tmp_path / "one_A_gpt2_results.csv", [*ROWS[:2], *ROWS[:2]]), tests)
    assert found.items.height == 2


FAULTS: dict[str, tuple[str, list[list[object]], str, str]] = {
    "no test": ("three_A_m_results.csv", ROWS, "text,query,logp,score", "--input-dir"),
    "columns": ("one_A_m_results.csv", ROWS, "text,query,logp,p", "line 1: no column 'score'"),
    "empty": ("one_A_m_results.csv", [], "text,query,logp,score", "is empty"),
    "cells": ("one_A_m_results.csv", [["a", "b"]], "text,query,logp,score", "line 2: 2 cells"),
    "score": ("one_A_m_results.csv", [["a", "b", 0, "x"]], "text,query,logp,score", "line 2: score is 'x'"),
    "nan": ("one_A_m_results.csv", [["a", "b", 0, "nan"]], "text,query,logp,score", "line 2: score is 'nan'"),
    "sum": (
        "one_A_m_results.csv",
        ROWS[1:],
        "text,query,logp,score",
        "line 2: the scores of a context sum to 0.25",
    ),
    "contexts": ("one_A_m_results.csv", ROWS[:2], "text,query,logp,score", "other contexts"),
    "queries": (
        "one_A_m_results.csv",
        [ROWS[0], [ROWS[1][0], "No", 0, 0.25], *ROWS[2:]],
        "text,query,logp,score",
        "other queries than those of the test one_A",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults(tests: Path, tmp_path: Path, fault: str) -> None:
    name, rows, head, said = FAULTS[fault]
    with pytest.raises(InputError, match=said):
        read_probsem(csv_file(tmp_path / name, rows, head), tests)


def test_binary_junk(tests: Path, tmp_path: Path) -> None:
    path = tmp_path / "one_A_m_results.csv"
    for junk in (b"\xff\xfe\x00text", b'text,query,logp,score\n"a'):
        path.write_bytes(junk)
        with pytest.raises(InputError, match=r"not UTF-8|not valid CSV"):
            read_probsem(path, tests)
