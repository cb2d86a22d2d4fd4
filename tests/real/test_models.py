"""The two real models read and write as their makers' tokenizers do."""

from __future__ import annotations

from pathlib import Path

import pytest

from probsense.models.base import in_form
from probsense.models.registry import load_model
from probsense.records import SampleRequest

pytestmark = pytest.mark.real


@pytest.mark.parametrize(
    ("name", "expected"),
    [("smollm2", ["a", "ĠĠĠ", "1", "2"]), ("gemma3", ["a", "▁▁▁", "1", "2"])],
)
def test_numbers_are_split_into_digits_after_blanks(
    name: str, expected: list[str], request: pytest.FixtureRequest
) -> None:
    from transformers import AutoTokenizer

    folder: Path = request.getfixturevalue(name)
    assert AutoTokenizer.from_pretrained(folder).tokenize("a   12") == expected


@pytest.mark.parametrize("name", ["smollm2", "gemma3"])
def test_a_real_model_knows_a_capital(name: str, request: pytest.FixtureRequest) -> None:
    folder: Path = request.getfixturevalue(name)
    model = in_form(load_model(f"hf:{folder}"), "completion")
    prompt = "The capital of France is Paris, and the capital of Germany is"
    asked = SampleRequest(prompt, n=1, max_tokens=1, temperature=0.0, top_p=1.0, stop=(), seed=0, item="x")
    ((_, answer),) = [pair for batch in model.sample([asked]) for pair in batch]
    assert answer.texts[0].strip() == "Berlin"
