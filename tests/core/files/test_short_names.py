"""Names of models that are paths are as short as they can be, and stay apart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probsense.core.names import short_names

_PARTS = st.lists(st.sampled_from(["a", "b", "checkpoint-5", "x.gguf"]), min_size=1, max_size=4).map("/".join)
_NAMES = st.tuples(
    st.sampled_from(["", "hf:", "gguf:"]), st.sampled_from(["", "/", "~/", "../"]), _PARTS
).map("".join)


@pytest.mark.parametrize(
    ("model", "short"),
    [
        ("hf:/data/models/smollm2", "hf:smollm2"),
        ("hf:/data/models/smollm2/", "hf:smollm2"),
        ("gguf:~/models/smollm2.gguf", "gguf:smollm2.gguf"),
        ("hf:./smollm2", "hf:smollm2"),
        ("hf:models/smollm2/final", "hf:final"),
        (r"hf:C:\models\smollm2", "hf:smollm2"),
        ("hf:Qwen/Qwen3-0.6B", "hf:Qwen/Qwen3-0.6B"),
        ("openai:gpt-5", "openai:gpt-5"),
        ("builtin:tiny", "builtin:tiny"),
        ("my model and/or yours", "my model and/or yours"),
        ("", ""),
    ],
)
def test_the_last_part_of_a_path_is_its_name(model: str, short: str) -> None:
    assert short_names([model]) == {model: short}


def test_as_many_parts_as_tell_models_apart_are_kept() -> None:
    short = short_names(
        ["hf:/runs/a/checkpoint-500", "hf:/runs/b/checkpoint-500", "hf:/runs/b/checkpoint-900"]
    )
    assert [*short.values()] == ["hf:a/checkpoint-500", "hf:b/checkpoint-500", "hf:checkpoint-900"]


@given(st.lists(_NAMES))
def test_no_two_names_are_equal_and_each_ends_its_model(models: list[str]) -> None:
    short = short_names(models)
    assert [*short] == [*dict.fromkeys(models)]
    assert len({*short.values()}) == len(short)
    for model, name in short.items():
        assert model.rstrip("/").endswith(name.rpartition(":")[2].rstrip("/"))
