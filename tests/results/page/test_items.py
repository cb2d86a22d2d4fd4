"""Items and answers of runs, as a page shows them, for every task and way of asking."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probsense.analysis.distributions import divergence
from probsense.results.page import items as views
from probsense.results.page.items import (
    VISIBLE,
    ItemViews,
    _gpt2_bytes,
    item_views,
    token_texts,
    total_variation,
)
from probsense.runs.evaluate import evaluate
from probsense.runs.run import Run
from probsense.runs.transcripts import Reply

Ask = Callable[..., tuple[Run, ItemViews]]


def replies(found: ItemViews, run: int = 0) -> list[Any]:
    """What one run answered."""
    return [item["replies"][run] for item in found.asked]


@pytest.fixture
def asked(tiny):
    """Ask the built-in model, or another."""

    def asked(task: str, model: str = "", **options: object) -> tuple[Run, ItemViews]:
        run = evaluate(task, model or tiny, store=None, quiet=True, **options)
        return run, item_views([run])

    return asked


@pytest.mark.parametrize("method", ["options", "labels", "sample"])
def test_the_browser_says_right_and_wrong_as_the_estimates_do(asked, method):
    run, found = asked("worldsense", limit=12, method=method)
    table = run.table()
    assert [reply["given"] for reply in replies(found)] == table["resp"].to_list()
    assert [question["gold"] for question in found.asked] == table["gold"].to_list()
    assert [question["group"] for question in found.asked] == table["problem"].to_list()
    assert "size: " in found.asked[0]["about"]
    if method == "options":
        shares = [dict(item["replies"][0]["shares"])[item["gold"]] / 1000 for item in found.asked]
        assert shares == pytest.approx(table["p_gold"].to_list(), abs=0.0005)


@pytest.mark.parametrize("task", ["winogrande", "suite"])
def test_options_are_named_and_have_their_tokens(asked, task):
    run, found = asked(task, limit=9)
    table = run.table()
    for question, row in zip(found.asked, table.iter_rows(named=True), strict=True):
        (reply,) = question["replies"]
        names = [name for name, _ in reply["shares"]]
        assert reply["given"] == names[row["resp"]]
        assert question["gold"] == ("" if row["gold"] is None else names[row["gold"]])
        assert dict(reply["shares"])[reply["given"]] == pytest.approx(1000 * row["confidence"], abs=0.5)
        assert len(reply["tokens"]) == len(names)
        assert all(len(logprobs) == len(a) + len(b) for a, b, logprobs, _ in reply["tokens"])


def test_people_stand_beside_judgments(asked, tmp_path):
    statements = tmp_path / "statements.csv"
    statements.write_text("statement_id,statement\n1,Water is wet.\n2,Fire is cold.\n")
    ratings = tmp_path / "ratings.csv"
    ratings.write_text("statement_id,person,q1,q2\n1,a,1,1\n1,b,1,0\n1,c,0,\n2,a,0,0\n")
    _, rated = asked("judgments", "random", data=statements, humans=[ratings])
    said = {question["id"]: question["people"] for question in rated.asked}
    own = {"shares": [["yes", 667], ["no", 333]], "others": 0, "n": 3, "most": "", "illustrative": False}
    assert (said["1-q1"], said["1-q2"]["n"], said["1-q3"]) == (own, 2, None)


def test_one_question_asked_of_two_models_is_one():
    runs = [
        evaluate("worldsense", model, limit=30, store=None, quiet=True) for model in ("random", "oracle:")
    ]
    found = item_views(runs)
    assert [run["name"] for run in found.runs] == ["random, asked by options", "oracle:, asked by options"]
    assert len(found.asked) == 30
    assert all(item["replies"][1]["given"] == item["gold"] for item in found.asked)
    more = evaluate("worldsense", "random", limit=60, store=None, quiet=True)
    both = item_views([runs[0], more])
    assert len(both.asked) > 30
    assert None in replies(both)


def test_of_too_many_items_some_are_chosen_evenly_for_all_runs(guess, monkeypatch):
    runs = [guess("worldsense", seed, limit=60) for seed in (1, 2)]
    whole = item_views(runs)
    assert whole.left_out == 0
    monkeypatch.setattr(views, "ITEMS", 15)
    some = item_views(runs)
    assert [one["id"] for one in some.asked] == [one["id"] for one in whole.asked][::4]
    assert replies(some, 1) == replies(whole, 1)[::4]
    assert some.left_out == 45


NAMES = "abcde"


def reply(shares: dict[str, float], rest: float | None = None) -> Reply:
    return Reply("", (*shares.items(),), rest)


@st.composite
def shares(draw: st.DrawFn) -> Reply:
    weights = draw(st.lists(st.floats(0.001, 1), min_size=1, max_size=6))
    found = [weight / sum(weights) for weight in weights]
    if draw(st.booleans()) and len(found) > 1:
        return reply(dict(zip(NAMES, found[1:], strict=False)), found[0])
    found = [share / sum(found[:5]) for share in found[:5]]
    return reply(dict(zip(NAMES, found, strict=False)))


@given(shares(), shares())
def test_it_is_the_total_variation_of_arrays(one, other):
    if one.rest is None or other.rest is None:
        one, other = (
            reply({name: share / sum(dict(own.shares).values()) for name, share in own.shares}, 0.0)
            for own in (one, other)
        )
    p, q = (
        np.array([*(dict(own.shares).get(name, 0.0) for name in NAMES), own.rest]) for own in (one, other)
    )
    assert total_variation(one, other) == pytest.approx(float(divergence.total_variation(p, q)))


def test_options_are_compared_with_what_labels_have_among_them():
    options, labels = reply({"yes": 0.75, "no": 0.25}), reply({"yes": 0.075, "no": 0.025}, 0.9)
    assert total_variation(options, labels) == pytest.approx(0)
    assert total_variation(options, reply({"yes": 0.0, "no": 0.0}, 1.0)) == 1


GPT2 = {byte: sign for sign, byte in _gpt2_bytes().items()}


@given(st.text(min_size=1), st.data())
def test_byte_level_pieces_spell_their_text(text, data):
    whole = text.encode(errors="replace")
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=5)))
    edges = [0, *cuts, len(whole)]
    tokens = ["".join(GPT2[b] for b in whole[a:z]) for a, z in pairwise(edges)]
    shown = token_texts(tokens, whole.decode())
    assert len(shown) == len(tokens)
    if not cuts:
        assert shown == (whole.decode().translate(VISIBLE),)


@given(st.text(st.characters(exclude_characters="▁", exclude_categories=["Cs"])))
def test_sentencepiece_spells_blanks_and_bytes(text):
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
        (["<0xE2>", "<0x96>", "<0x81>"], "▁", ("⟨E2⟩", "⟨96⟩", "⟨81⟩")),
        (["xĠÃ©"], " é", ("x␣é",)),
        ([" plain", "\ttext"], " plain\ttext", ("␣plain", "⇥text")),
        (["Ã©"], "Ã©", ("Ã©",)),
        (["Ġthe", "Ġend"], "nothing like it", ("␣the", "␣end")),
        (["<script>"], "<script>", ("<script>",)),
        ([], "", ()),
    ],
)
def test_each_convention(tokens, text, shown):
    assert token_texts(tokens, text) == shown
