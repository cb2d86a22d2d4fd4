"""Tests of recorded answers."""

import json

import pytest

from probsense.core.errors import InputError, ModelError
from probsense.core.records import LabelRequest, SampleRequest, ScoreRequest
from probsense.models.base import Model
from probsense.models.registry import fingerprint
from probsense.models.small.recorded import load
from support.models.answers import answers

KEY = -(2**62) - 1


def write(path, *records):
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records))
    return path


def texts(path, *items):
    asked = [SampleRequest("the words do not matter", item=item) for item in items]
    return [response.texts[0] for response in answers(load(str(path)).sample(asked))]


def test_both_kinds_of_line(tmp_path):
    path = write(
        tmp_path / "r.jsonl", {"Key": KEY, "resp": "TRUE", "more": 1}, {"id": "a b", "response": " no\n"}
    )
    assert texts(path, "a b", str(KEY), "of no line") == [" no\n", "TRUE", ""]


@pytest.mark.parametrize(("value", "text"), [(None, ""), (2.0, "2"), (0.5, "0.5"), ("", "")])
def test_answers_are_text(tmp_path, value, text):
    assert texts(write(tmp_path / "r.jsonl", {"Key": 5, "resp": value}), "5") == [text]


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"Key": "5", "resp": "a"}, r"Key is '5' \(expected a whole number\)"),
        ({"Key": 5.0, "resp": "a"}, "Key is 5.0"),
        ({"id": 5, "response": "a"}, "id is 5"),
        ({"id": "a", "response": [["a"]]}, "the answer is"),
        ({"id": "a", "response": False}, "the answer is False"),
        ({"id": "a", "resp": "b"}, "has the fields 'id', 'resp'"),
        ({}, r"has the fields \(none\)"),
        ([], "list found"),
        ({"Key": 1, "resp": "c"}, "a second answer 'c' to item '1', which has 'b'"),
        ({"id": "1", "response": "c"}, "a second answer"),
    ],
)
def test_lines_that_are_wrong(tmp_path, record, message):
    path = write(tmp_path / "r.jsonl", {"Key": 1, "resp": "b"}, record)
    with pytest.raises(InputError, match=rf"r\.jsonl, line 2: {message}"):
        load(str(path))


def test_the_fingerprint_is_of_the_content(tmp_path):
    one, same, other = (
        load(str(write(tmp_path / name, {"id": "a", "response": text})))
        for name, text in (("1", "b"), ("2", "b"), ("3", "c"))
    )
    assert fingerprint(one) == fingerprint(same) != fingerprint(other)
    assert one.name == f"recorded:{tmp_path / '1'}"


def test_it_has_texts_only_and_as_many_as_recorded(tmp_path):
    model = load(str(write(tmp_path / "r.jsonl", {"id": "a", "response": "b"})))
    assert isinstance(model, Model)
    assert model.capabilities.sample
    assert model.capabilities.by_item
    several = load(str(write(tmp_path / "s.jsonl", {"id": "a", "response": ["b", "", "b"]})))
    asked = [SampleRequest("q", n=3, item="a"), SampleRequest("q", n=2, item="unknown")]
    assert [response.texts for response in answers(several.sample(asked))] == [("b", "", "b"), ("", "")]
    for path, message in (("", "names no file"), (write(tmp_path / "none"), "holds no answers")):
        with pytest.raises(InputError, match=message):
            load(str(path))
    with pytest.raises(InputError, match="has 1 texts for item a, 2 were asked for"):
        list(model.sample([SampleRequest("q", n=2, item="a")]))
    with pytest.raises(ModelError, match="no probabilities"):
        model.score([ScoreRequest("q", ("a",))])
    with pytest.raises(ModelError, match="no probabilities"):
        model.labels([LabelRequest("q", ())])
