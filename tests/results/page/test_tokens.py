"""Tokens as text: by the conventions of tokenizers, and of two real ones."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probsense.core.records import ScoreRequest, ScoreResponse
from probsense.models.registry import load_model
from probsense.results.page.items import VISIBLE, _gpt2_bytes, token_texts

GPT2 = {byte: sign for sign, byte in _gpt2_bytes().items()}


@given(st.text(min_size=1), st.data())
def test_byte_level_pieces_spell_their_text(text: str, data: st.DataObject) -> None:
    whole = text.encode(errors="replace")
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=5)))
    edges = [0, *cuts, len(whole)]
    tokens = ["".join(GPT2[b] for b in whole[a:z]) for a, z in pairwise(edges)]
    shown = token_texts(tokens, whole.decode())
    assert len(shown) == len(tokens)
    if not cuts:
        assert shown == (whole.decode().translate(VISIBLE),)


@given(st.text(st.characters(exclude_characters="▁", exclude_categories=["Cs"])))
def test_sentencepiece_spells_blanks_and_bytes(text: str) -> None:
    by_bytes = [f"<0x{byte:02X}>" for byte in text.encode()]
    assert len(token_texts(by_bytes, text)) == len(by_bytes)
    assert token_texts([f"▁{text}"], f" {text}") == (f" {text}".translate(VISIBLE),)


@pytest.mark.parametrize(
    ("tokens", "text", "shown"),
    [
        (["Ġyes"], " yes", ("␣yes",)),
        (["Ġyes"], "yes", ("␣yes",)),
        (["Ġyes", "Ċ"], " yes\n", ("␣yes", "⏎")),
        (["yes", "Ġor", "Ġno"], " yes or no", ("yes", "␣or", "␣no")),
        (["cafÃ©"], "café", ("café",)),
        (["caf", "Ã", "©"], "café", ("caf", "⟨C3⟩", "⟨A9⟩")),
        (["▁café", "<0x0A>"], " café\n", ("␣café", "⏎")),
        (["<0xE2>", "<0x96>"], "half of ▁", ("⟨E2⟩", "⟨96⟩")),
        ([" plain", "\ttext"], " plain\ttext", ("␣plain", "⇥text")),
        (["Ã©"], "Ã©", ("Ã©",)),
        (["Ġthe", "Ġend"], "nothing like it", ("␣the", "␣end")),
        (["<script>"], "<script>", ("<script>",)),
        ([], "", ()),
    ],
)
def test_each_convention(tokens: list[str], text: str, shown: tuple[str, ...]) -> None:
    assert token_texts(tokens, text) == shown


@pytest.mark.slow
@pytest.mark.real
@pytest.mark.parametrize("name", ["smollm2", "gemma3"])
def test_real_tokenizers(name: str, request: Any) -> None:
    model = load_model(f"hf:{request.getfixturevalue(name)}")
    asked = ScoreRequest("The word is", (" naïve café", " 東京", " two  blanks"), "\nEnd", item="x")
    ((_, answer),) = [pair for batch in model.score([asked]) for pair in batch]
    assert isinstance(answer, ScoreResponse)
    for option, score in zip(asked.options, answer.options, strict=True):
        shown = token_texts((*score.option.tokens, *score.suffix.tokens), option + asked.suffix)
        assert not set("".join(shown)) & set("ĠĊ▁Ã")
        if "⟨" not in "".join(shown):
            assert "".join(shown).lstrip("␣") == (option + asked.suffix).translate(VISIBLE).lstrip("␣")
