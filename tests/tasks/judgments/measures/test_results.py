"""What single items are worth: mass, and agreement with most people where that is known."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from probsense.core.errors import InputError
from probsense.models.small import random
from probsense.tasks.base import Answered, Measured
from probsense.tasks.judgments.task import Judgments

Asked = Callable[..., Answered]  # tests/tasks/judgments/conftest.py


def test_judgments_beside_people(tmp_path: Path, ask: Asked) -> None:
    majority = tmp_path / "majority.csv"
    majority.write_text("statement_id,majority\n1,1\n2,0\n")
    task = Judgments(majority=majority, limit=144)
    answered = ask(task, random.load("1"))
    found = task.item_scores(answered)
    assert found.scores.columns == ["majority_agreement", "yes_mass", "other_mass"]
    rows = found.items.with_columns(found.scores)
    known = rows.filter(pl.col("majority_agreement").is_not_null())
    assert sorted(known["item"]) == ["1-q1", "1-q2", "2-q1", "2-q2"]
    for row in known.iter_rows(named=True):
        yes = row["yes_mass"] + row["other_mass"] / 2
        right = float(yes > 0.5) if row["cluster"] == "1" else float(yes < 0.5)
        assert row["majority_agreement"] == right
    assert set(found.items["part"]) == {"q1", "q2", "q3"}
    assert set(found.items["label"]) <= {"yes", "no", "other"}
    assert found.items["text"].to_list() == [item.data["statement"] for item in answered.items]


def test_without_people_there_is_mass_alone(ask: Asked) -> None:
    task = Judgments(limit=6)
    found = task.item_scores(ask(task, random.load("1")))
    assert found.scores.columns == ["yes_mass", "other_mass"]
    assert found.items.height == found.scores.height == 6


def test_of_a_model_that_says_too_little_other_answers_alone_are_compared(
    ask: Asked, mumbler: Any, tmp_path: Path
) -> None:
    majority = tmp_path / "majority.csv"
    majority.write_text("statement_id,majority\n" + "".join(f"{i},1\n" for i in range(48)))
    split, wrong = (
        task.item_scores(ask(task, mumbler))
        for task in (
            Judgments(majority=majority, limit=12),
            Judgments(majority=majority, other="wrong", limit=12),
        )
    )
    assert split.scores.columns == ["other_mass"]
    assert ["yes and no have 0.8 % (q1)" in note for note in split.notes] == [True]
    assert wrong.scores.columns == ["majority_agreement", "yes_mass", "other_mass"]
    assert not wrong.notes


def test_results_without_a_table_have_no_items() -> None:
    with pytest.raises(InputError, match="no single items"):
        Judgments(limit=6).item_scores(Answered("m", "labels", [], {}, Measured([])))
