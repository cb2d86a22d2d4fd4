"""Yes and no in both orders, against runs that vary the order."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import probsense as ps
from probsense.core.errors import InputError
from probsense.runs.transcripts import transcripts
from probsense.tasks.judgments.questions.turned import named_order, turned_wording
from probsense.tasks.judgments.questions.wordings import PUBLISHED, Wording

KNOWN: dict[str, Any] = {"limit": 30, "quiet": True, "store": None}


def test_the_mean_is_that_of_two_ways_to_ask() -> None:
    """The variants of --vary order with the statement first are the two orders."""
    both = ps.evaluate("judgments", "random:3", conditions="order", **KNOWN)
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


def test_the_words_of_a_statement_stay() -> None:
    """Only the wording turns."""
    second = turned_wording(PUBLISHED, (1, 0))
    assert named_order(second, "q1") == (1, 0)
    prompt = second.prompt("q1", 'Say "yes" or "no".')
    assert 'statement, "Say "yes" or "no"."' in prompt
    assert prompt.endswith('Start your answer with a "no" or "yes".')


def test_a_wording_that_names_no_order_is_refused() -> None:
    with pytest.raises(InputError, match="the wording of q1 names no order of yes and no"):
        named_order(Wording({"q1": "Is {statement} so?"}), "q1")
