from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from probsense.core.errors import ModelError
from probsense.models.next_token.labels import blank_tokens, decoded_vocabulary, label_classes

YES_NO = (("yes", ("yes",)), ("no", ("no",)))


def test_a_label_without_a_token_is_named() -> None:
    with pytest.raises(ModelError, match="stands for the label 'no'"):
        label_classes(["yes", "not"], YES_NO)


@pytest.mark.parametrize("kind", ["gpt2", "llama3", "llama2"])
def test_vocabulary_of_a_tokenizer(tokenizer_of: Callable[[str], Any], kind: str) -> None:
    tokenizer = tokenizer_of(kind)
    vocabulary = decoded_vocabulary(tokenizer)
    assert len(vocabulary) == len(tokenizer)
    assert [vocabulary[i] for i in tokenizer.all_special_ids] == [None] * len(tokenizer.all_special_ids)
    yes = tokenizer("yes", add_special_tokens=False)["input_ids"][-1]
    spaced = tokenizer("The yes", add_special_tokens=False)["input_ids"][-1]
    assert label_classes(vocabulary, (("yes", ("yes",)),))[[yes, spaced]].tolist() == [0, 0]
    blanks = {tokenizer.convert_ids_to_tokens(i) for i in blank_tokens(vocabulary)}
    assert blanks >= ({"▁", "\n"} if kind == "llama2" else {"Ġ", "Ċ", "ĉ"})
    assert not blanks & {"yes", "Ġyes", "▁yes", "</s>", "<|end|>"}
