"""Tests of the oracle: the solver as a model."""

from __future__ import annotations

import math

import pytest

from probsense.core.errors import InputError, ModelError
from probsense.core.records import LabelRequest, SampleRequest, ScoreRequest, response_to_json
from probsense.models.base import Model
from probsense.tasks.worldsense.text import oracle
from probsense.tasks.worldsense.text.oracle import load


@pytest.fixture
def knows(monkeypatch):
    """A solver that answers with the last word of the text, and knows nothing of poems."""

    def solve_text(text: str) -> str:
        if "poem" in text:
            raise ValueError("a poem")
        return text.rpartition(" ")[2]

    monkeypatch.setattr(oracle, "solve_text", solve_text)


@pytest.mark.usefixtures("knows")
def test_the_right_option_gets_nearly_everything():
    asked = {"say 2": (" 1", " 2", "3 "), "say 3": ("1", "3"), "nothing ": ("1", "2")}
    (batch,) = load("").score([ScoreRequest(text, options, "!") for text, options in asked.items()])
    assert [index for index, _ in batch] == [0, 1, 2]
    scores = [[math.exp(o.option.logprobs[0]) for o in response.options] for _, response in batch]
    assert scores[0] == pytest.approx([5e-7, 1 - 1e-6, 5e-7])
    assert scores[1:] == [pytest.approx([1e-6, 1 - 1e-6]), pytest.approx([0.5, 0.5])]
    assert batch[0][1].options[0].suffix.logprobs == (0.0,)
    assert response_to_json(batch[0][1])


@pytest.mark.usefixtures("knows")
def test_labels_and_texts():
    labels = (("right", (" TRUE", " True")), ("wrong", (" FALSE",)))
    ((_, response),) = next(iter(load("").labels([LabelRequest("say FALSE", labels)])))
    assert response.mass == pytest.approx({"right": 1e-6, "wrong": 1 - 1e-6})
    assert response.other == 0.0
    ((_, texts),) = next(iter(load("").sample([SampleRequest("say FALSE", n=3)])))
    assert texts.texts == ("FALSE",) * 3


@pytest.mark.usefixtures("knows")
@pytest.mark.parametrize(
    ("request_", "message"),
    [
        (ScoreRequest("a poem", ("1",)), "answers WorldSense questions in our own skins only: a poem"),
        (ScoreRequest("say 4", ("1", "2")), "the oracle's answer '4' is not exactly one of"),
        (ScoreRequest("say 1", ("1", " 1")), "is not exactly one of"),
    ],
)
def test_what_it_cannot_answer(request_, message):
    with pytest.raises(ModelError, match=message):
        list(load("").score([request_]))


def test_it_is_a_model_without_argument():
    model = load("")
    assert isinstance(model, Model)
    assert (model.name, model.details) == ("oracle:", {"scheme": "oracle", "version": 1})
    with pytest.raises(InputError, match="takes no argument, '7' was given"):
        load("7")
