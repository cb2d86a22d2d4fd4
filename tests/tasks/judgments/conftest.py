"""People and models with known habits, as the tables that users bring."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
import pytest

import probsense as ps
from probsense.core.records import LabelRequest, LabelResponse
from probsense.models.base import Batch
from probsense.tasks.base import Analysis
from probsense.tasks.judgments.measures.estimates import Settings
from probsense.tasks.judgments.recorded import analyse
from support.habit import Habit


class Files(NamedTuple):
    """A study of 30 statements, 12 people and three models."""

    statements: Path
    people: Path
    majority: Path
    ratings: Path
    truth: pl.DataFrame


SPOKEN = np.arange(30) % 8 == 0
"""The four statements that "refuser" answers: with fewer, its results would be left out."""


@pytest.fixture(scope="session")
def study(tmp_path_factory):
    """Two thirds of the statements are agreed upon; "good" answers as most do, "refuser" mostly something else."""
    folder, rng = tmp_path_factory.mktemp("study"), np.random.default_rng(5)
    share = np.tile([0.95, 0.05, 0.5], 10)
    names = [f"Statement number {i}." for i in range(30)]
    rows = [
        (names[i], f"P{p:02d}", int(rng.random() < share[i]), int(rng.random() < share[i]))
        for p in range(12)
        for i in range(30)
    ]
    people = pl.DataFrame(rows, schema=["statement", "person", "q1", "q2"], orient="row")
    truth = people.group_by("statement", maintain_order=True).agg(pl.col("q1").mean())
    most = (truth["q1"] >= 0.5).cast(pl.Int64)
    said = {
        "good": (0.1 + 0.8 * most.to_numpy(), np.zeros(30)),
        "always no": (np.full(30, 0.2), np.zeros(30)),
        "refuser": (np.where(SPOKEN, 0.6, 0.1), np.where(SPOKEN, 0.3, 0.85)),
    }
    ratings = [
        pl.DataFrame(
            {"statement_id": range(30), "p_yes": yes, "p_no": 1 - yes - other, "p_other": other}
        ).select(pl.lit(name).alias("model"), pl.all(), question=pl.lit(question))
        for name, (yes, other) in said.items()
        for question in ("q1", "q2")
    ]
    topics = np.repeat(["food", "weather"], 15)
    tables = {
        "statements": pl.DataFrame({"statement": names, "opinion": np.tile([0, 0, 1], 10), "topic": topics}),
        "people": people,
        "majority": pl.DataFrame({"statement_id": range(30), "majority": most}),
        "ratings": pl.concat(ratings),
    }
    for name, table in tables.items():
        table.write_csv(folder / f"{name}.csv")
    return Files(*(folder / f"{name}.csv" for name in tables), truth)


@pytest.fixture
def analysed(study, tmp_path):
    """Analyse the study with few draws; a function changes its table, and a text stands for a file."""

    def analysis(**given: Any) -> Analysis:
        humans = () if given.get("majority") else study.people
        known = {
            "ratings": study.ratings,
            "humans": humans,
            "data": study.statements,
            "draws": 2,
        }
        for name, value in given.items():
            path = tmp_path / f"{name}.csv"
            if callable(value):
                value(pl.read_csv(known.get(name) or study.majority)).write_csv(path)
            elif isinstance(value, str) and "\n" in value:
                path.write_text(value)
            else:
                path = value
            known[name] = path
        several = {name: [known[name]] for name in ("ratings", "humans") if isinstance(known[name], Path)}
        return analyse(**known | several)

    return analysis


class Mumbler(Habit):
    """Begins answers with "I" and "The", hardly ever with yes or no."""

    def labels(self, requests: Sequence[LabelRequest]) -> Iterator[Batch[LabelResponse]]:
        others = (("I", 0.5), (" The", 0.2), (" I", 0.1), ("\n", 0.05), ("As", 0.001))
        for i, _ in enumerate(requests):
            yield [(i, LabelResponse({"yes": 0.006, "no": 0.002}, 0.992, others=others))]


@pytest.fixture
def mumbler():
    """A model that says next to nothing."""
    return Mumbler(name="mumbler:")


@pytest.fixture
def short_bootstrap(monkeypatch):
    """Give runs few draws: for tests that look at no interval of people's or models' scores."""
    monkeypatch.setattr("probsense.tasks.judgments.measures.estimates.Settings", partial(Settings, draws=10))


@pytest.fixture
def ask():
    """Ask a model all that a task wants, and measure it."""
    return lambda task, model: ps.evaluate(task, model, store=None, quiet=True).answered
