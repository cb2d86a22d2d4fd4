"""What a reader is shown of an answer follows from its distribution, however it is rounded."""

from __future__ import annotations

import json
import zlib
from base64 import b64decode

from hypothesis import example, given
from hypothesis import strategies as st

from probsense.results.items import FAILED, ItemView, ItemViews, Reply
from probsense.results.packing import pack_items, rounded
from probsense.tasks.base import PeopleAnswers

TINY = st.sampled_from([0.0, 1e-300, 1e-12, 0.0004, 0.0005, 0.3, 0.5, 0.9996, 1.0])


@given(st.floats(0, 1) | TINY)
def test_only_none_is_shown_as_none_and_only_all_as_all(share: float) -> None:
    found = rounded(share)
    assert (found == 0) == (share == 0)
    assert (found == 1000) == (share == 1)
    assert abs(found - 1000 * share) <= 0.5


@given(st.lists(st.floats(0, 1) | TINY, min_size=2, max_size=4), st.floats(0, 1) | TINY)
@example([1.0, 1.0], 5e-324)  # no share is so small: what the page is given is 0
def test_the_answer_has_the_largest_share_of_those_shown(weights: list[float], outside: float) -> None:
    total = sum(weights) + outside
    if not total:
        return
    masses, beyond = [weight / total for weight in weights], outside / total
    names = [f"answer {k}" for k in range(len(masses))]
    best = max(range(len(masses)), key=masses.__getitem__)
    reply = Reply(names[best] if masses[best] else "", (*zip(names, masses, strict=True),), rest=beyond)
    views = ItemViews("Quiz", ("a",), [ItemView("id", "", "Q?", "", "")], [[reply]], ("labels",))
    (block,) = pack_items([views], 10**6)
    data = json.loads(zlib.decompress(b64decode(block.questions)))
    (run,) = data["runs"]
    shares, rest, answer = run["shares"][0], run["rest"][0], data["texts"][run["given"][0]]
    shown = [data["texts"][k] for k in data["lists"][run["names"][0]]]
    assert shown == names
    among = run["among"].get("0", shares)
    if answer:
        assert shares[shown.index(answer)] == max(shares) > 0
        assert among[shown.index(answer)] == max(among)
        assert rest < 1000
        assert abs(sum(among) - 1000) <= 0.5 * len(among)
    else:
        assert not any(shares)
        assert rest == 1000
    order = sorted([*zip(masses, shares, strict=True), (beyond, rest)])
    assert [own for _, own in order] == sorted(own for _, own in order)
    assert (rest == 0) == (beyond == 0)


def test_what_is_known_besides_comes_along() -> None:
    people = PeopleAnswers((("saw", 0.75), ("axe", 0.25)), 8, illustrative=True)
    asked = [
        ItemView("everyday-0001", "", "Q 1?", "", "", "every…", ((0, 3),), people, 0.25),
        ItemView("x", "", "Q 2?", "", ""),
    ]
    reply = Reply("saw", (("saw", 0.5), ("axe", 0.5)), rest=0.0, tied=("saw", "axe"), prompt="Q one?")
    written = Reply("", (), rest=1.0, texts=(("Hm.", 2),))
    options = Reply("saw", (("saw", 0.9), ("axe", 0.1)), outside=0.999)
    views = ItemViews(
        "Quiz", ("a", "b"), asked, [[reply, None], [options, FAILED]], ("sample", "options"), "quiz"
    )
    (block,) = pack_items([views], 10**6)
    data = json.loads(zlib.decompress(b64decode(block.questions)))
    a, b = data["runs"]
    assert block.task == "quiz"
    assert (data["short"], data["difference"]) == ([5, 0], [250, None])
    assert [data["lists"][k] for k in data["pieces"]] == [[0, 3], []]
    assert data["peoples"][data["people"][0]] == {
        "shares": [["saw", 750], ["axe", 250]],
        "others": 0,
        "n": 8,
        "most": "",
        "illustrative": True,
    }
    assert data["peoples"][data["people"][1]] is None
    assert [[data["texts"][k] for k in tied] for tied in a["tied"].values()] == [["saw", "axe"]]
    assert a["given"][1] is None
    assert a["prompts"] == {"0": 2}
    assert (b["outside"], b["rest"], b["given"][1]) == ([99.5, None], [], -1)
    (other,) = pack_items([ItemViews("Quiz", ("a",), asked[1:], [[written]], ("sample",))], 10**6)
    told = json.loads(zlib.decompress(b64decode(other.questions)))
    assert [[told["texts"][k], count] for k, count in told["runs"][0]["texts"]["0"]] == [["Hm.", 2]]
    assert told["runs"][0]["rest"] == [1000]
