"""Yes and no in both orders, against runs that vary the order."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import probsense as ps
from probsense.core.errors import InputError
from probsense.core.records import LabelResponse
from probsense.runs.transcripts import transcripts
from probsense.tasks.judgments.questions.turned import in_orders, read_masses
from probsense.tasks.judgments.questions.wordings import PUBLISHED, Wording
from probsense.tasks.judgments.task import Judgments

KNOWN: dict[str, Any] = {"limit": 30, "quiet": True, "store": None}


def test_the_mean_is_that_of_two_ways_to_ask() -> None:
    """The variants of --vary order with the statement first are the two orders."""
    both = ps.evaluate("judgments", "random:3", orders=2, **KNOWN)
    varied = ps.evaluate("judgments", "random:3", vary=["order"], **{**KNOWN, "limit": 120})
    yes = varied.table().filter(pl.col("variant").is_in(["", "no-first"]))
    means = {
        (statement, question): np.mean(own["p_yes"].to_list())
        for (statement, question), own in yes.group_by("statement_id", "question")
    }
    rows = both.table()
    assert rows.height == 30
    assert rows["p_yes"].to_list() == pytest.approx(
        [means[row["statement_id"], row["question"]] for row in rows.iter_rows(named=True)]
    )
    first = yes.filter(pl.col("question") == "q1").pivot("variant", index="statement_id", values="p_yes")
    pulls = (first[""] - first["no-first"]) / 2
    (found,) = [
        e
        for e in both.summary()
        if (e.measure, e.by.get("question"), e.by.get("place")) == ("place_pull", "q1", "1st")
    ]
    assert found.value == pytest.approx(pulls.mean())
    effects = (first[""] - first["no-first"]) ** 2
    shown = [dict(one.reply.shares)["yes"] for one in transcripts(both) if one.reply]
    assert shown == pytest.approx(rows["p_yes"].to_list())
    (effect,) = [e for e in both.summary() if (e.measure, e.by.get("question")) == ("order_effect", "q1")]
    assert effect.value == pytest.approx(effects.mean())


def test_one_order_asks_as_ever() -> None:
    """The first of two requests is the one of a run with one order."""
    one, two = Judgments(limit=6), Judgments(limit=6, orders=2)
    assert "orders" not in one.options
    assert two.options["orders"] == 2
    assert two.methods == ("labels",)
    for item in one.items():
        found = two.requests(item, "labels", {})
        assert found[0] == one.requests(item, "labels", {})[0]
        assert found[1] == two.requests(item, "labels", {})[1] != found[0]


def test_the_words_of_a_statement_stay() -> None:
    """Only the wording turns."""
    (_, second) = in_orders(PUBLISHED, 2)
    assert second.order == (1, 0)
    prompt = second.wording.prompt("q1", 'Say "yes" or "no".')
    assert 'statement, "Say "yes" or "no"."' in prompt
    assert prompt.endswith('Start your answer with a "no" or "yes".')


def test_masses_are_averaged_with_their_bounds() -> None:
    """Bounds are known where both orders have them."""
    one = LabelResponse({"yes": 0.5, "no": 0.3}, 0.2, bounds={"yes": (0.4, 0.6), "no": (0, 1)}, source="topk")
    two = LabelResponse({"yes": 0.1, "no": 0.9}, 0.0, bounds={"yes": (0.0, 0.4), "no": (0, 1)}, source="topk")
    assert read_masses([one, two])[:6] == pytest.approx((0.3, 0.6, 0.1, None, 0.2, 0.5))
    bare = LabelResponse({"yes": 0.1, "no": 0.9}, 0.0)
    assert read_masses([one, bare])[4:6] == (None, None)


@pytest.mark.parametrize(
    ("questions", "message"),
    [
        ({"q1": "Is {statement} so?"}, "the wording of q1 names no order of yes and no"),
        (
            {"q1": "{statement}: yes or no?", "q2": "{statement}: no or yes?"},
            "the wording of q2 names another order of yes and no",
        ),
    ],
)
def test_wordings_that_cannot_be_turned_are_refused(questions: dict[str, str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        in_orders(Wording(questions), 2)


def test_orders_are_refused_where_they_mean_nothing() -> None:
    with pytest.raises(InputError, match="--orders with --vary"):
        Judgments(orders=2, vary=["order"])
    with pytest.raises(InputError, match="0 orders"):
        Judgments(orders=0)
