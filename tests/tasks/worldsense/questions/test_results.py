from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probsense.core.errors import InputError
from probsense.tasks.worldsense.questions.results import (
    Settled,
    named_results,
    read_results,
    results_files,
    results_name,
    settle,
    write_results,
)

TRIALS = pl.DataFrame(
    {
        "key": [1, 2, 3, 4, 5],
        "problem": ["Infer.normal"] * 2 + ["Compl.normal"] * 3,
        "skin": ["sea"] * 5,
        "tuple_id": ["a", "a", "b", "b", "b"],
        "size": [3] * 5,
        "depth": [2] * 5,
        "form": ["one"] * 5,
        "expected": [["TRUE", "FALSE"]] * 2 + [["1", "2", "3"]] * 3,
        "gold": ["TRUE", "FALSE", "1", "2", "3"],
    }
)
NAME = "basic___m___results.jsonl"


def file_with(folder: Path, body: str, name: str = NAME) -> Path:
    path = folder / "results" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(body)
    return path


def test_files_are_found_at_any_depth(tmp_path):
    file_with(tmp_path, "", "deep/er/COT___Llama2-FT+1M___results.jsonl")
    file_with(tmp_path, "", NAME)
    file_with(tmp_path, "", "notes.txt")
    found = [(f.prompting, f.model) for f in results_files(tmp_path)]
    assert found == [("basic", "m"), ("COT", "Llama2-FT+1M")]


@pytest.mark.parametrize(
    "name", [None, "results", "m___results", "a___b___c___results", "___m___results", "a___b___my_results"]
)
def test_names_have_three_parts(tmp_path, name):
    if name:
        file_with(tmp_path, "", f"{name}.jsonl")
    with pytest.raises(InputError, match="PROMPTING___MODEL___results"):
        results_files(tmp_path)


def test_answers_are_texts_or_none(tmp_path):
    lines = [
        *('{"Key":1,"resp":1}', "", '{"Key":-9223372036854775808,"resp":"2","x":0}', '{"Key":3,"resp":3.0}'),
        *('{"Key":4,"resp":null}', '{"Key":5,"resp":""}', '{"Key":6,"resp":2.5}', '{"Key":7,"resp":"[x"}'),
        '{"Key":8,"resp":"\\ud800"}',  # half a character
    ]
    found = read_results(file_with(tmp_path, "\n".join(lines)))
    rows = [(1, "1"), (-(2**63), "2"), (3, "3"), (4, None), (5, ""), (6, "2.5"), (7, "[x"), (8, "?")]
    assert (found.rows(), found.schema) == (rows, {"key": pl.Int64, "resp": pl.String})


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("", "is empty"),
        ("\n \n", "is empty"),
        ('{"Key":1,"resp":"1"}\n{"Key":2}\n', "line 2: resp is missing"),
        ('{"Key":1,"resp":"1"}\n{"resp":"1"}\n', "line 2: Key is missing"),
        ('{"Key":9223372036854775808,"resp":"1"}\n', "line 1: Key is 9223372036854775808"),
        ('{"Key":1,"resp":["1"]}\n', r"line 1: resp is \['1'\]"),
        ('{"Key":1,"resp":true}\n', "line 1: resp is True"),
    ],
)
def test_what_is_wrong_is_named(tmp_path, body, found):
    with pytest.raises(InputError, match=found) as caught:
        read_results(file_with(tmp_path, body))
    assert NAME in str(caught.value)


def test_what_is_written_is_read(tmp_path):
    rows = [(2**63 - 1, "TRUE"), (-5, None), (7, "3")]
    path = write_results(tmp_path / "results", "basic", "hf:org/some model", iter(rows))
    assert path.name == "basic___hf_org_some_model___results.jsonl"
    lines = ['{"Key":9223372036854775807,"resp":"TRUE"}', '{"Key":-5,"resp":""}', '{"Key":7,"resp":"3"}']
    assert path.read_text() == "".join(f"{line}\n" for line in lines)
    assert [(f.prompting, f.model) for f in results_files(tmp_path)] == [("basic", "hf_org_some_model")]
    assert read_results(path).rows() == [(2**63 - 1, "TRUE"), (-5, ""), (7, "3")]


NAMES = st.text(alphabet="aB1_-+/: .é", max_size=8)


@given(NAMES, NAMES)
def test_a_name_that_is_made_can_be_read(prompting, model):
    if not all(name.strip("_/: ") for name in (prompting, model)):
        with pytest.raises(InputError):
            results_name(prompting, model)
        return
    name = results_name(prompting, model)
    named = named_results(Path("results") / name)
    assert results_name(named.prompting, named.model) == name
    assert not {"/", ":", " "} & set(name)
    assert sum(c.isalnum() for c in named.model) == sum(c.isalnum() for c in model)


def settled_by(*rows: tuple[int, str | None]) -> Settled:
    return settle(
        TRIALS, pl.DataFrame([*rows], schema={"key": pl.Int64, "resp": pl.String}, orient="row"), "basic", "m"
    )


def test_whole_answers_give_no_notes():
    settled = settled_by((5, "3"), (1, "TRUE"), (2, ""), (3, "2"), (4, None))
    columns = "model prompting key tuple_id problem size skin depth form expected_len gold resp"
    assert settled.frame.columns == columns.split()
    assert settled.frame["key"].to_list() == [1, 2, 3, 4, 5]
    assert settled.frame["resp"].to_list() == ["TRUE", None, "2", None, "3"]
    assert settled.frame["expected_len"].to_list() == [2, 2, 3, 3, 3]
    assert settled.coverage == {
        **{"model": "m", "prompting": "basic", "asked": 5, "answered": 5, "valid": 3},
        **{"complete_tuples": 2, "tuples": 2},
    }
    assert settled.notes == []


def test_what_is_corrected_is_reported():
    repeated = settled_by((1, "TRUE"), (1, "TRUE"), (2, None), (2, ""))
    assert repeated.frame["resp"].to_list() == ["TRUE", None]
    assert repeated.notes[0] == "2 repeated rows (each counted once)"
    conflicting = settled_by((2, "TRUE"), (1, "TRUE"), (2, "FALSE"), (1, "TRUE"), (2, ""))
    assert conflicting.frame["resp"].to_list() == ["TRUE", None]
    assert (conflicting.coverage["valid"], conflicting.coverage["complete_tuples"]) == (1, 1)
    assert "1 trials with conflicting answers (no valid answer)" in conflicting.notes
    # A duplicate never stands in for a missing sibling.
    missing = settled_by((3, "1"), (4, "2"), (4, "2"))
    assert (missing.coverage["complete_tuples"], missing.notes[-1]) == (0, "1 incomplete tuples (dropped)")
    foreign = settled_by((1, "TRUE"), (2, "FALSE"), (77, "TRUE"))
    assert foreign.frame.height == 2
    assert foreign.notes == ["1 answers to trials that the test set does not hold (left out)"]
    assert foreign.warnings == ["3 of 5 trials without an answer (partial results)"]
    other = settled_by((1, "1"), (2, "false"), (3, "TRUE"), (4, "1"), (5, ""))
    assert other.frame["resp"].to_list() == ["1", "false", "TRUE", "1", None]
    assert other.coverage["valid"] == 1
    assert other.warnings == [
        "3 answers that the question does not allow (wrong), such as '1', 'TRUE', 'false'"
    ]
