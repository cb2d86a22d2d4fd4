"""Study files: what they may say, and one line about whatever is wrong."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from probsense.core.errors import InputError
from probsense.studies.collect.pages.words import words_in
from probsense.studies.collect.study import Ending, Ids, study_from_json
from probsense.studies.collect.study_file import read_study
from support.studies.taking import CHECK, FRAME, HOME, SCHEMA, block_of, make_study, study_file

AGE = {"name": "age", "label": "Your age?", "kind": "number", "low": 18, "required": True}


def block(**keys: Any) -> dict[str, Any]:
    return {"items": [{"kind": "statement", "statements": ["a", "b"], "q1": "?", **keys}]}


def test_everything_that_a_study_may_say(tmp_path):
    study = make_study(
        tmp_path,
        language="de",
        per_person=2,
        demographics=[AGE, {**HOME, "screen_out": ["land"]}],
        checks=[CHECK],
        failed_checks=1,
        order="fixed",
        seed=4,
        time_limit=20,
        abandon_after=12.5,
        completion={"code": "C1", "address": "https://platform.example/done?cc=C1"},
        full={"text": "Nobody else is wanted."},
        ids={"participant": "PROLIFIC_PID", "study": "STUDY_ID", "session": "SESSION_ID"},
        hash_ids=True,
        embed=["https://platform.example"],
    )
    [own] = study.blocks
    assert [question.text for question in own.questions] == ["Water is wet.", "Fire is cold.", "Dogs bark."]
    assert [question.id for question in own.questions] == ["0", "1", "2"]
    assert (own.per_person, own.per_item) == (2, 5)
    assert own.asked == {"q1": "Do you agree?", "q2": "Would most people agree?"}
    assert study.words == words_in("de")
    assert [field.needed for field in study.about] == [True, True]
    assert [one.screen_out for one in study.demographics] == [(), ("land",)]
    assert study.item("check/0")[1].right == 1
    assert study.completion == Ending("", "C1", "https://platform.example/done?cc=C1")
    assert (study.full, study.paused) == (Ending("Nobody else is wanted."), Ending())
    assert study.ids == Ids("PROLIFIC_PID", "STUDY_ID", "SESSION_ID")
    assert study_from_json(json.loads(json.dumps(study.to_json()))) == study


def test_items_come_from_the_files_of_the_tasks(tmp_path):
    (tmp_path / "s.csv").write_text("statement_id,statement\n7,Water is wet.\n9,Dogs bark.\n")
    (tmp_path / "p.txt").write_text("Read.")
    asked = {"pretext": "", "context": [{"text": "It rains.", "expected": 0}], "posttext": "So"}
    (tmp_path / "p_t.json").write_text(json.dumps(asked | {"queries": ["wet", "dry"]}))
    suite = {"folder": ".", "prompt": "p", "test": "t"}
    study = make_study(
        tmp_path,
        items=[
            {"kind": "statement", "data": "s.csv", "q2": "Would most people agree?", "per_item": 9},
            block_of("frame", tmp_path, FRAME, data="frame.jsonl", answers=3, per_person=1),
            block_of("choice", tmp_path, SCHEMA, data="choice.jsonl"),
            {"kind": "choice", "suite": suite},
        ],
        per_item=4,
    )
    statements, frames, schemas, queries = study.blocks
    told = [(one.id, one.text) for one in statements.questions]
    assert told == [("7", "Water is wet."), ("9", "Dogs bark.")]
    assert (statements.per_item, frames.per_item, frames.answers, [*statements.asked]) == (9, 4, 3, ["q2"])
    assert frames.questions[0].text == "A kite is torn.\n\nBy what?"
    assert (schemas.questions[0].options, schemas.questions[0].right) == (("cup", "bag"), 1)
    assert (queries.questions[0].text, queries.questions[0].right) == ("Read.\n\nIt rains.\nSo", 0)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"title": None}, "title is missing"),
        (
            {"demographics": [{"name": "go", "label": "?", "kind": "text"}]},
            "demographics[0].name is 'go' (expected letters, digits and _, and none of person, participant, form, go)",
        ),
        ({"embed": ["https://例え.example"]}, "(expected an origin, such as https://platform.example"),
        ({"titel": "x"}, "unknown key titel; did you mean 'title'"),
        ({"consent": " "}, "consent is ' ' (expected some text)"),
        ({"consent": "", "per_item": 1}, "consent is ''"),
        ({"per_item": 0}, "per_item is 0 (expected a whole number from 1 to 1000000)"),
        ({"per_item": True}, "per_item is True"),
        ({"language": "Deutsch!"}, "language is 'Deutsch!' (expected a language tag"),
        ({"language": "fr"}, "there are no words in the language 'fr'"),
        ({"words": "none.yaml"}, "none.yaml: no such file"),
        ({"items": []}, "items is [] (expected a list of blocks, at least one)"),
        ({"items": [{}]}, "items[0].kind is '' (expected one of"),
        ({"items": [{"kind": "statements"}]}, "items[0].kind is 'statements'; did you mean 'statement'"),
        (block(statements=[]), "items[0].statements is [] (expected a list of statements, at least one)"),
        (block(statements=["a", "a"]), "items[0].statements[1] is 'a' again, first in items[0].statements[0]"),
        (block(statements=["a", True]), "items[0].statements[1] is True (expected text; in YAML, put it in quotes)"),
        (block(data="s.csv"), "items[0] names data and statements (expected one of data, statements)"),
        (block(answers=2), "unknown key items[0].answers"),
        (block(per_person=0), "items[0].per_person is 0"),
        ({"items": [{"kind": "frame"}]}, "items[0] names no questions (expected one of data)"),
        ({"items": [{"kind": "frame", "data": "f.jsonl"}]}, "f.jsonl: no such file"),
        ({"items": [{"kind": "choice", "suite": {"folder": "."}}]}, "items[0].suite.prompt is missing"),
        ({"items": [{"kind": "statement", "statements": ["a"]}]}, "items[0] asks nothing about its statements"),
        ({"order": "none"}, "order is 'none' (expected one of random, fixed)"),
        ({"failed_checks": 1}, "failed_checks is 1 (expected a whole number up to that of the checks, 0)"),
        ({"time_limit": -1}, "time_limit is -1 (expected minutes, 0 or more)"),
        ({"demographics": [{**AGE, "name": "my age"}]}, "demographics[0].name is 'my age'"),
        ({"demographics": [{**AGE, "name": "person"}]}, "demographics[0].name is 'person'"),
        ({"demographics": [AGE, AGE]}, "demographics[1].name is 'age' again"),
        ({"demographics": [{**AGE, "kind": "date"}]}, "demographics[0].kind is 'date'"),
        ({"demographics": [{**AGE, "options": ["a", "b"]}]}, "demographics[0].kind is 'number' (expected a choice"),
        ({"demographics": [{**HOME, "options": ["a"]}]}, "demographics[0].options is ['a']"),
        ({"demographics": [{**HOME, "options": ["a", "a "]}]}, "demographics[0].options is ['a', 'a '] (expected"),
        ({"demographics": [{**HOME, "screen_out": ["air"]}]}, "demographics[0].screen_out[0] is 'air'"),
        ({"demographics": [{**HOME, "required": "yes"}]}, "demographics[0].required is 'yes' (expected true or false)"),
        ({"checks": [{**CHECK, "expected": "c"}]}, "checks[0].expected is 'c' (expected one of the options)"),
        ({"checks": [{**CHECK, "options": ["a", False]}]}, "checks[0].options[1] is False"),
        ({"checks": [CHECK], "failed_checks": 2}, "2 (expected a whole number up to that of the checks, 1)"),
        ({"completion": {"link": "x"}}, "unknown key completion.link"),
        ({"completion": {"address": "javascript:alert(1)"}}, "completion.address is 'javascript:alert(1)'"),
        ({"completion": {"address": "https://[x"}}, "completion.address is 'https://[x'"),
        ({"ids": {"participant": "a b"}}, "ids.participant is 'a b'"),
        ({"ids": {"participant": "token"}}, "ids.participant is 'token'"),
        ({"ids": {"participant": "p", "session": "p"}}, "ids is {'participant': 'p', 'session': 'p'}"),
        ({"ids": {"session": "s"}}, "ids.participant is missing"),
        ({"embed": ["https://a.example/x"]}, "embed[0] is 'https://a.example/x' (expected an origin"),
        ({"embed": ["https://a.example; script-src *"]}, "embed[0] is"),
        ({"flags": {"fast": 1}}, "unknown key flags.fast"),
        ({"flags": {"seconds": -1}}, "flags.seconds is -1"),
        ({"flags": {"copied": 1.5}}, "flags.copied is 1.5 (expected a whole number from 0 to 1000000)"),
        ({"hash_ids": 1}, "hash_ids is 1 (expected true or false)"),
    ],
)  # fmt: skip
def test_whatever_is_wrong_is_one_line(tmp_path, changes, message):
    path = study_file(tmp_path, **changes)
    with pytest.raises(InputError) as error:
        read_study(path)
    assert message in str(error.value)
    assert str(error.value).startswith(str(tmp_path))
    assert "\n" not in str(error.value)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
KEYS = (
    "title consent instructions items per_item per_person language words demographics checks failed_checks order"
    " seed time_limit abandon_after completion ids embed flags"
)


@given(key=st.sampled_from(KEYS.split()), value=values)
def test_any_value_is_read_or_refused(tmp_path, key, value):
    path = study_file(tmp_path)
    document = {**yaml.safe_load(path.read_text()), key: value}
    path.write_text(yaml.safe_dump(document, allow_unicode=True))
    with suppress(InputError):
        study = read_study(path)
        assert study_from_json(json.loads(json.dumps(study.to_json()))) == study


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("# Nothing yet.\n", r"study\.yaml: the file is nothing \(expected a mapping"),
        (
            "title: A\nconsent: B\ntitle: C\n",
            r"study\.yaml, line 3: not valid YAML: the key 'title' stands twice",
        ),
    ],
)
def test_an_empty_file_and_a_key_that_stands_twice(tmp_path, text, message):
    path = tmp_path / "study.yaml"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        read_study(path)


def test_what_may_change_while_a_study_runs(tmp_path):
    first = make_study(tmp_path).identity
    same = {
        "flags": {"seconds": 3},
        "per_item": 9,
        "time_limit": 5,
        "abandon_after": 5,
        "completion": {"code": "x"},
    }
    for key, value in same.items():
        assert make_study(tmp_path, **{key: value}).identity == first, key
    other = {"title": "x", "consent": "x", "seed": 1, "per_person": 2, "language": "de"}
    for key, value in other.items():
        assert make_study(tmp_path, **{key: value}).identity != first, key
