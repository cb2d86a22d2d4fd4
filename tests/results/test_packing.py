"""Packing: what comes out is what went in, within the room that there is."""

from __future__ import annotations

import json
import zlib
from base64 import b64decode
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probsense.results import packing
from probsense.results.items import ItemView, ItemViews, Reply, Tokens
from probsense.results.packing import numbered_words, pack_files, pack_items, packed


def unpacked(text: str) -> Any:
    return json.loads(zlib.decompress(b64decode(text)))


def decoded(words: list[str], text: str) -> str:
    """As the page's script does it."""
    places = [ord(sign) - (0x800 if ord(sign) >= 0xE000 else 0) for sign in text]
    return "".join(words[place - (36 if place > 92 else 35)] for place in places)


def some(n: int, prompt: str = "Is {} so?") -> ItemViews:
    asked = [ItemView(f"id{i}", "p" if i % 2 else "q", prompt.format(i), "yes", "") for i in range(n)]
    tokens = (
        Tokens((" y", "es"), (".",), (-0.5, -0.25, -1.0), True),
        Tokens((" no",), (".",), (-3.0, -1.0), False),
    )
    reply = Reply("yes", (("yes", 0.7506), ("no", 0.2494)), tokens)
    return ItemViews("Quiz", ("a", "b"), asked, [[reply] * n, [None] * n])


def test_a_reader_gets_back_what_was_asked_and_answered() -> None:
    (block,) = pack_items([some(3)], 10**6)
    data, tokens = unpacked(block.questions), unpacked(block.tokens)
    assert (block.name, block.total, block.kept, block.scored) == ("Quiz", 3, 3, True)
    assert data["ids"] == ["id0", "id1", "id2"]
    assert [decoded(data["words"], text) for text in data["prompts"]] == ["Is 0 so?", "Is 1 so?", "Is 2 so?"]
    assert [data["texts"][i] for i in data["group"]] == ["q", "p", "q"]
    a, b = data["runs"]
    assert [data["texts"][i] for i in data["lists"][a["names"][0]]] == ["yes", "no"]
    assert a["shares"][0] == [751, 249]
    assert data["texts"][a["given"][2]] == "yes"
    assert b["given"] == [None] * 3
    (first, second), none = tokens["runs"][0][0], tokens["runs"][1][0]
    assert tokens["lists"][first[0]] == [[" y", "es"], ["."]]
    assert first[1:] == [[-50, -25, -100], 1]
    assert second[1:] == [[-300, -100]]
    assert none is None


@given(st.lists(st.text(), max_size=20))
def test_words_stand_for_themselves(texts: list[str]) -> None:
    words, made = numbered_words(texts)
    assert [decoded(words, text) for text in made] == texts
    json.dumps(made, ensure_ascii=False).encode()


@given(st.lists(st.text(), max_size=20))
def test_rare_words_are_spelled(texts: list[str]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(packing, "WORDS", 2)
        words, made = numbered_words(texts)
    assert [decoded(words, text) for text in made] == texts


def test_signs_pass_over_quotes_backslashes_and_surrogates() -> None:
    words = [f"{i:05x}" for i in range(60_000)]
    numbered, (made,) = numbered_words([" ".join(words)])
    assert decoded(numbered, made) == " ".join(words)
    assert not {'"', "\\"} & set(made)
    assert not any(0xD800 <= ord(sign) < 0xE000 for sign in made)


def test_tokens_go_first_and_then_questions_evenly() -> None:
    whole = some(2000)
    (block,) = pack_items([whole], 10**6)
    room = len(block.questions)
    (without,) = pack_items([whole], room)
    assert (without.kept, without.tokens, without.scored) == (2000, "", True)
    (less,) = pack_items([whole], room // 2)
    assert len(less.questions) + len(less.tokens) <= room // 2
    assert 700 < less.kept < 1100
    ids = [int(name[2:]) for name in unpacked(less.questions)["ids"]]
    gaps = {b - a for a, b in pairwise(ids)}
    assert gaps <= {1, 2, 3}
    assert pack_items([whole], 0) == []
    assert pack_items([], 100) == []


def test_what_models_wrote_cannot_end_the_element() -> None:
    hostile = "</script><img src=x onerror=alert(1)>"
    text = packed([hostile, "\ud800"])
    assert "<" not in text
    assert unpacked(text) == [hostile, "?"]


def test_files_that_are_too_large_are_left_out() -> None:
    made = pack_files({"a.csv": "x,y\n1,2\n", "b.csv": "".join(map(str, range(10_000)))}, 1000)
    assert [*made] == ["a.csv"]
    assert unpacked(made["a.csv"]) == "x,y\n1,2\n"
