"""Personas: the mean of their answers, by their weights, counts as the model's."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from probsense.tasks.base import Answered
from probsense.tasks.conditions.crossed import under
from probsense.tasks.judgments.task import Judgments

pytestmark = pytest.mark.usefixtures("short_bootstrap")


def test_the_population_answers_by_weights(
    tmp_path: Path, ask: Callable[..., Answered], acting: Callable[..., Any]
) -> None:
    """Ann stands for three people, Bob for one; texts are counted by what they say, and weigh as much."""
    statements, personas = tmp_path / "statements.csv", tmp_path / "personas.csv"
    statements.write_text("statement\nOne.\nTwo.\nThree.\n")
    personas.write_text("persona,weight,description\nAnn,3,You are Ann.\nBob,1,You are Bob.\n")
    actor = acting({"Ann": {"One": 0.8}, "Bob": {"One": 0.2}})
    for method in ("labels", "sample"):
        task = under(Judgments(statements, questions=["q1"], trials=5), f"persona={personas}")
        answered = ask(task, actor, method)
        table = answered.results.table
        assert table is not None
        assert table["id"].to_list() == ["0-q1", "1-q1", "2-q1"]
        yes = (3 * 0.8 + 0.2) / 4
        assert table["p_yes"].to_list() == pytest.approx([yes, *[0.4 if method == "sample" else 0.5] * 2])
        assert task.item_scores(answered).scores["yes_mass"][0] == pytest.approx(yes)
    for request in task.requests(task.questions[0], "labels", {}):
        assert request.system in ("You are Ann.", "You are Bob.")  # type: ignore[union-attr]
