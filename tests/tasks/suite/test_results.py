"""The results files: their names, their layout, and that none is written over another."""

from __future__ import annotations

import csv
from pathlib import Path

import polars as pl
import pytest

from probsense.errors import InputError
from probsense.tasks.suite.results import results_name, write_results
from probsense.tasks.suite.task import DISTRIBUTIONS

ROWS = [
    ("p", "a", 'A text,\nwith "marks"', "yes\nindeed", -1 / 3, 0.1),
    ("p", "a", 'A text,\nwith "marks"', "no", -1e-17, 0.9),
    ("p", "b", "", "no", -2.0, 1.0),
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
        row[2:] for row in ROWS[:2]
    ]


def test_nothing_is_written_over_another_suite(tmp_path: Path) -> None:
    clash = [("p", "q_a", "t", "x", 0.0, 1.0), ("p_q", "a", "t", "x", 0.0, 1.0)]
    with pytest.raises(InputError, match="two suites"):
        write_results(tmp_path / "new", "m", frame(clash))
    assert not (tmp_path / "new").exists()


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be written"):
        write_results(tmp_path / "file", "m", frame(ROWS))
