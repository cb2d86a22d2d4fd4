from __future__ import annotations

import pytest

from probsense.errors import InputError
from probsense.models import builtin
from probsense.models.base import Model
from probsense.records import ScoreRequest


def test_an_unknown_name_lists_those_there_are() -> None:
    with pytest.raises(InputError, match=r"no built-in model 'huge' \(expected one of tiny\)"):
        builtin.load("huge")


@pytest.mark.skipif(
    not (builtin.HERE / "tiny" / "model.safetensors").is_file(), reason="builtin:tiny is not trained yet"
)
def test_tiny_scores_options() -> None:
    model = builtin.load("tiny", device="cpu")
    assert isinstance(model, Model)
    assert model.name == "builtin:tiny"
    assert not model.capabilities.chat
    assert model.details["dtype"] == "float32"
    ((pair,),) = model.score([ScoreRequest("The answer is", (" TRUE", " FALSE"))])
    index, response = pair
    assert index == 0
    assert all(value < 0 for option in response.options for value in option.option.logprobs)
