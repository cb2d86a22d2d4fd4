"""Where returned tokens stand in a text, against texts that were cut at random."""

import itertools

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from probsense.models.openai.offsets import place
from probsense.models.openai.wire import Malformed

BROKEN = "�"

TEXTS = st.text("ab é世🙂\n,", min_size=1, max_size=30)


def cut(text, places):
    edges = sorted({0, len(text), *(p % (len(text) + 1) for p in places)})
    return [text[a:b] for a, b in itertools.pairwise(edges)], list(itertools.pairwise(edges))


def cut_bytes(raw, places):
    """Cut anywhere, but so that the tokens of a character in several show nothing else, as those that there are."""
    pieces, pairs = cut(raw, places)
    shown = [piece.decode(errors="replace") for piece in pieces]
    assume(not any(BROKEN in one and one.strip(BROKEN) for one in shown))
    return shown, pairs


@given(TEXTS, st.lists(st.integers(0, 100), max_size=8), st.booleans(), st.booleans())
def test_pieces_of_a_text(text, places, begun, continued):
    tokens, spans = cut(text, places)
    found = place([*["<s>"] * begun, *tokens, *["more", ""] * continued], text)
    assert found == [*[(0, 0)] * begun, *spans]


@given(TEXTS, st.lists(st.integers(0, 100), max_size=8))
def test_tokens_that_share_characters(text, places):
    """Bytes are cut at random; a token that is no whole characters shows the replacement character."""
    raw = text.encode()
    shown, pairs = cut_bytes(raw, places)
    spans = place(shown, text)
    assert len(spans) == len(shown)
    assert spans[-1].end == len(text)
    for (a, b), span in zip(pairs, spans, strict=True):
        assert span.start <= len(raw[:a].decode(errors="ignore"))
        assert span.end >= len(raw[:b].decode(errors="ignore"))


@pytest.mark.parametrize(
    ("tokens", "text", "spans"),
    [
        (["▁The", "▁end"], "The end", [(0, 3), (3, 7)]),
        (["ĠThe", "Ġend", "Ċ"], " The end\n", [(0, 4), (4, 8), (8, 9)]),
        ([" The", " end"], "The end", [(0, 3), (3, 7)]),
        (["▁", "The"], "The", [(0, 0), (0, 3)]),
        (["a", "", "é", "b"], "aéb", [(0, 1), (1, 2), (1, 2), (2, 3)]),
        (["a", "bytes:\\xc3", "bytes:\\xa9"], "aé", [(0, 1), (1, 2), (1, 2)]),
        (["�"] * 4 + ["🙂"], "🙂🙂🙂", [(0, 2)] * 4 + [(2, 3)]),
    ],
)
def test_ways_to_show_a_token(tokens, text, spans):
    assert place(tokens, text) == spans


@given(TEXTS, st.lists(st.integers(0, 100), max_size=8), st.integers(0, 3))
def test_offsets_tell_characters_apart(text, places, begin):
    """As llama-cpp-python shows tokens: incomplete characters not at all, and how many whole ones stand before each."""
    raw = text.encode()
    shown, pairs = cut_bytes(raw, places)
    tokens = [s if BROKEN not in s else "" for s in shown]
    offsets = [len(raw[:a].decode(errors="ignore")) + begin for a, _ in pairs]
    spans = place(tokens, text, offsets)
    for (a, b), span in zip(pairs, spans, strict=True):
        assert span.start == len(raw[:a].decode(errors="ignore"))
        assert span.end >= len(raw[:b].decode(errors="ignore"))
        if b - a == 1:
            assert span.end - span.start == 1


def test_offsets_that_contradict_the_tokens_are_left_alone():
    tokens, text = ["a", "�", "�", "�", "b"], "aéßb"
    assert place(tokens, text, [0, 1, 1, 2, 3]) == [(0, 1), (1, 2), (1, 2), (2, 3), (3, 4)]
    assert place(tokens, text, [0, 1, 2, 3, 4]) == place(tokens, text)


@pytest.mark.parametrize(
    ("tokens", "part"),
    [
        ([" yes"], "spell 0 of the 7"),
        (["The", " dog"], "spell 3 of the 7"),
        (["the", " end"], "spell 0 of the 7"),
        (["The", "�", "�"], "spell 3 of the 7"),
    ],
)
def test_other_tokens_than_those_of_the_text(tokens, part):
    with pytest.raises(Malformed, match=part):
        place(tokens, "The end")
