"""Stores with runs of models that cost nothing."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from probsense.models.random import RandomModel
from probsense.run.evaluate import Run, evaluate


@pytest.fixture
def ask(tmp_path: Path) -> Callable[..., Run]:
    """Ask a random model under any name, and keep the answers in a store of the test."""

    def asked(
        name: str, seed: int = 0, task: str = "winogrande", store: str = "a.db", **options: object
    ) -> Run:
        options = options or {"limit": 20}
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
