"""The tokenizer of a GGUF file, beside the original one."""

from __future__ import annotations

from typing import Any

import pytest

from probsense.models.llamacpp.tokens import FileTokenizer

TRIED = [
    "",
    "Is a stone heavier than a feather? Answer: yes",
    "  two blanks, 12 345 numbers\n\n\tand tabs ",
    "crème brûlée, 世界, 🙂👍🏽",
    "<s> is no special token of this text",
]


@pytest.mark.parametrize("text", TRIED)
def test_tokens_are_those_of_the_original(text: str, own: FileTokenizer, original: Any) -> None:
    expected = original(text, add_special_tokens=False, return_offsets_mapping=True)
    (found,) = own.encode_batch([text], add_special_tokens=False)
    assert found.ids == expected["input_ids"]
    assert own.convert_ids_to_tokens(found.ids) == original.convert_ids_to_tokens(found.ids)
    assert own.decode(found.ids) == original.decode(found.ids, clean_up_tokenization_spaces=False)
    assert own.decode([0, *found.ids], skip_special_tokens=True) == text.replace("<s>", "")
    covered = {character for start, stop in found.offsets for character in range(start, stop)}
    assert covered == {*range(len(text))}
