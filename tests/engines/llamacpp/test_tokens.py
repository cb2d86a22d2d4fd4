"""The tokenizer of a GGUF file, beside the original one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from probsense.core.errors import InputError
from probsense.models.llamacpp.tokens import FileTokenizer, check_tokens

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
    for character in range(len(text)):
        token = found.char_to_token(character)
        assert token is not None
        assert found.token_to_chars(token)[0] <= character < found.token_to_chars(token)[1]


def test_another_models_tokenizer_is_refused(own: FileTokenizer, original: Any, tmp_path: Path) -> None:
    check_tokens(original, own, tmp_path)

    class Other:
        def __len__(self) -> int:
            return len(original)

        def convert_ids_to_tokens(self, ids: list[int]) -> list[str]:
            return [
                "x" if i == 700 else text for i, text in zip(ids, own.convert_ids_to_tokens(ids), strict=True)
            ]

    with pytest.raises(InputError, match="the tokenizer of another model: its token 700 is 'x'"):
        check_tokens(Other(), own, tmp_path)
