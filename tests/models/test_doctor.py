from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
import pytest

from probsense.core.errors import InputError
from probsense.core.records import (
    Failure,
    LabelResponse,
    OptionScore,
    SampleResponse,
    ScoreResponse,
)
from probsense.models.base import Capabilities, Finding, Usage
from probsense.models.doctor import beginning, check_method, examine
from probsense.models.small.random import RandomModel, one_token
from probsense.models.small.recorded import load as recorded

NOTHING = one_token("", 0.0)


@dataclass
class Patient:
    """Answers everything alike, but for what ails it."""

    logprob: float = -1.2
    each_time: float = 0.0
    in_a_crowd: float = 0.0
    mass: tuple[float, float, float] = (0.6, 0.3, 0.1)
    note: str = ""
    text: str = "Yes, it is."
    draws: tuple[str, ...] = ("a cat", "a dog")
    fails: bool = False
    silent: bool = False
    name: str = "patient:"
    details: Mapping[str, Any] = field(default_factory=dict)
    capabilities: Capabilities = field(
        default=Capabilities(score=True, labels="exact", sample=True, chat=True)
    )
    usage: Usage = field(default_factory=Usage)
    asked: int = 0
    findings: Sequence[Finding] = ()

    def score(self, requests):
        shift = self._shift(requests)
        for i, request in enumerate(requests):
            parts = (one_token(o, self.logprob + shift - 0.1 * k) for k, o in enumerate(request.options))
            response = ScoreResponse(tuple(OptionScore(part, NOTHING) for part in parts))
            yield self._batch(i, response)

    def labels(self, requests):
        yes, no, other = self.mass
        shift = self._shift(requests)
        for i, _ in enumerate(requests):
            yield self._batch(
                i, LabelResponse({"yes": yes + shift, "no": no - shift}, other, "exact", self.note)
            )

    def sample(self, requests):
        word = "" if self._shift(requests) == 0 else " Or not."
        for i, request in enumerate(requests):
            texts = [self.draws[d % len(self.draws)] for d in range(request.n)]
            yield self._batch(i, SampleResponse(tuple(texts) if request.temperature else (self.text + word,)))

    def _shift(self, requests):
        self.asked += 1
        return self.each_time * (self.asked % 2) + self.in_a_crowd * (len(requests) > 1)

    def _batch(self, index, response):
        if self.silent:
            return []
        return [(index, Failure("HTTP 500", 6) if self.fails else response)]


def findings(patient, method=None):
    found = examine(patient, method)
    named = {finding.name: finding for finding in found}
    assert len(named) == len(found)
    return named


def test_a_healthy_model():
    patient = Patient()
    patient.findings = [Finding("route", True, "chat")]
    found = findings(patient)
    assert next(iter(found)) == "route"  # seen at loading
    assert {name for name, finding in found.items() if finding.ok is not True} == set()
    assert found["methods"].data == {"methods": ["options", "labels", "sample"]}
    assert found["options, in a batch"].data == {"largest_difference": 0.0}


AILMENTS = {
    "a little of each time": ({"each_time": 0.01}, "options, asked twice", None, "within 0.01 nats"),
    "rounding": ({"each_time": -1e-6}, "options, asked twice", True, "within 1e-06 nats"),
    "another answer": ({"each_time": -1.0}, "options, asked twice", False, "within 1 nats"),
    "labels in a crowd": ({"in_a_crowd": 0.01}, "labels, in a batch", None, "within 0.01 of mass"),
    "texts in a crowd": ({"in_a_crowd": 0.01}, "texts, in a batch", None, "Or not"),
    "options above 1": ({"logprob": -0.5}, "options, probabilities", False, "more than 1"),
    "a probability above 1": ({"logprob": 0.5}, "options, probabilities", False, "above 1"),
    "no number": ({"logprob": math.nan}, "options, probabilities", False, "not a number"),
    "labels above 1": ({"mass": (0.9, 0.9, 0.0)}, "labels, probabilities", False, "sum to 1.8"),
    "mass below 0": ({"mass": (1.1, -0.1, 0.0)}, "labels, probabilities", False, "below 0"),
    "all of it other": ({"mass": (0.1, 0.1, 0.8)}, "labels, mass", None, "20.0 % on yes and no"),
    "white space first": ({"note": "after a blank"}, "labels, read", None, "after a blank"),
    "one text for all draws": ({"draws": ("a cat",)}, "texts, drawn", None, "drawn independently"),
    "nothing written": ({"text": " \n"}, "texts, room for the answer", False, "nothing is written"),
    "thinking": ({"text": "<think>\nOkay"}, "texts, room for the answer", False, "<think>"),
    "neither yes nor no": ({"text": "Fire?"}, "texts, room for the answer", None, "'Fire?'"),
    "failures": ({"fails": True}, "an answer", False, "after 6 tries: HTTP 500"),
    "silence": ({"silent": True}, "an answer", False, "1 of 1 requests got no answer"),
}


@pytest.mark.parametrize("ailment", AILMENTS)
def test_what_ails_it_is_found(ailment):
    ails, name, ok, words = AILMENTS[ailment]
    found = examine(Patient(**ails))
    json.dumps([asdict(each) for each in found], allow_nan=False)
    finding = {finding.name: finding for finding in found}[name]
    assert finding.ok is ok
    assert words in finding.detail


def test_fewer_texts_than_asked_for():
    @dataclass
    class Thrifty(Patient):
        def sample(self, requests):
            return super().sample([replace(request, n=1) for request in requests])

    assert findings(Thrifty())["texts, drawn"].ok is False


def test_what_it_must_be_able_to_answer():
    speaks = Capabilities(sample=True)
    found = findings(Patient(capabilities=speaks), "options")
    assert (found["methods"].ok, found["methods"].detail) == (False, "the model can answer sample")
    assert findings(Patient(capabilities=speaks))["methods"].ok
    assert findings(Patient(capabilities=speaks), "sample")["methods"].ok
    assert "texts, room for the answer" not in found
    assert findings(Patient(capabilities=Capabilities()))["methods"].ok is False


def test_what_cannot_be_examined(tmp_path):
    path = tmp_path / "answers.jsonl"
    path.write_text('{"id": "1", "response": "x"}\n')
    with pytest.raises(InputError, match="recorded items only"):
        examine(recorded(str(path)))
    with pytest.raises(InputError, match="did you mean 'labels'"):
        check_method("label")
    check_method(None)


TWICE = "{{ bos_token }}{{ bos_token }}{% for m in messages %}{{ m['content'] }}{% endfor %}"


@pytest.mark.parametrize(
    ("kind", "template", "ok", "count"),
    [
        ("gpt2", None, None, 0),
        ("llama3", None, True, 1),
        ("llama2", None, True, 1),
        ("llama3", TWICE, False, 2),
    ],
)
def test_how_texts_begin(loaded, kind, template, ok, count):
    (found,) = beginning(loaded("llama", kind, template))
    assert (found.ok, found.data["count"]) == (ok, count)


def test_a_beginning_that_the_tokenizer_knows_but_does_not_put(loaded):
    model = loaded("llama", "llama3")
    bare = replace(model, encoder=model.encoder._replace(head=model.encoder.head[:0]))
    (found,) = beginning(bare)
    assert (found.ok, found.data["count"]) == (None, 0)
    assert "the tokenizer adds none" in found.detail


def test_a_decoder_begins_with_its_own(loaded):
    model = loaded("llama", "llama3")
    (found,) = beginning(replace(model, writer=model.encoder._replace(head=np.array([0], np.int32))))
    assert (found.ok, found.detail) == (None, "the decoder begins with '<|end|>'")
    assert beginning(RandomModel("random", 0)) == []
