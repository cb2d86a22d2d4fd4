"""Names: short, safe and different."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probsense.core.names import CUT, file_name, short_ids, short_names

_PARTS = st.lists(st.sampled_from(["a", "b", "checkpoint-5", "x.gguf"]), min_size=1, max_size=4).map("/".join)
_NAMES = st.tuples(
    st.sampled_from(["", "hf:", "gguf:"]), st.sampled_from(["", "/", "~/", "../"]), _PARTS
).map("".join)


@pytest.mark.parametrize(
    ("model", "short"),
    [
        ("hf:/data/models/smollm2", "hf:smollm2"),
        ("gguf:~/models/smollm2.gguf", "gguf:smollm2.gguf"),
        ("hf:./smollm2", "hf:smollm2"),
        ("hf:models/smollm2/final", "hf:final"),
        (r"hf:C:\models\smollm2", "hf:smollm2"),
        ("hf:Qwen/Qwen3-0.6B", "hf:Qwen/Qwen3-0.6B"),
        ("openai:gpt-5", "openai:gpt-5"),
        ("my model and/or yours", "my model and/or yours"),
        ("", ""),
    ],
)
def test_the_last_part_of_a_path_is_its_name(model, short):
    assert short_names([model]) == {model: short}


def test_as_many_parts_as_tell_models_apart_are_kept():
    short = short_names(
        ["hf:/runs/a/checkpoint-500", "hf:/runs/b/checkpoint-500", "hf:/runs/b/checkpoint-900"]
    )
    assert [*short.values()] == ["hf:a/checkpoint-500", "hf:b/checkpoint-500", "hf:checkpoint-900"]


@given(st.lists(_NAMES))
def test_no_two_names_are_equal_and_each_ends_its_model(models):
    short = short_names(models)
    assert [*short] == [*dict.fromkeys(models)]
    assert len({*short.values()}) == len(short)
    for model, name in short.items():
        assert model.rstrip("/").endswith(name.rpartition(":")[2].rstrip("/"))


@given(st.lists(st.text("ab0123456789/-…", max_size=40), max_size=30))
def test_different_ids_stay_different_and_are_parts_of_themselves(ids):
    short = short_ids(ids)
    assert len({*zip(ids, short, strict=True)}) == len({*ids}) == len({*short})
    for whole, own in zip(ids, short, strict=True):
        assert whole.startswith(own.removesuffix(CUT)) or whole.endswith(own.removeprefix(CUT))
        assert len(own) <= len(whole)


def test_long_numbers_and_paths_are_cut_and_words_are_not():
    numbers = ["-1541344430156928677", "1930818508151210446", "1930818999151210446"]
    assert short_ids(numbers) == ["-15413…", "19308185…", "19308189…"]
    paths = [f"everyday/a long folder of tests/likely/{i}" for i in range(3)]
    assert short_ids(paths) == ["…kely/0", "…kely/1", "…kely/2"]
    words = ["bread-instrument", "4-q1", "everyday/likely/0"]
    assert short_ids(words) == words


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("hf:org/model-1.5", "hf-org-model-1.5"),
        ("../../etc/passwd", "etc-passwd"),
        ("gpt_4=x@y+z", "gpt_4=x@y+z"),
        ("模型", "模型"),
        ("...", ""),
    ],
)
def test_a_name_for_a_file(text, name):
    assert file_name(text) == name


@given(st.text())
def test_a_name_is_safe_and_stays_as_it_is(text):
    name = file_name(text)
    assert not set(name) & set('/\\:*?"<>| \n\0')
    assert not name.startswith((".", "-"))
    assert file_name(name) == name
