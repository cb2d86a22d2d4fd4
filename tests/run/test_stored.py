"""Finding runs in stores."""

from __future__ import annotations

from pathlib import Path

import pytest

from probsense.errors import InputError
from probsense.run.evaluate import evaluate
from probsense.run.stored import find_runs, told_apart


def ask(store: Path, model: str = "random:", limit: int = 12) -> str:
    return evaluate("winogrande", model, limit=limit, store=store, quiet=True).id


def test_runs_by_store_by_id_and_all_there_are(tmp_path: Path) -> None:
    one, two = tmp_path / "one.db", tmp_path / "two.db"
    a, b, c = ask(one), ask(one, limit=10), ask(two, limit=20)
    ids = [run.id for run in find_runs([str(one), c[:10], a[:12]], [one, two])[0]]
    assert ids == [a, b, c]
    assert [run.id for run in find_runs([], [one, two])[0]] == [a, b, c]
    assert [run.id for run in find_runs([b[:9]], [two, one])[0]] == [b]


def test_what_is_no_run_is_refused(tmp_path: Path) -> None:
    one, two = tmp_path / "one.db", tmp_path / "two.db"
    a = ask(one)
    ask(two)
    with pytest.raises(InputError, match="zzz: no such file, and no such run in "):
        find_runs(["zzz"], [one])
    with pytest.raises(InputError, match=r"runs of that name or id in .* and "):
        find_runs([a[:8]], [one, two])
    with pytest.raises(InputError, match="no such store"):
        find_runs([], [tmp_path / "none.db"])
    junk = tmp_path / "junk.db"
    junk.write_bytes(b"\x00junk" * 999)
    with pytest.raises(InputError, match="not an SQLite file"):
        find_runs([str(junk)], [])


def test_runs_of_one_model_are_told_apart_by_their_ids(tmp_path: Path) -> None:
    ask(tmp_path / "a.db")
    ask(tmp_path / "a.db", limit=10)
    ask(tmp_path / "a.db", "random:1", limit=10)
    first, second, third = told_apart(find_runs([], [tmp_path / "a.db"])[0])
    assert first.model == f"random: [{first.id[:8]}]"
    assert second.model == f"random: [{second.id[:8]}]"
    assert third.model == "random:1"
    assert {estimate.by["model"] for estimate in first.summary()} == {first.model}
