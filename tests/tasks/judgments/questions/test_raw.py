"""Raw results in every layout, and everything that may be wrong with them."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probsense.analysis.distributions.label_mass import text_class
from probsense.core.errors import InputError
from probsense.tasks.judgments.questions.raw import SCHEMA, read_raw

MASS = {"yes": 0.5, "no": 0.3, "other": 0.2}


def completion(*texts: str | None, top: Sequence[tuple[str, Any]] = ()) -> dict[str, Any]:
    """A chat completion with a choice for each text, and with the log-probabilities of the first token's rivals."""
    tokens = [{"token": token, "logprob": p if p is None else math.log(p)} for token, p in top]
    logprobs = {"content": [{"token": "", "top_logprobs": tokens}]} if top else None
    return {"choices": [{"message": {"content": text}, "logprobs": logprobs} for text in texts]}


SURE = completion("Yes", top=[("Yes", 0.9)])


def line(statement: Any, response: Any, question: str = "") -> str:
    if question:
        name = f"statement_{statement}_question_{question}"
        return json.dumps({"id": "batch_1", "custom_id": name, "response": {"body": response}, "error": None})
    return json.dumps({"id": statement, "prompt": "?", "response": response})


def write(folder: Path, name: str, *lines: str) -> Path:
    path = folder / f"results_raw_{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def masses(frame: pl.DataFrame) -> list[tuple[float, ...]]:
    return frame.select("p_yes", "p_no", "p_other").rows()


def test_masses(tmp_path):
    write(tmp_path, "q1", line(1, {"yes": 1.0, "no": 1e-8, "other": -1e-8}), line(0, MASS), line(2, None))
    found = read_raw(tmp_path)
    assert found.schema == SCHEMA
    assert found.rows()[0] == (tmp_path.name, 0, "q1", 0.5, 0.3, 0.2)
    assert masses(found)[1] == pytest.approx((1 / (1 + 1e-8), 1e-8 / (1 + 1e-8), 0.0), rel=0, abs=1e-15)
    assert found.rows()[2] == (tmp_path.name, 2, "q1", *[None] * 3)


def test_top_log_probabilities_of_the_first_trial_count(tmp_path):
    top = [("Yes", 0.5), ("yes", 0.1), ("yes", 0.1), ("It", 0.1)]  # a token that comes twice is added up
    for question in ("", "q1"):
        folder = tmp_path / f"m{question}"
        write(folder, "q1", line(4, completion("Yes", top=top), question), line(5, SURE, question))
        write(folder, "q1_trial2", line(4, completion("No", top=[("No", 0.9)]), question))
        found = read_raw(folder)
        assert sum(masses(found), ()) == pytest.approx((0.7, 0.2, 0.1, 0.9, 0.1, 0.0), rel=0, abs=1e-12)


def test_choices_are_counted_over_requests_in_any_order(tmp_path):
    requests = (1, ["no", "No", None], 2), (0, ["yes"], 1), (1, ["yes", "it depends"], 1)
    write(tmp_path, "q1", *(line(i, completion(*said), f"q1_request_{k}") for i, said, k in requests))
    found = read_raw(tmp_path)
    assert masses(found) == [(1.0, 0.0, 0.0), (0.25, 0.5, 0.25)]


def test_failed_requests_are_no_data_and_folders_have_any_name(tmp_path):
    failed = {"error": {"message": "too busy"}}
    write(tmp_path / "org--b[1]*?", "q1", line(0, failed, "q1"), line(1, SURE, "q1"))
    write(tmp_path / "deep" / "a", "q2", line(0, failed, "q2"), line(1, None, "q2"))
    (tmp_path / "deep" / "answer2tokid.json").write_text("{}")
    found = read_raw(tmp_path)
    assert found["model"].to_list() == ["a", "a", "org--b[1]*?", "org--b[1]*?"]
    assert found["p_yes"].is_null().to_list() == [True, True, True, False]


TEXTS = st.one_of(st.none(), st.sampled_from(["Yes.", "**Yes**", "no", "Not so", "As an AI"]), st.text())


@settings(max_examples=20)
@given(st.lists(st.dictionaries(st.integers(0, 5), TEXTS, min_size=1), min_size=1, max_size=4))
def test_texts_are_counted_over_trials_as_one_by_one(tmp_path_factory, trials):
    folder = tmp_path_factory.mktemp("raw")
    for number, trial in enumerate(trials, 1):
        name = "q1" if number == 1 else f"q1_trial{number}"
        write(folder, name, *(line(statement, text) for statement, text in trial.items()))
    found = read_raw(folder)
    assert found["statement_id"].to_list() == sorted({statement for trial in trials for statement in trial})
    for statement, shares in zip(found["statement_id"], masses(found), strict=True):
        said = [text_class(text) for trial in trials if (text := trial.get(statement)) is not None]
        none = (None, None, None)
        assert shares == (tuple(said.count(name) / len(said) for name in MASS) if said else none)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([""], r"results_raw_q1.jsonl: is empty"),
        ([line(0, "yes"), '{"id": 1}'], "line 2: field 'response' is missing"),
        ([line(0, "yes"), '{"response": "no"}'], "line 2: field 'id' is missing"),
        ([line("0", "yes")], r"line 1: id is '0' \(expected a whole number from 0\)"),
        ([line(0, "yes"), "", line(1, "no"), line(0, "no")], "line 4: statement 0 again, first on line 1"),
        ([line(0, 5)], r"line 1: response is 5 \(expected a text"),
        ([line(0, {"choices": [{"text": "yes"}]})], "line 1: a choice is {'text': 'yes'}"),
        ([line(0, MASS | {"no": 0.1})], r"line 1: yes, no and other sum to 0.8 \(expected 1"),
        ([line(0, MASS | {"yes": 1.5})], r"line 1: yes is 1.5 \(expected a mass\)"),
        ([line(0, completion("Yes", top=[("Yes", 2)]))], r"line 1: logprob is 0.69.* \(expected a log-prob"),
        ([line(0, completion("Yes", top=[("Yes", None)]))], "line 1: logprob is nothing"),
        ([line(0, MASS), line(1, "yes")], r"line 2: holds texts \(expected masses, as before\)"),
        ([line(0, completion("yes"), "q2")], r"line 1: custom_id is .*_q2' \(expected question q1"),
        ([line("x", completion("yes"), "q1")], "line 1: custom_id is 'statement_x_question_q1'"),
        ([line(0, completion("yes"), "q1_request_1")] * 2, "line 2: statement 0 again, first on line 1"),
        ([line(0, SURE, f"q1_request_{i}") for i in (1, 2)], "line 2: statement 0 again"),
    ],
)
def test_what_is_wrong_is_named(tmp_path, lines, message):
    write(tmp_path, "q1", *lines)
    with pytest.raises(InputError, match=message):
        read_raw(tmp_path)


ONE, NO, WHOLE = (line(0, said) for said in ("yes", "no", MASS))


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({}, r"no raw results found \(expected results_raw_q1.jsonl"),
        ({"m/q1": ONE, "m/q1_trial2": ONE, "m/q1_trial4": ONE}, r"m: trial 3 of q1 is missing \(expected 1"),
        ({"m/q1": ONE, "m/q2": WHOLE}, r"q2.jsonl, line 1: holds masses \(expected texts"),
        ({"m/q1": ONE, "n/m/q1": NO}, "the model's name again"),
        ({"q1": ONE, "q1_trial1": ONE}, "a name of another form"),
        ({"q1": ONE, "q1_trial02": ONE}, "a name of another form"),
        ({"q1": ONE, "q4": ONE}, r"a name of another form \(expected results_raw_q1.jsonl"),
    ],
)
def test_what_is_wrong_with_the_files_is_named(tmp_path, files, message):
    for name, said in files.items():
        write(tmp_path / Path(name).parent, Path(name).name, said)
    with pytest.raises(InputError, match=message):
        read_raw(tmp_path)
