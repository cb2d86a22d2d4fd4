"""Runs that vary their questions: what the store knows is not asked again, and what was asked can be read."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import probsense as ps
from probsense.runs.shards import Shard
from probsense.runs.store.maintenance import merge

STATEMENTS = "statement,most\n" + "".join(
    f"It is number {i}.,{'agree' if i % 2 else 'disagree'}\n" for i in range(12)
)


@pytest.fixture
def statements(tmp_path: Path) -> Path:
    path = tmp_path / "statements.csv"
    path.write_text(STATEMENTS)
    return path


def test_a_stored_run_says_what_was_asked(statements: Path, tmp_path: Path) -> None:
    store = tmp_path / "store.db"
    asked = {"data": statements, "questions": ["q1"], "store": store, "quiet": True}
    plain = ps.evaluate("judgments", "random:2", **asked)
    varied = ps.evaluate("judgments", "random:2", vary=["labels"], **asked)
    again = ps.load_run(varied.id, store=store)
    assert again.summary() == varied.summary()
    assert again.task.options["vary"] == ["labels"]
    table = again.table()
    assert table.height == 5 * 12
    row = table.row(by_predicate=pl.col("id") == "3-q1.B-A", named=True)
    assert row["prompt"].endswith('Start your answer with "B" for yes or "A" for no.')
    assert (row["labels"], row["answer_text"]) == ("B-A", "yes" if row["p_yes"] > row["p_no"] else "no")
    compared = ps.compare(plain, varied, intersection=True)
    assert [one["compared"] for one in compared.models] == [12, 12]
    assert [e.value for e in compared.levels[:2]] == [compared.levels[0].value] * 2


def test_shards_make_the_same_run(statements: Path, tmp_path: Path) -> None:
    asked = {"data": statements, "vary": ["order"], "questions": ["q1"], "quiet": True}
    whole = ps.evaluate("judgments", "random:2", store=tmp_path / "whole.db", **asked)
    parts = [tmp_path / f"{i}.db" for i in (1, 2, 3)]
    for i, part in enumerate(parts, 1):
        ps.evaluate("judgments", "random:2", store=part, shard=Shard(i, 3), **asked)
    merge(tmp_path / "all.db", *parts)
    joined = ps.evaluate("judgments", "random:2", store=tmp_path / "all.db", **asked)
    assert joined.id == whole.id
    assert joined.summary() == whole.summary()
