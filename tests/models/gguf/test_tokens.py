"""The tokenizer of a GGUF file: the characters of its tokens, and its likeness to the original one."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probsense.errors import InputError, ModelError
from probsense.models.gguf.tokens import FileTokenizer, check_tokens, offsets

TEXTS = st.text("ab é世🙂\n", max_size=12)


@given(TEXTS, st.data())
def test_offsets_are_those_of_the_bytes(text: str, data: st.DataObject) -> None:
    raw = text.encode()
    cuts = sorted(data.draw(st.sets(st.integers(1, max(len(raw) - 1, 1)), max_size=6))) if raw else []
    edges = [0, *(cut for cut in cuts if cut < len(raw)), len(raw)]
    pieces = [raw[a:z] for a, z in pairwise(edges) if a < z]
    expected, at = [], 0
    for piece in pieces:
        inside = [
            k
            for k in range(len(text))
            if len(text[:k].encode()) < at + len(piece) and len(text[: k + 1].encode()) > at
        ]
        expected.append((inside[0], inside[-1] + 1))
        at += len(piece)
    assert offsets(text, pieces) == expected


def test_a_blank_that_the_tokenizer_adds_stands_for_no_character() -> None:
    assert offsets("no é", [b" no", b" \xc3", b"\xa9"]) == [(0, 2), (2, 4), (3, 4)]
    assert offsets("no", [b" ", b"no"]) == [(0, 0), (0, 2)]


def test_white_space_that_the_tokenizer_drops_belongs_to_no_token() -> None:
    assert offsets("<s>  no\n", [b"<s>", b"no"]) == [(0, 3), (5, 7)]


@pytest.mark.parametrize("pieces", [[b"no"], [b"yes", b"no"], [b"Yes"]])
def test_tokens_that_spell_another_text(pieces: list[bytes]) -> None:
    with pytest.raises(ModelError, match="do not spell the text 'yes'; give the original tokenizer"):
        offsets("yes", pieces)


TRIED = [
    "",
    "Is a stone heavier than a feather? Answer: yes",
    "  two blanks, 12 345 numbers\n\n\tand tabs ",
    "crème brûlée, 世界, 🙂👍🏽",
    "<s> is no special token of this text",
]


@pytest.mark.server
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


@pytest.mark.server
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
