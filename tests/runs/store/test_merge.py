"""Stores of shards become one store, in any order, any number of times, whatever was killed."""

from __future__ import annotations

import json
import random
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from probsense.core.errors import InputError
from probsense.models.base import Finding
from probsense.runs.ask.plan import Shard
from probsense.runs.evaluate import evaluate
from probsense.runs.run import Run
from probsense.runs.store import database as module
from probsense.runs.store.database import merge
from probsense.runs.store.store import Store
from support.run_fakes import Clerk, Quiz, figures

PARTS = 3


def dump(store: Path) -> dict[str, list[tuple[object, ...]]]:
    """All rows of a store but the order in which they came."""
    tables = ("models", "responses", "failures", "items", "runs", "run_items", "usage", "findings")
    with closing(sqlite3.connect(store)) as db:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert db.execute("PRAGMA foreign_key_check").fetchall() == []
        return {table: sorted(db.execute(f"SELECT * FROM {table}"), key=repr) for table in tables}


def ask(store: Path, clerk: Clerk | None = None, quiz: Quiz | None = None, **options: Any) -> Run:
    """Ask 20 questions, whose options are scored."""
    options = {"method": "options", "store": store, "quiet": True, **options}
    return evaluate(quiz or Quiz(), clerk or Clerk(), **options)


def ask_forty(store: Path, clerk: Clerk | None = None, **options: Any) -> Run:
    """Ask twice as many, whose answers are texts."""
    return ask(store, clerk, Quiz(n=40), method="sample", **options)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    return ask_forty(tmp_path_factory.mktemp("whole") / "a.db")


@pytest.fixture(scope="module")
def shards(tmp_path_factory):
    folder = tmp_path_factory.mktemp("shards")
    paths = [folder / f"shard-{number}.db" for number in range(1, PARTS + 1)]
    for number, path in enumerate(paths, 1):
        part = ask_forty(path, shard=Shard(number, PARTS), name="mine")
        assert 0 < len(part.items) < 40
        assert part.record.finished is None
    return paths


@pytest.mark.parametrize("order", [*permutations(range(PARTS))])
def test_any_order_and_twice(tmp_path, shards, whole, order):
    target = tmp_path / "all.db"
    merged = merge(target, *(shards[k] for k in order), shards[order[0]])
    assert [one.runs for one in merged] == [1, 0, 0, 0]
    assert merged[-1].answers == merged[-1].differing == 0
    assert merged[-1].known == merged[0].answers
    before = dump(target)
    merge(target, *shards)
    assert dump(target) == before
    run = ask_forty(target, clerk := Clerk())
    assert (run.id, figures(run), clerk.asked) == (whole.id, figures(whole), [])
    assert run.record.name == "mine"
    assert run.record.finished
    assert run.record.usage.tokens == whole.record.usage.tokens


def test_the_first_answer_stays_and_others_are_counted(tmp_path):
    paths = [tmp_path / "a.db", tmp_path / "b.db"]
    runs = [ask(path, Clerk(salt=salt)) for salt, path in zip("ab", paths, strict=True)]
    (found,) = merge(paths[0], paths[1])
    assert found.answers == 0
    assert found.runs == 0
    assert found.known == 20
    assert 0 < found.differing <= 20
    assert figures(ask(paths[0], Clerk(salt="c"))) == figures(runs[0])


def test_a_merged_run_has_the_earliest_start_the_end_and_a_name_that_is_free(tmp_path):
    source, target = tmp_path / "a.db", tmp_path / "b.db"
    run, other = ask(source, name="mine"), ask(target, quiz=Quiz(seed=1), name="mine")
    ask(target, shard=Shard(1, 2))
    with closing(sqlite3.connect(source)) as db, db:
        db.execute("UPDATE runs SET started = '2020-01-01T00:00:00+00:00'")
    merge(target, source)
    with Store.open(target) as opened:
        known = {one.id: one for one in opened.runs()}
    found = known[run.id]
    assert found.started == "2020-01-01T00:00:00+00:00"
    assert found.finished == run.record.finished
    assert (found.name, known[other.id].name) == (None, "mine")


def test_the_last_examination_counts_in_any_order(tmp_path):
    paths = [tmp_path / f"{day}.db" for day in range(1, PARTS + 1)]
    for path in paths:
        run, day = ask(path).id, f"day {path.stem}"
        with closing(sqlite3.connect(path)) as db, db:
            values = (run, f"2026-01-0{path.stem}", day)
            db.execute("INSERT INTO findings VALUES (?, ?, 1, 'eos', 1, ?, '{}')", values)
    for order in permutations(paths):
        target = tmp_path / f"{'-'.join(path.stem for path in order)}.db"
        merge(target, *order, order[0])
        with Store.open(target) as opened:
            assert opened.findings(run) == [Finding("eos", True, "day 3", {})]


def test_what_cannot_be_merged_leaves_the_target_untouched(tmp_path, shards):
    target, text, other = tmp_path / "all.db", tmp_path / "a.txt", tmp_path / "other.db"
    text.write_text("no store")
    with closing(sqlite3.connect(other)) as db, db:
        db.execute("CREATE TABLE a (b)")
    bad = {"no such store": tmp_path / "none.db", "not an SQLite file": text, "not a file": tmp_path}
    for message, source in {**bad, "a database of another program": other}.items():
        with pytest.raises(InputError, match=message):
            merge(target, shards[0], source)
        assert not target.exists()
    merge(target, shards[0])
    link = tmp_path / "link.db"
    link.symlink_to(target)
    with pytest.raises(InputError, match="merged with itself"):
        merge(target, link)


def test_a_store_comes_in_whole_or_not_at_all(tmp_path, shards, whole, monkeypatch):
    target, copy_state = tmp_path / "all.db", module._copy_state
    struck = iter([False, True])

    def copy(db: sqlite3.Connection) -> None:
        copy_state(db)
        if next(struck):
            raise KeyboardInterrupt

    monkeypatch.setattr(module, "_copy_state", copy)
    with pytest.raises(KeyboardInterrupt):
        merge(target, *shards)
    monkeypatch.undo()
    merge(tmp_path / "one.db", shards[0])
    assert dump(target) == dump(tmp_path / "one.db")
    merge(target, *shards)
    assert figures(ask_forty(target, idle := Clerk())) == figures(whole)
    assert idle.calls == 0


BIG = 60_000


def big(path: Path, first: int) -> Path:
    """A store with many answers that no run needs."""
    with Store.open(path):
        pass
    body = json.dumps({"texts": ["yes"] * 20})
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("INSERT INTO models VALUES ('m', 'clerk:', '{}', 0)")
        db.executemany(
            "INSERT INTO responses VALUES ('m', ?, 'sample', ?)",
            ((f"{k:020}", body) for k in range(first, first + BIG)),
        )
    return path


@pytest.mark.slow
def test_a_merge_that_is_killed_can_be_repeated(tmp_path):
    sources = [big(tmp_path / f"{k}.db", k * BIG) for k in range(3)]
    target = tmp_path / "all.db"
    module = "probsense.runs.store.database"
    program = f"import sys; from {module} import merge; print('go', flush=True); merge(*sys.argv[1:])"
    rng, sizes = random.Random(1), []
    for _ in range(6):
        process = subprocess.Popen(
            [sys.executable, "-c", program, str(target), *map(str, sources)], stdout=subprocess.PIPE
        )
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(rng.uniform(0.0, 0.5))
        process.kill()
        process.communicate()
        if target.exists():
            with closing(sqlite3.connect(target)) as db:
                assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
                if db.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]:
                    sizes.append(db.execute("SELECT count(*) FROM responses").fetchone()[0])
    assert sizes == sorted(sizes)
    assert all(size % BIG == 0 for size in sizes)  # a store comes in whole or not at all
    merge(target, *sources)
    with closing(sqlite3.connect(target)) as db:
        assert db.execute("SELECT count(*) FROM responses").fetchone() == (3 * BIG,)
