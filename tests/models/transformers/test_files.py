"""What of a folder tells one model from another."""

import pytest

from probsense.models.transformers.files import folder_hash


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("model.safetensors", True),
        ("config.json", True),
        ("tokenizer.model", True),
        ("chat_template.jinja", True),
        ("modeling_own.py", True),
        ("README.md", False),
    ],
)
def test_a_hash_follows_the_files_that_change_numbers(name, counts, tmp_path):
    for each in ("model.safetensors", "config.json", name):
        (tmp_path / each).write_text("a")
    before = folder_hash(tmp_path)
    (tmp_path / name).write_text("b")
    assert (before != folder_hash(tmp_path)) is counts
