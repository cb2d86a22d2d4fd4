"""A model that answers the pages of a study: its probabilities, asked once, and its texts, if it writes any."""

from __future__ import annotations

from random import Random

import pytest

from probsense.models.base import Model
from probsense.models.registry import load_model
from probsense.runs.score import score
from probsense.studies.model_mind import ModelMind


@pytest.fixture(scope="module")
def model() -> Model:
    return load_model("builtin:tiny")


def test_options_have_the_models_probabilities_in_any_order(
    model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    mind, asked = ModelMind(model), list[str]()

    def counted(model: object, prompt: str, options: list[str]) -> object:
        asked.append(prompt)
        return score(model, prompt, options)

    monkeypatch.setattr("probsense.studies.model_mind.score", counted)
    expected = score(model, "Water is wet.\nDo you agree?\nAnswer:", [" No", " Yes"]).probabilities
    assert mind.weigh("Water is wet.\nDo you agree?", ["Yes", "No"]) == pytest.approx(expected[::-1])
    assert mind.weigh("Water is wet.\nDo you agree?", ["No", "Yes"]) == pytest.approx(expected)
    assert len(asked) == 1
    assert mind.weigh("x", ["a", "a", "b"])[0] == mind.weigh("x", ["a", "b"])[0]


def test_texts_differ_by_chance_and_are_left_to_others_where_the_model_writes_none(model: Model) -> None:
    tiny = ModelMind(model)
    texts = [tiny.write("A kite is torn.\nBy what?", Random(seed)) for seed in (1, 1, 2, 3, 4)]
    assert texts[0] == texts[1]
    assert len({*texts}) > 1
    assert all("\n" not in text for text in texts)
    assert ModelMind(load_model("random:1")).write("x", Random(1)) == ""
