"""What answers cost is kept in the store while they come."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from probsense.models.base import Usage
from probsense.runs.ask import execute as module
from probsense.runs.ask.execute import execute, metered
from probsense.runs.store.maintenance import merge
from probsense.runs.store.store import Store
from support.run_fakes import Clerk, Quiz


class Slowing(Clerk):
    """A clerk who takes longer for each answer than for the one before, so that no two cost the same."""

    @property
    def usage(self) -> Usage:
        return Usage(tokens=3 * len(self.asked), seconds=0.5 * len(self.asked) ** 2)


def rows(store: Path) -> int:
    with closing(sqlite3.connect(store)) as db:
        return int(db.execute("SELECT count(*) FROM usage").fetchone()[0])


def ask(store: Store, told: list[tuple[Usage, Usage]], copy: Path | None = None) -> str:
    """Ask a clerk, and note at each step what the store and the clerk say of the usage."""
    quiz, clerk = Quiz(n=20), Slowing()
    run = store.start_run(quiz, quiz.items(), "sample", 0, clerk).id
    with metered(lambda done, total: None, clerk, store, run) as tell:

        def progress(done: int, total: int) -> None:
            tell(done, total)
            told.append((store.run(run).usage, clerk.usage))
            if copy:
                merge(copy, store.path)

        execute(quiz, quiz.items(), "sample", clerk, store, progress)
    told.append((store.run(run).usage, clerk.usage))
    return run


def test_usage_is_kept_at_each_step(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(module, "EVERY", 0.0)
    told: list[tuple[Usage, Usage]] = []
    with Store.open(tmp_path / "a.db") as store:
        run = ask(store, told, tmp_path / "b.db")
    assert len(told) > 5
    assert all(stored == used for stored, used in told)
    assert told[-1][0].tokens > told[2][0].tokens > 0
    merge(tmp_path / "b.db", tmp_path / "a.db")
    with Store.open(tmp_path / "b.db") as copy:
        assert copy.run(run).usage == told[-1][1]


def test_steps_that_follow_soon_are_one_row(tmp_path: Path) -> None:
    told: list[tuple[Usage, Usage]] = []
    with Store.open(tmp_path / "a.db") as store:
        ask(store, told)
    assert rows(tmp_path / "a.db") == 1
    assert told[-1][0] == told[-1][1]


def test_nothing_used_is_no_row(tmp_path: Path) -> None:
    with Store.open(tmp_path / "a.db") as store:
        quiz, clerk = Quiz(n=20), Clerk()
        run = store.start_run(quiz, quiz.items(), "options", 0, clerk).id
        with metered(lambda done, total: None, clerk, store, run) as tell:
            tell(1, 1)
        assert store.run(run).usage == Usage()
    assert rows(tmp_path / "a.db") == 0
