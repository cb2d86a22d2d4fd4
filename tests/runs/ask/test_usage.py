"""The store keeps what answers took together with the answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from probsense.core.errors import ModelError
from probsense.models.base import Usage
from probsense.runs.ask.execute import execute
from probsense.runs.store.maintenance import merge
from probsense.runs.store.store import Store
from support.run_fakes import Clerk, Quiz

PROCESS = "probsense.runs.store.store.PROCESS"


class Paid(Clerk):
    """A clerk who takes the same for each answer."""

    @property
    def usage(self) -> Usage:
        return Usage(tokens=3 * len(self.asked), requests=len(self.asked), cost=0.25 * len(self.asked))


class Killed(BaseException):
    """The process dies at this place."""


class Dying(Store):
    """A store whose process dies once it has some batches."""

    left = 3

    def put(self, *args, **kept):  # type: ignore[no-untyped-def]
        if not self.left:
            raise Killed
        self.left -= 1
        return super().put(*args, **kept)


def ask(store: Store, clerk: Clerk, quiz: Quiz) -> str:
    run = store.start_run(quiz, quiz.items(), "sample", 0, clerk).id
    execute(quiz, quiz.items(), "sample", clerk, store, lambda done, total: None, run=run)
    return run


def answers(store: Store) -> int:
    ((count,),) = store._rows("SELECT count(*) FROM responses")
    return int(count)


def test_what_a_killed_process_stored_is_in_the_account(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, quiz = tmp_path / "a.db", Quiz(n=20)
    for number in range(2):
        monkeypatch.setattr(PROCESS, f"process {number}")
        with Dying.open(path) as store, pytest.raises(Killed):
            ask(store, Paid(batch=2), quiz)
    monkeypatch.setattr(PROCESS, "the last process")
    with Store.open(path) as store:
        killed = store.runs()[0].usage
        assert killed.requests == answers(store) == 12
        run = ask(store, Paid(batch=2), quiz)
        whole = store.run(run).usage
        assert (whole.requests, whole.cost) == (answers(store), 0.25 * answers(store))
        assert store.earlier_cost(run) == killed.cost


def test_merging_counts_every_process_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second, both = (tmp_path / name for name in ("a.db", "b.db", "c.db"))
    quiz = Quiz(n=20)
    with Dying.open(first) as store:
        with pytest.raises(Killed):
            ask(store, Paid(batch=2), quiz)
        merge(both, first)
        store.left = 20  # it goes on
        ask(store, Paid(batch=2), quiz)
    monkeypatch.setattr(PROCESS, "another process")
    with Store.open(second) as store:
        run, each = ask(store, Paid(batch=2), quiz), answers(store)
    for source in (first, second, first):
        merge(both, source)
    with Store.open(both) as store:
        assert store.run(run).usage.requests == 2 * each


def test_what_was_asked_in_vain_is_charged(tmp_path: Path) -> None:
    class Mute(Paid):
        def sample(self, requests):  # type: ignore[no-untyped-def]
            for batch in super().sample(requests):
                yield batch[:1]

    quiz = Quiz(n=4)
    with Store.open(tmp_path / "a.db") as store:
        with pytest.raises(ModelError, match="without an answer"):
            ask(store, Mute(), quiz)
        assert store.runs()[0].usage.requests > answers(store)
