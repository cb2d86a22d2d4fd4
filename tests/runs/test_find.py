"""Names of runs; finding runs in stores by these and by other words, and removing them."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from probsense.core.errors import InputError
from probsense.core.names import RUN_NAME, checked_name, is_id
from probsense.runs.evaluate import evaluate, load_run
from probsense.runs.find import find_runs, remove_run, told_apart
from probsense.runs.run import Run
from probsense.runs.store.store import Store

SMALL = {"worldsense": {"sizes": (3,), "problems": ("Infer.trivial",)}}


def ask_named(store: Path, name: str | None = None, task: str = "winogrande", limit: int = 10) -> Run:
    options = SMALL.get(task, {})
    return evaluate(task, "random", store=store, quiet=True, limit=limit, name=name, **options)


def names(store: Path) -> list[str | None]:
    with Store.open(store) as opened:
        return [run.name for run in opened.runs()]


@given(st.text(max_size=RUN_NAME + 2))
@example("dead")
@example("--json")
@example("chat [2]")
def test_a_name_is_kept_as_it_is_or_refused(name):
    with contextlib.suppress(InputError):
        assert checked_name(name) == name == name.strip()
        assert name.isprintable()
        assert 0 < len(name) <= RUN_NAME
        assert not is_id(name)


@pytest.mark.parametrize("name", ["", " a", "a ", "dead", "12", "-x", "a\nb", "a[1]", "x" * 41])
def test_what_is_no_name(name, tmp_path):
    with pytest.raises(InputError, match="as the name of a run"):
        ask_named(tmp_path / "a.db", name)
    assert not (tmp_path / "a.db").exists()


def test_runs_by_store_by_id_and_all_there_are(tmp_path):
    one, two = tmp_path / "one.db", tmp_path / "two.db"
    a, b, c = (ask_named(store, limit=limit).id for store, limit in ((one, 12), (one, 10), (two, 20)))
    ids = [run.id for run in find_runs([str(one), c[:10], a[:12]], [one, two])[0]]
    assert ids == [a, b, c]
    assert [run.id for run in find_runs([], [one, two])[0]] == [a, b, c]
    assert [run.id for run in find_runs([b[:9]], [two, one])[0]] == [b]


def test_what_is_no_run_is_refused(tmp_path):
    one, two = tmp_path / "one.db", tmp_path / "two.db"
    a = ask_named(one).id
    ask_named(two)
    junk = tmp_path / "junk.db"
    junk.write_bytes(b"\x00junk" * 999)
    for names, stores, said in (
        (["zzz"], [one], "zzz: no such file, and no such run in "),
        ([a[:8]], [one, two], r"runs of that name or id in .* and "),
        ([], [tmp_path / "none.db"], "no such store"),
        ([str(junk)], [], "not an SQLite file"),
    ):
        with pytest.raises(InputError, match=said):
            find_runs(names, stores)


def test_runs_are_told_apart_by_name_or_else_by_id(tmp_path):
    store = tmp_path / "a.db"
    ask_named(store, "short")
    other = ask_named(store, limit=20)
    evaluate("winogrande", "random:1", store=store, quiet=True, limit=10)
    apart = told_apart(find_runs([], [store])[0])
    assert [run.model for run in apart] == ["random [short]", f"random [{other.id[:8]}]", "random:1"]
    assert {estimate.by["model"] for estimate in apart[1].summary()} == {apart[1].model}


def test_no_two_runs_of_a_task_share_a_name(tmp_path):
    store = tmp_path / "a.db"
    ask_named(store, "first")
    with pytest.raises(InputError, match="another run of the same task and method is called 'first' already"):
        ask_named(store, "first", limit=20)
    assert names(store) == ["first"]


def test_asking_again_renames(tmp_path):
    store = tmp_path / "a.db"
    ids = {ask_named(store, name, limit=10).id for name in ("first", "first", None, "second")}
    assert len(ids) == 1
    assert names(store) == ["second"]


def counts(store: Path) -> dict[str, int]:
    tables = ("runs", "items", "run_items", "responses", "failures", "usage", "findings")
    with Store.open(store, create=False) as opened:
        return {name: opened._rows(f"SELECT count(*) FROM {name}")[0][0] for name in tables}


def ask(store: Path, limit: int, model: str = "random") -> str:
    return evaluate("winogrande", model, limit=limit, store=store, quiet=True).id


def test_a_run_goes_with_the_answers_that_no_other_needs(tmp_path):
    store = tmp_path / "a.db"
    ask(store, 20)
    before = counts(store)
    long = ask(store, 40)
    ask(store, 10, "random:1")
    between = counts(store)
    answers = between["responses"]
    removed = remove_run(store, long)
    assert removed == 20  # the other half answers the shorter run, too
    assert counts(store)["responses"] == answers - removed
    with Store.open(store) as opened:
        (short, last) = opened.runs()
    assert load_run(short.id, store=store).covered["answered"] == 20
    assert remove_run(store, last.id) == 10
    assert counts(store) == before
    with pytest.raises(InputError, match="no runs have the name"):
        remove_run(store, long)


def test_answers_stay_where_another_run_cannot_be_read(tmp_path):
    store = tmp_path / "a.db"
    one = ask(store, 20)
    ask(store, 30)
    with Store.open(store) as opened, opened._writing() as db:
        db.execute("UPDATE runs SET task = 'gone' WHERE id != ?", (one,))
    assert remove_run(store, one) == 0
    assert counts(store)["responses"] == 30
