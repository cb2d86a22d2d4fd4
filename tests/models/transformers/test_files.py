"""What of a folder tells one model from another."""

import pytest

from probsense.models.transformers.files import TOKENIZER_SUFFIXES, folder_hash


@pytest.mark.parametrize(
    ("name", "of_model", "of_tokenizer"),
    [
        ("model.safetensors", True, False),
        ("config.json", True, True),
        ("tokenizer.model", True, True),
        ("chat_template.jinja", True, True),
        ("modeling_own.py", True, True),
        ("README.md", False, False),
    ],
)
def test_a_hash_follows_the_files_that_change_numbers(name, of_model, of_tokenizer, tmp_path):
    for each in ("model.safetensors", "config.json", name):
        (tmp_path / each).write_text("a")
    before = folder_hash(tmp_path), folder_hash(tmp_path, TOKENIZER_SUFFIXES)
    (tmp_path / name).write_text("b")
    after = folder_hash(tmp_path), folder_hash(tmp_path, TOKENIZER_SUFFIXES)
    assert [one != other for one, other in zip(before, after, strict=True)] == [of_model, of_tokenizer]
