"""Studies in which people, models or both answered one question only: what rests on the other is left out and named."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from probsense.tasks.base import Analysis
from probsense.tasks.judgments.measures.estimates import PEOPLE
from probsense.tasks.judgments.recorded import analyse

Study = Any  # tests/tasks/judgments/conftest.py
Part = Callable[..., Analysis]
NEEDS_BOTH = {"percentile", "win_rate", "group_r", "group_r_of_ceiling", "ceiling", "split_half", "group_r2"}


@pytest.fixture
def part(study: Study, tmp_path: Path) -> Part:
    """Analyse a study in which people and models answered some questions only."""

    def analysed(people: str, models: str = "q1 q2", *, columns: bool = True) -> Analysis:
        humans, ratings = tmp_path / "people.csv", tmp_path / "ratings.csv"
        unasked = [name for name in ("q1", "q2") if name not in people]
        frame = pl.read_csv(study.people).drop(unasked)
        if columns:
            frame = frame.with_columns(pl.lit(None).alias(name) for name in unasked)
        frame.write_csv(humans)
        pl.read_csv(study.ratings).filter(pl.col("question").is_in(models.split())).write_csv(ratings)
        who = tmp_path / "who.csv"
        who.write_text("person,drink\n" + "".join(f"P{i:02d},{('tea', 'milk')[i % 2]}\n" for i in range(12)))
        return analyse(ratings=[ratings], humans=[humans], data=study.statements, demographics=who, draws=20)

    return analysed


@pytest.mark.parametrize("people", ["q1 q2", "q1", "q2"])
@pytest.mark.parametrize("models", ["q1 q2", "q1", "q2"])
def test_every_combination_has_figures_and_none_without_a_value(part: Part, people: str, models: str) -> None:
    found = part(people, models)
    assert found.results.estimates
    assert all(math.isfinite(e.value) for e in found.results.estimates)
    assert all(table.height for table in found.results.tables.values())


@pytest.mark.parametrize("columns", [True, False], ids=["empty column", "no column"])
def test_people_who_were_asked_q1_only(part: Part, columns: bool) -> None:
    found = part("q1", columns=columns).results
    models = {e.measure for e in found.estimates if e.by["model"] == "good"}
    people = {e.measure for e in found.estimates if e.by["model"] == PEOPLE}
    assert {"consensus", "awareness", "commonsensicality"} <= models
    assert {"consensus", "group_consensus", "pq_area"} <= people
    assert not (models | people) & NEEDS_BOTH
    assert not people & {"awareness", "commonsensicality", "group_awareness", "group_commonsensicality"}
    (note,) = [note for note in found.notes if note.startswith("nobody answered")]
    assert note.startswith("nobody answered q2: people's awareness and common sense, percentile, win rate")


def test_people_who_were_asked_q2_only(part: Part) -> None:
    found = part("q2").results
    people = [e for e in found.estimates if e.by["model"] == PEOPLE]
    assert {e.by["asked"] for e in people if e.measure.startswith("share_")} == {"q2"}
    assert all(e.measure.startswith("share_") for e in people)
    models = {e.measure for e in found.estimates if e.by["model"] == "good"}
    assert {"yes_mass", "group_consensus", "group_awareness"} <= models
    assert not models & (NEEDS_BOTH | {"consensus", "awareness", "commonsensicality"})
    assert any(
        "nobody answered q1: everything that sets models against people" in note for note in found.notes
    )
    assert not any("0 statements: with so few" in note for note in found.notes)


def test_models_that_were_asked_one_question_only(part: Part) -> None:
    for models, other, left_out in (("q1", "q2", "awareness"), ("q2", "q1", "consensus")):
        found = part("q1 q2", models).results
        measures = {e.measure for e in found.estimates if e.by["model"] == "good"}
        assert not measures & {"commonsensicality", "percentile", "win_rate", "group_r", left_out}
        assert {"consensus", "awareness"} - {left_out} <= measures
        assert (
            f"good: no answer to {other}: {left_out}, common sense and all that compares it with people"
            in "".join(found.warnings)
        )


def test_sizes_do_not_need_a_score(study: Study, tmp_path: Path) -> None:
    ratings = pl.read_csv(study.ratings).filter((pl.col("model") == "good") & (pl.col("question") == "q1"))
    models = [f"m{i}" for i in range(5)]
    path, sizes = tmp_path / "ratings.csv", tmp_path / "sizes.csv"
    pl.concat(ratings.with_columns(pl.lit(name).alias("model")) for name in models).write_csv(path)
    rows = [f"{name},{10**i},{'ab'[i % 2]}\n" for i, name in enumerate(models)]
    sizes.write_text("model,parameters,family\n" + "".join(rows))
    found = analyse(ratings=[path], majority=study.majority, sizes=sizes, draws=20).results
    assert not any(e.measure.startswith("size") for e in found.estimates)
