"""Large runs, which are asked in windows: the same answers and figures, in little memory, and soon on again."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probsense.core.records import Item, Request, request_key
from probsense.models.base import Capabilities
from probsense.runs import store as store_module
from probsense.runs import stored_answers, stored_items, windows
from probsense.runs.dry_run import forecast
from probsense.runs.evaluate import Run, evaluate, load_run
from probsense.runs.execute import execute
from probsense.runs.gathered import Outcome
from probsense.runs.merge import merge
from probsense.runs.remove import remove_run
from probsense.runs.shards import Shard
from probsense.runs.store import Finished, Store
from probsense.runs.stored_items import StoredItems, Without
from probsense.runs.transcripts import transcripts
from probsense.tasks import generated
from probsense.tasks.base import Answers, Method
from probsense.tasks.generated import Generated
from probsense.tasks.registry import load_task
from probsense.tasks.worldsense import task as worldsense
from support.run_fakes import Clerk, Flaky, Quiz

SMALL = 7


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make everything that is large as small as a test."""
    monkeypatch.setattr(windows, "WINDOW", SMALL)
    monkeypatch.setattr(stored_answers, "PAGE", 3)
    monkeypatch.setattr(stored_answers, "KEPT", 4)
    monkeypatch.setattr(stored_items, "PAGE", 4)
    monkeypatch.setattr(stored_items, "IN_MEMORY", SMALL)


def ask(quiz: Quiz, clerk: Clerk, store: Store, method: Method) -> Outcome:
    items = quiz.items()
    run = store.start_run(quiz, items, method, 0, clerk).id
    return execute(quiz, items, method, clerk, store, lambda done, total: None, run=run)


def figures(run: Run) -> str:
    """Everything that a run says, but times and where its answers came from."""
    found = run.to_json()
    for name in ("started", "finished", "asked", "reused", "usage"):
        del found["run"][name]
    return json.dumps([found, run.table().rows()])


@given(
    st.integers(1, 25),
    st.sampled_from(["options", "labels", "sample"]),
    st.booleans(),
    st.sampled_from([0.0, 0.3]),
)
def test_windows_change_nothing(small: None, size: int, method: Method, twins: bool, share: float) -> None:
    quiz = Quiz(n=20, twins=twins)
    with Store.open(None) as one, Store.open(None) as other, pytest.MonkeyPatch.context() as patch:
        patch.setattr(windows, "WINDOW", 50)
        whole = ask(quiz, Clerk(), one, method)
        patch.setattr(windows, "WINDOW", size)
        if share:
            partial = ask(quiz, Flaky(share=share, turn=size), other, method)
            there = [
                item
                for item in quiz.items()
                if all(r in partial.answers for r in quiz.requests(item, method, partial.answers))
            ]
            assert list(partial.items) == there
            assert [partial.items[i] for i in range(len(there))] == there
            assert all(partial.answers[request] == whole.answers[request] for request in partial.answers)
            assert sum(partial.failures.values()) > 0 or len(there) == 20
        clerk = Clerk(salt="")
        cut = ask(quiz, clerk, other, method)
        assert dict(cut.answers) == dict(whole.answers)
        assert len(cut.answers) == len(whole.answers)
        assert list(cut.items) == list(whole.items)
        assert len(clerk.asked) == len(set(clerk.asked)) == cut.asked
        again = ask(quiz, idle := Clerk(), other, method)
        assert (idle.calls, again.asked) == (0, 0)
        assert again.reused == cut.asked + cut.reused
        assert dict(again.answers) == dict(whole.answers)


def test_a_window_ends_with_its_cluster(small: None) -> None:
    items = [Item(f"{i}", "" if i < 5 else f"c{(i - 5) // 4}", "", {}) for i in range(60)]
    cuts = [(one.start, one.stop) for one in windows.windows(items, {13: Finished(21, 3, {})})]
    assert cuts == [(0, 9), (9, 17), (17, 25), (25, 33), (33, 41), (41, 49), (49, 57), (57, 60)]
    done = Finished(21, 3, {})
    cuts = [(one.start, one.stop, one.finished) for one in windows.windows(items[:30], {9: done})]
    assert cuts == [(0, 9, None), (9, 21, done), (21, 29, None), (29, 30, None)]
    endless = [Item(f"{i}", "one", "", {}) for i in range(30)]
    assert [(one.start, one.stop) for one in windows.windows(endless, {})] == [(0, 14), (14, 28), (28, 30)]


def test_windows_that_are_answered_are_not_looked_up(small: None) -> None:
    quiz = Quiz(n=30)
    with Store.open(None) as store:
        ask(quiz, Clerk(), store, "sample")

        class Blind(Store):
            def get(self, *args: object) -> dict[str, object]:  # type: ignore[override]
                raise AssertionError("looked up")

        store.__class__ = Blind
        again = ask(quiz, Clerk(), store, "sample")
        assert (again.asked, len(again.items)) == (0, 30)


def test_a_series_that_follows_the_answers_may_cross_windows(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    options = {"adaptive": True, "sizes": (4, 5), "tuples": 6}
    whole = evaluate("worldsense", "random:1", store=None, quiet=True, **options)
    monkeypatch.setattr(windows, "WINDOW", SMALL)
    cut = evaluate("worldsense", "random:1", store=tmp_path / "a.db", quiet=True, **options)
    assert cut.covered["asked"] > 2 * SMALL
    assert cut.asked == whole.asked
    assert figures(cut) == figures(whole)
    assert figures(load_run(cut.id, store=tmp_path / "a.db")) == figures(whole)


def test_a_run_that_is_small_records_no_windows() -> None:
    with Store.open(None) as store:
        ask(Quiz(n=30), Clerk(), store, "sample")
        assert store._rows("SELECT * FROM windows") == []


class Counted(Quiz):
    """A quiz that makes its items one by one, and counts how often."""

    made: ClassVar = [0]

    def items(self) -> Generated:  # type: ignore[override]
        return Generated(self._make, self.n, f"{self.n}")

    def _make(self) -> Iterator[Item]:
        self.made[0] += 1
        yield from Quiz.items(self)


def test_generated_items_are_made_once(small: None, installed: None, tmp_path: Path) -> None:
    store = tmp_path / "a.db"
    Counted.made[0] = 0
    plain = evaluate(Quiz(n=40), Clerk(), store=None, quiet=True)
    run = evaluate(Counted(n=40), Clerk(), store=store, quiet=True)
    assert run.id == plain.id
    assert figures(run) == figures(plain)
    assert Counted.made == [1]
    again = evaluate(Counted(n=40), Clerk(), store=store, quiet=True)
    other = evaluate(Counted(n=40), Clerk(), store=store, quiet=True, seed=1)
    assert Counted.made == [1]
    assert (again.id, again.asked) == (run.id, 0)
    assert other.id != run.id
    assert [*other.items] == [*run.items] == Quiz(n=40).items()
    assert figures(load_run(run.id, store=store)) == figures(plain)
    remove_run(store, run.id)
    assert figures(load_run(other.id, store=store)) == figures(other)
    evaluate(Counted(n=40), Clerk(), store=store, quiet=True)
    assert Counted.made == [2]


def test_items_are_stored_before_all_are_made(
    small: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    plain = evaluate(Quiz(n=40), Clerk(), store=None, quiet=True)
    monkeypatch.setattr(store_module, "ITEMS", 6)

    class Struck(Counted):
        def _make(self) -> Iterator[Item]:
            for item in super()._make():
                if item.id == "q20":
                    raise KeyboardInterrupt
                yield item

    def rows() -> tuple[int, int]:
        with Store.open(tmp_path / "a.db") as store:
            return len(store.runs()), store._rows("SELECT count(*) FROM items")[0][0]

    with pytest.raises(KeyboardInterrupt):
        evaluate(Struck(n=40), Clerk(), store=tmp_path / "a.db", quiet=True)
    assert rows() == (0, 18)
    run = evaluate(Counted(n=40), Clerk(), store=tmp_path / "a.db", quiet=True)
    assert rows() == (1, 40)
    assert run.id == plain.id
    assert figures(run) == figures(plain)


def test_a_model_that_answers_by_item_may_be_asked_in_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    quiz = Quiz(n=30, twins=True)
    by_item = Capabilities(score=True, by_item=True)
    with Store.open(None) as one, Store.open(None) as other:
        whole = ask(quiz, Clerk(capabilities=by_item), one, "options")
        monkeypatch.setattr(windows, "WINDOW", SMALL)
        cut = ask(quiz, Clerk(capabilities=by_item), other, "options")
        assert cut.asked == whole.asked == 30
        requests = [quiz.requests(item, "options", {})[0] for item in quiz.items()]
        assert [cut.answers[one] for one in requests] == [whole.answers[one] for one in requests]
        assert len(cut.answers) == 30


def test_stored_items_may_be_one_window(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(stored_items, "IN_MEMORY", 10)
    plain = evaluate(Quiz(n=40), Clerk(), store=None, quiet=True)
    run = evaluate(Counted(n=40), Clerk(), store=tmp_path / "a.db", quiet=True)
    assert isinstance(run.items, StoredItems)
    assert figures(run) == figures(plain)


def test_shards_of_generated_items_are_those_of_a_list(small: None, tmp_path: Path) -> None:
    plain = evaluate(Quiz(n=40), Clerk(), store=None, quiet=True)
    stores = [tmp_path / f"{i}.db" for i in (1, 2)]
    for number, store in enumerate(stores, 1):
        evaluate(Counted(n=40), Clerk(), store=store, quiet=True, shard=Shard(number, 2))
    merge(tmp_path / "all.db", *stores)
    Counted.made[0] = 0
    clerk = Clerk()
    whole = evaluate(Counted(n=40), clerk, store=tmp_path / "all.db", quiet=True)
    assert (clerk.calls, whole.asked, Counted.made) == (0, 0, [0])
    assert figures(whole) == figures(plain)


def test_worldsense_in_windows_gives_the_same_results(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    options = {"sizes": (3,), "tuples": 1, "problems": ("Infer.trivial", "Consist.normal")}
    plain = evaluate("worldsense", "random:1", store=None, quiet=True, **options)
    monkeypatch.setattr(worldsense, "IN_MEMORY", 20)
    monkeypatch.setattr(stored_items, "IN_MEMORY", 20)
    monkeypatch.setattr(windows, "WINDOW", 50)
    assert plain.covered["asked"] > 150
    assert isinstance(load_task("worldsense", **options).items(), Generated)
    store = tmp_path / "a.db"
    cut = evaluate("worldsense", "random:1", store=store, quiet=True, **options)
    assert isinstance(cut.items, StoredItems)
    assert cut.id == plain.id
    assert figures(cut) == figures(plain)
    assert figures(load_run(cut.id, store=store)) == figures(plain)


@pytest.mark.parametrize("share", [0.0, 0.3])
def test_some_items_are_shown_as_among_all(
    small: None, installed: None, tmp_path: Path, share: float
) -> None:
    evaluate(Counted(n=40), Flaky(share=share), store=tmp_path / "a.db", quiet=True)
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
    whole = forecast(Quiz(n=40), Flaky(), method=method, store=tmp_path / "a.db")
    monkeypatch.setattr(windows, "WINDOW", SMALL)
    assert forecast(Counted(n=40), Flaky(), method=method, store=tmp_path / "a.db") == whole
    assert 0 < whole.stored < whole.stored + whole.wanted


def test_sequences_of_items_are_sequences() -> None:
    items = Quiz(n=9).items()
    made = Generated(lambda: iter(items), 9, "")
    with Store.open(None) as store:
        run = store.start_run(Quiz(n=9), items, "sample", 0, Clerk()).id
        for some, expected in (
            (made, items),
            (StoredItems(store, run), items),
            (Without(items, [0, 3, 4, 8]), [items[i] for i in (1, 2, 5, 6, 7)]),
            (Without(items, []), items),
        ):
            assert [*some] == expected
            assert len(some) == len(expected)
            assert [some[i] for i in range(-len(expected), len(expected))] == [*expected, *expected]
            assert some[2:4] == expected[2:4]
            assert some[3:] == expected[3:]
            with pytest.raises(IndexError):
                some[len(expected)]
    assert generated.IN_MEMORY >= windows.WINDOW


def test_answers_of_a_large_run_are_a_mapping(small: None) -> None:
    quiz = Quiz(n=30)
    with Store.open(None) as store:
        answers: Answers = ask(quiz, Clerk(), store, "sample").answers
        firsts: Sequence[Request] = [quiz.requests(item, "sample", {})[0] for item in quiz.items()]
        assert all(request in answers for request in firsts)
        assert quiz.requests(Item("x", "", "", {"number": 99}), "sample", {})[0] not in answers
        assert len({request_key(one) for one in answers}) == len(answers) == len([*answers.values()])
