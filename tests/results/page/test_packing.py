"""Packing: what comes out is what went in, within the room that there is, and rounding contradicts nothing."""

from __future__ import annotations

import json
import zlib
from base64 import b64decode
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from probsense.core.records import Item, OptionScore, ScoreRequest, TokenLogprobs
from probsense.results.page import report as packing
from probsense.results.page.items import MOST, ItemViews, reply_view, rounded
from probsense.results.page.report import Packed, pack
from probsense.runs.transcripts import Reply, Transcript

TINY = st.sampled_from([0.0, 1e-300, 1e-12, 0.0004, 0.0005, 0.3, 0.5, 0.9996, 1.0])


def unpacked(found: Packed) -> Any:
    return json.loads(zlib.decompress(b64decode(found.block)))


def shown(reply: Reply | None, prompt: str = "Q?") -> dict[str, Any]:
    """What a page is told of a reply to a question that others were asked as “Q?”."""
    return reply_view(Transcript(Item("id", "", "", {}), {}, prompt, "", reply), "Q?")


def scored(*logprobs: float) -> OptionScore:
    tokens = tuple("t" * len(logprobs))
    return OptionScore(TokenLogprobs(logprobs, tokens, 2, 2), TokenLogprobs((-1.0,), (".",), 1, 1))


def some(n: int, prompt: str = "Is {} so?") -> ItemViews:
    request = ScoreRequest("Q?", ("yes", "no"), ".")
    reply = Reply(
        "yes", (("yes", 0.7506), ("no", 0.2494)), request=request, scores=(scored(-0.5, -0.25), scored(-3.0))
    )
    asked = [{"id": f"id{i}", "prompt": prompt.format(i), "replies": [shown(reply), None]} for i in range(n)]
    return ItemViews("Quiz", "quiz", [], asked)


def test_tokens_go_first_and_then_questions_evenly():
    whole = some(2000, "Is number {} so, and how would anybody know?")
    room = len(pack([whole], {}, 10**6).block) - 1
    without = pack([whole], {}, room)
    (kept,) = without.sets
    assert (len(kept.asked), without.tokens, kept.scored) == (2000, False, True)
    room = len(pack([whole], {}, room).block) // 2
    less = pack([whole], {}, room)
    assert len(less.block) <= room
    assert 700 < len(less.sets[0].asked) < 1100
    assert less.sets[0].left_out == 2000 - len(less.sets[0].asked)
    assert pack([whole], {}, 0) == pack([], {}, 100) == Packed("", [], [])


def test_files_find_room_before_questions_do():
    found = pack([some(20)], {"a.csv": "x,y\n1,2\n"}, 0)
    assert (found.sets, found.files) == ([], ["a.csv"])
    assert unpacked(found)["files"] == {"a.csv": "x,y\n1,2\n"}


def test_what_models_wrote_cannot_end_the_element():
    hostile = "</script><img src=x onerror=alert(1)>"
    found = pack([], {"a": f"{hostile}\ud800"}, 0)
    assert "<" not in found.block
    assert unpacked(found)["files"] == {"a": f"{hostile}?"}


def test_files_that_are_too_large_are_left_out(monkeypatch):
    monkeypatch.setattr(packing, "FILE", 1000)
    found = pack([], {"a.csv": "x,y\n1,2\n", "b.csv": "".join(map(str, range(10_000)))}, 10**6)
    assert found.files == [*unpacked(found)["files"]] == ["a.csv"]


@given(st.floats(0, 1) | TINY)
def test_only_none_is_shown_as_none_and_only_all_as_all(share):
    found = rounded(share)
    assert (found == 0) == (share == 0)
    assert (found == 1000) == (share == 1)
    assert abs(found - 1000 * share) <= 0.5


@given(st.lists(st.floats(0, 1) | TINY, min_size=2, max_size=4), st.floats(0, 1) | TINY)
@example([1.0, 1.0], 5e-324)  # no share is so small: what the page is given is 0
def test_the_answer_has_the_largest_share_of_those_shown(weights, outside):
    total = sum(weights) + outside
    if not total:
        return
    masses, beyond = [weight / total for weight in weights], outside / total
    names = [f"answer {k}" for k in range(len(masses))]
    best = max(range(len(masses)), key=masses.__getitem__)
    reply = Reply(names[best] if masses[best] else "", (*zip(names, masses, strict=True),), rest=beyond)
    found = shown(reply)
    assert [name for name, _ in found["shares"]] == names
    shares, rest, answer = [share for _, share in found["shares"]], found["rest"], found["given"]
    among = found.get("among", shares)
    if answer:
        assert shares[names.index(answer)] == max(shares) > 0
        assert among[names.index(answer)] == max(among)
        assert rest < 1000
        assert abs(sum(among) - 1000) <= 0.5 * len(among)
    else:
        assert not any(shares)
        assert rest == 1000
    order = sorted([*zip(masses, shares, strict=True), (beyond, rest)])
    assert [one for _, one in order] == sorted(one for _, one in order)
    assert (rest == 0) == (beyond == 0)


def test_of_many_answers_the_most_probable_are_shown():
    found = shown(Reply("a29", tuple((f"a{i}", i / 435) for i in range(30))))
    assert [name for name, _ in found["shares"]] == [f"a{i}" for i in range(29, 29 - MOST, -1)]


def test_what_is_known_besides_comes_along():
    tied = Reply("saw", (("saw", 0.5), ("axe", 0.5)), rest=0.0, tied=("saw", "axe"))
    options = Reply("saw", (("saw", 0.9), ("axe", 0.1)), outside=0.999)
    written = Reply("", (), rest=1.0, texts=("Hm.", " Hm."))
    a, b, c = shown(tied, "Q one?"), shown(options), shown(written)
    assert (a["tied"], a["prompt"], a["rest"]) == (("saw", "axe"), "Q one?", 0)
    assert (b["outside"], "rest" in b) == (99.5, False)
    assert (c["texts"], c["rest"]) == ([("Hm.", 2)], 1000)
    assert shown(None) == {"failed": True}
