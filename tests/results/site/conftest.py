"""Stores with runs of models that cost nothing."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from probsense.models.small.random import RandomModel
from probsense.runs.evaluate import evaluate
from probsense.runs.run import Run

FEW: dict[str, dict[str, object]] = {
    "judgments": {"limit": 6},
    "frames": {"answers": 2, "similarity": "exact"},
}
"""What is asked of each task, unless a test says otherwise: little, and of frames without a model that tells how alike
answers are."""


@pytest.fixture
def ask(tmp_path: Path) -> Callable[..., Run]:
    """Ask a random model under any name, and keep the answers in a store of the test."""

    def asked(
        name: str, seed: int = 0, task: str = "winogrande", store: str = "a.db", **options: object
    ) -> Run:
        options = {"limit": 20} | FEW.get(task, {}) | options
        return evaluate(task, RandomModel(name, seed), store=tmp_path / store, quiet=True, **options)

    return asked


@pytest.fixture
def change(tmp_path: Path) -> Callable[..., None]:
    """Change what a store says."""

    def changed(store: str, *statements: str) -> None:
        with closing(sqlite3.connect(tmp_path / store)) as db, db:
            for statement in statements:
                db.execute(statement)

    return changed
