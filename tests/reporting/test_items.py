"""Items and answers of runs, as a page shows them, for every task and way of asking."""

from __future__ import annotations

from pathlib import Path

import pytest

from probsense.reporting.items import MOST, ItemViews, item_views
from probsense.run.evaluate import Run, evaluate


def asked(task: str, model: str = "builtin:tiny", **options: object) -> tuple[Run, ItemViews]:
    run = evaluate(task, model, store=None, quiet=True, **options)  # type: ignore[arg-type]
    return run, item_views([run])


@pytest.mark.parametrize("method", ["options", "labels", "sample"])
def test_the_browser_says_right_and_wrong_as_the_estimates_do(method: str) -> None:
    run, found = asked("worldsense", limit=60, method=method)
    table = run.table()
    given = [reply.given for reply in found.replies[0] if reply]
    assert given == table["resp"].to_list()
    assert [question.gold for question in found.asked] == table["gold"].to_list()
    assert [question.group for question in found.asked] == table["problem"].to_list()
    assert "size: " in found.asked[0].about
    if method == "options":
        shares = [
            dict(reply.shares)[question.gold]
            for question, reply in zip(found.asked, found.replies[0], strict=True)
            if reply
        ]
        assert shares == pytest.approx(table["p_gold"].to_list())


@pytest.mark.parametrize("task", ["winogrande", "suite"])
def test_options_are_named_and_have_their_tokens(task: str) -> None:
    run, found = asked(task)
    table = run.table()
    for question, reply, row in zip(found.asked, found.replies[0], table.iter_rows(named=True), strict=True):
        assert reply is not None
        names = [name for name, _ in reply.shares]
        assert reply.given == names[row["resp"]]
        assert question.gold == ("" if row["gold"] is None else names[row["gold"]])
        assert dict(reply.shares)[reply.given] == pytest.approx(row["confidence"])
        assert len(reply.tokens) == len(names)
        assert all(len(t.logprobs) == len(t.option) + len(t.suffix) for t in reply.tokens)


def test_labels_are_shown_with_what_is_no_label_where_nothing_is_right() -> None:
    _, judged = asked("judgments", limit=9)
    assert {question.gold for question in judged.asked} == {""}
    assert {question.group for question in judged.asked} == {"q1", "q2", "q3"}
    assert [name for name, _ in judged.replies[0][0].shares] == ["yes", "no", "anything else"]  # type: ignore[union-attr]


def test_sampled_texts_are_shown_with_their_shares() -> None:
    _, frames = asked("frames", limit=2, answers=40)
    shares = [share for _, share in frames.replies[0][0].shares]  # type: ignore[union-attr]
    assert len(shares) <= MOST
    assert 0 < sum(shares) <= 1 + 1e-9


def test_one_question_asked_of_two_models_is_one() -> None:
    runs = [
        evaluate("worldsense", model, limit=30, store=None, quiet=True) for model in ("random:", "oracle:")
    ]
    found = item_views(runs)
    assert found.runs == ("random:, asked by options", "oracle:, asked by options")
    assert len(found.asked) == len(found.replies[0]) == len(found.replies[1]) == 30
    assert all(
        reply and reply.given == question.gold
        for question, reply in zip(found.asked, found.replies[1], strict=True)
    )
    more = evaluate("worldsense", "random:", limit=60, store=None, quiet=True)
    both = item_views([runs[0], more])
    assert len(both.asked) > 30
    assert None in both.replies[0]


def test_spread_is_even_and_keeps_answers_with_questions(tmp_path: Path) -> None:
    _, found = asked("worldsense", "oracle:", limit=60)
    half = found.spread(0.5)
    assert len(half.asked) == 30
    assert [q.id for q in half.asked] == [q.id for q in found.asked][::2]
    assert all(
        reply and reply.given == question.gold
        for question, reply in zip(half.asked, half.replies[0], strict=True)
    )
