"""Large runs, which are asked in windows: the same answers and figures, in little memory."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probsense.core.records import Item
from probsense.runs.ask import outcome, rounds
from probsense.runs.ask.execute import execute
from probsense.runs.ask.forecast import forecast
from probsense.runs.ask.outcome import Outcome, StoredAnswers
from probsense.runs.ask.plan import Plan, plan
from probsense.runs.evaluate import evaluate, load_run
from probsense.runs.find import remove_run
from probsense.runs.run import Run
from probsense.runs.store.store import Store
from probsense.runs.transcripts import transcripts
from probsense.tasks.base import Method
from support.run_fakes import Clerk, Flaky, Quiz

SMALL = 7


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make everything that is large as small as a test."""
    monkeypatch.setattr(rounds, "WINDOW", SMALL)
    monkeypatch.setattr(outcome, "PAGE", 3)
    monkeypatch.setattr(outcome, "KEPT", 4)


def ask(quiz: Quiz, clerk: Clerk, store: Store, method: Method) -> Outcome:
    items = quiz.items()
    store.start_run(quiz, items, method, 0, clerk)
    return execute(Plan(quiz, clerk, method), items, store, lambda done, total: None)


def figures(run: Run) -> str:
    """Everything that a run says, but times and where its answers came from."""
    found = run.to_json()
    for name in ("started", "finished", "asked", "reused", "usage"):
        del found["run"][name]
    return json.dumps([found, run.table().rows()])


@given(
    st.integers(1, 25),
    st.sampled_from(["options", "labels", "sample"]),
    st.sampled_from(["alone", "twins", "by item"]),
    st.sampled_from([0.0, 0.3]),
)
def test_windows_change_nothing(
    small: None,
    tmp_path_factory: pytest.TempPathFactory,
    size: int,
    method: Method,
    kind: str,
    share: float,
) -> None:
    twins, path = kind == "twins", tmp_path_factory.mktemp("store") / "a.db"
    quiz, can = Quiz(n=20, twins=twins), replace(Clerk().capabilities, by_item=kind == "by item")
    with Store.open(None) as one, Store.open(path) as other, pytest.MonkeyPatch.context() as patch:
        patch.setattr(rounds, "WINDOW", size)
        whole = ask(quiz, Clerk(capabilities=can), one, method)
        if share:
            partial = ask(quiz, Flaky(share=share, turn=size, capabilities=can), other, method)
            there = [
                item
                for item in quiz.items()
                if all(r in partial.answers for r in quiz.requests(item, method, partial.answers))
            ]
            assert partial.items == there
            assert all(partial.answers[request] == whole.answers[request] for request in partial.answers)
            assert sum(partial.failures.values()) > 0 or len(there) == 20
        clerk = Clerk(capabilities=can)
        cut = ask(quiz, clerk, other, method)
        assert isinstance(cut.answers, StoredAnswers) == (size < 20 - (1 if twins else 0))
        assert dict(cut.answers) == dict(whole.answers)
        assert len(cut.answers) == len(whole.answers)
        assert cut.items == whole.items
        assert len(clerk.asked) == len(set(clerk.asked)) == cut.asked
        again = ask(quiz, idle := Clerk(capabilities=can), other, method)
        assert (idle.calls, again.asked) == (0, 0)
        assert again.reused == cut.asked + cut.reused
        assert dict(again.answers) == dict(whole.answers)


def test_a_window_ends_with_its_cluster(small: None) -> None:
    items = [Item(f"{i}", "" if i < 5 else f"c{(i - 5) // 4}", "", {}) for i in range(60)]
    assert [len(one) for one in rounds.windows(items)] == [9, 8, 8, 8, 8, 8, 8, 3]
    assert [item for one in rounds.windows(items) for item in one] == items
    endless = [Item(f"{i}", "one", "", {}) for i in range(30)]
    assert [len(one) for one in rounds.windows(endless)] == [14, 14, 2]
    assert [*rounds.windows([])] == [[]]


def test_a_run_in_windows_is_read_removed_and_made_again(
    small: None, installed: None, tmp_path: Path
) -> None:
    store = tmp_path / "a.db"
    plain = evaluate(Quiz(n=40), Clerk(), store=None, quiet=True)
    run = evaluate(Quiz(n=40), Clerk(), store=store, quiet=True)
    other = evaluate(Quiz(n=40), Clerk(), store=store, quiet=True, seed=1)
    assert (run.id, figures(run)) == (plain.id, figures(plain))
    assert figures(load_run(run.id, store=store)) == figures(plain)
    remove_run(store, run.id)
    assert figures(load_run(other.id, store=store)) == figures(other)


@pytest.mark.parametrize("share", [0.0, 0.3])
def test_some_items_are_shown_as_among_all(
    small: None, installed: None, tmp_path: Path, share: float
) -> None:
    evaluate(Quiz(n=40), Flaky(share=share), store=tmp_path / "a.db", quiet=True)
    with Store.open(tmp_path / "a.db") as store:
        run = load_run(store.runs()[0].id, store=store.path)
    every = [*transcripts(run)]
    assert bool(share) == any(one.reply is None for one in every)
    places = [0, 3, 4, 5, 17, 38]
    assert [*transcripts(run, places)] == [every[place] for place in places]


@pytest.mark.parametrize("method", ["options", "sample"])
def test_a_forecast_in_windows_is_that_of_the_whole(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, method: Method
) -> None:
    evaluate(Quiz(n=11), Flaky(share=0.0), store=tmp_path / "a.db", method=method, quiet=True)
    planned = plan(Quiz(n=40), Flaky(), method)
    whole = forecast(planned, store=tmp_path / "a.db")
    monkeypatch.setattr(rounds, "WINDOW", SMALL)
    assert forecast(planned, store=tmp_path / "a.db") == whole
    assert 0 < whole.stored < whole.stored + whole.wanted
