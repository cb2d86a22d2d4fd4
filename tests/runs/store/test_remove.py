"""Removing runs from stores."""

from __future__ import annotations

from pathlib import Path

import pytest

from probsense.core.errors import InputError
from probsense.runs.evaluate import evaluate, load_run
from probsense.runs.find import remove_run
from probsense.runs.store.store import Store


def counts(store: Path) -> dict[str, int]:
    tables = ("runs", "items", "run_items", "responses", "failures", "usage", "findings")
    with Store.open(store, create=False) as opened:
        return {name: opened._rows(f"SELECT count(*) FROM {name}")[0][0] for name in tables}


def ask(store: Path, limit: int, model: str = "random") -> str:
    return evaluate("winogrande", model, limit=limit, store=store, quiet=True).id


def test_a_run_goes_with_the_answers_that_no_other_needs(tmp_path: Path) -> None:
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


def test_answers_stay_where_another_run_cannot_be_read(tmp_path: Path) -> None:
    store = tmp_path / "a.db"
    one = ask(store, 20)
    ask(store, 30)
    with Store.open(store) as opened, opened._writing() as db:
        db.execute("UPDATE runs SET task = 'gone' WHERE id != ?", (one,))
    assert remove_run(store, one) == 0
    assert counts(store)["responses"] == 30
