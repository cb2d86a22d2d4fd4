"""The tokenizer of a GGUF file: the characters of its tokens."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probsense.core.errors import ModelError
from probsense.models.llamacpp.tokens import offsets

TEXTS = st.text("ab é世🙂\n", max_size=12)


@given(TEXTS, st.data())
def test_offsets_are_those_of_the_bytes(text, data):
    raw = text.encode()
    cuts = data.draw(st.sets(st.integers(0, len(raw)), max_size=6))
    edges = sorted({0, *cuts, len(raw)})
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


def test_a_blank_that_the_tokenizer_adds_stands_for_no_character():
    assert offsets("no é", [b" no", b" \xc3", b"\xa9"]) == [(0, 2), (2, 4), (3, 4)]
    assert offsets("no", [b" ", b"no"]) == [(0, 0), (0, 2)]


def test_white_space_that_the_tokenizer_drops_belongs_to_no_token():
    assert offsets("<s>  no\n", [b"<s>", b"no"]) == [(0, 3), (5, 7)]


@pytest.mark.parametrize("pieces", [[b"no"], [b"yes", b"no"], [b"Yes"]])
def test_tokens_that_spell_another_text(pieces):
    with pytest.raises(ModelError, match=r"do not spell the text 'yes'; does llama\.cpp know"):
        offsets("yes", pieces)
