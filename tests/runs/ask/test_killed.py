"""What happens to a run that is killed, interrupted, or not alone with its store."""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from threading import Barrier
from types import ModuleType
from typing import Any

import pytest

from probsense.core.records import request_key
from probsense.runs.evaluate import evaluate
from support import run_fakes, thinker
from support.run_fakes import Clerk, Quiz, figures
from support.thinker import Thinker, ask_quiz

SECONDS = 60


def start(store: Path, log: Path, **clerk: float | str) -> subprocess.Popen[str]:
    """Start a process that asks a clerk of these properties 150 questions."""
    return process(run_fakes, store, log, json.dumps(clerk))


def process(program: ModuleType, *words: object) -> subprocess.Popen[str]:
    """Start a process that runs a module with these words."""
    path = os.pathsep.join(
        [*filter(None, [os.environ.get("PYTHONPATH")]), str(Path(run_fakes.__file__).parents[1])]
    )
    environment = os.environ | {"OMP_NUM_THREADS": "1", "POLARS_MAX_THREADS": "1", "PYTHONPATH": path}
    # -P: what lies beside the program hides no module of Python.
    command = [sys.executable, "-P", str(program.__file__), *map(str, words)]
    return subprocess.Popen(
        command, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


def finish(process: subprocess.Popen[str]) -> object:
    out, err = process.communicate(timeout=SECONDS)
    assert process.returncode == 0, err
    return json.loads(out)


def asked(log: Path) -> list[str]:
    return log.read_text().split() if log.exists() else []


def wait_for(log: Path, count: int, process: subprocess.Popen[str]) -> None:
    """Wait until so many requests were asked, or the process has ended."""
    deadline = time.monotonic() + SECONDS
    while len(asked(log)) < count and process.poll() is None:
        assert time.monotonic() < deadline
        time.sleep(0.002)


def committed(store: Path) -> set[str]:
    if not store.exists():
        return set()
    with closing(sqlite3.connect(store, timeout=SECONDS)) as db:
        if not db.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]:
            return set()
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        return {key for (key,) in db.execute("SELECT key FROM responses")}


def rows(store: Path, query: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(store, timeout=SECONDS)) as db:
        return db.execute(query).fetchall()


def here(store: Path | None, clerk: Clerk) -> object:
    """Ask the same questions in this process."""
    run = evaluate(Quiz(n=150), clerk, method="sample", store=store, quiet=True)
    return json.loads(json.dumps(figures(run)))


@pytest.fixture(scope="module")
def undisturbed():
    return here(None, Clerk())


def test_a_killed_process_loses_the_batch_in_flight_and_nothing_else(tmp_path, undisturbed):
    store, log = tmp_path / "store.db", tmp_path / "log"
    process = start(store, log, batch=4, killed_at=50)
    _, err = process.communicate(timeout=SECONDS)
    assert process.returncode == -signal.SIGKILL, err
    known = committed(store)
    assert len(asked(log)) == 50
    assert {*asked(log)[:-4]} <= known < {*asked(log)}
    assert rows(store, "SELECT sum(requests) FROM usage") == [(len(known),)]
    clerk = Clerk()
    assert here(store, clerk) == undisturbed
    assert known.isdisjoint(clerk.asked)
    assert known | {*clerk.asked} == committed(store)
    assert here(store, idle := Clerk()) == undisturbed
    assert idle.calls == 0


def kill(store: Path, log: Path, count: int, pause: float = 0.0, **words: Any) -> int:
    """Start a process, kill it when so many requests were asked; return the number of new answers, which is checked."""
    before, known = len(asked(log)), committed(store)
    process = start(store, log, **words)
    wait_for(log, before + count, process)
    time.sleep(pause)
    process.kill()
    process.communicate(timeout=SECONDS)
    assert process.returncode == -signal.SIGKILL, "the run ended before it could be killed"
    assert known.isdisjoint(asked(log)[before:])  # what is answered is not asked again
    assert known <= committed(store)
    return len(committed(store)) - len(known)


@pytest.mark.slow
def test_killed_ten_times_ends_with_the_same_figures(tmp_path, undisturbed):
    store, log = tmp_path / "store.db", tmp_path / "log"
    rng = random.Random(2)
    # The first two are killed somewhere in starting up.
    growth = [kill(store, log, 0, rng.uniform(0.0, 0.5), wait=0.05) for _ in range(2)]
    for share in (0.0, 0.0, 0.0, 0.0, 0.3, 0.3, 0.3, 0.3):  # of the requests, which fail
        pause = rng.uniform(0.0, 0.05)
        growth.append(kill(store, log, rng.randrange(1, 20), pause, wait=0.05, share=share))
    assert sum(g > 0 for g in growth) >= 5
    assert {reason for (reason,) in rows(store, "SELECT reason FROM failures")} <= {*run_fakes.REASONS}
    assert rows(store, "SELECT finished FROM runs") == [(None,)]

    before, known = len(asked(log)), committed(store)
    assert finish(start(store, log)) == undisturbed
    last = asked(log)[before:]
    assert last
    assert known.isdisjoint(last)
    assert len(last) == len(set(last))

    assert rows(store, "SELECT finished FROM runs") != [(None,)]
    before = len(asked(log))
    process = start(store, log)
    out, err = process.communicate(timeout=SECONDS)
    assert json.loads(out) == undisturbed
    assert "nothing to ask: all" in err
    assert len(asked(log)) == before


@pytest.mark.slow
def test_control_c_says_how_to_resume(tmp_path, undisturbed):
    store, log = tmp_path / "store.db", tmp_path / "log"
    running = start(store, log, wait=0.02)
    wait_for(log, 30, running)
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=SECONDS)
    assert (running.returncode, out) == (1, "")
    assert "Traceback" not in err
    known = committed(store)
    assert 27 <= len(known) < 150
    assert err.strip().splitlines()[-1] == (
        f"interrupted: {len(known)} of 150 answers are stored in {store}; run the same command again to resume"
    )
    assert finish(start(store, log)) == undisturbed


@pytest.mark.slow
def test_three_processes_on_one_store_agree(tmp_path):
    store = tmp_path / "store.db"
    running = [start(store, tmp_path / f"log{salt}", wait=0.003, salt=salt) for salt in ("1", "2", "3")]
    first, *others = map(finish, running)
    assert all(other == first for other in others)
    assert rows(store, "SELECT count(*) FROM runs") == [(1,)]
    assert rows(store, "SELECT count(*) FROM run_items") == [(150,)]
    assert rows(store, "PRAGMA integrity_check") == [("ok",)]


def test_threads_with_a_store_each_of_one_file_agree(tmp_path):
    """Though they would answer differently: the first answer to each request is the answer."""
    store, ready = tmp_path / "store.db", Barrier(3)

    def work(salt: str) -> object:
        ready.wait()
        return here(store, Clerk(salt=salt))

    with ThreadPoolExecutor(3) as pool:
        first, *others = pool.map(work, "123")
    assert all(other == first for other in others)
    assert rows(store, "SELECT count(*) FROM runs") == [(1,)]


BEGUN, GONE_ON, ANSWERED = 30, 60, 80
"""How many requests a run with chains has asked after each round: the beginnings of 30 chains; answers after the 10
that are over, and the rest of the 20 others; answers after these."""


@pytest.mark.parametrize(
    "at",
    [
        [BEGUN + 1],
        pytest.param([1, 14], marks=pytest.mark.slow),
        pytest.param([BEGUN, 5, 8], marks=pytest.mark.slow),
        pytest.param([GONE_ON + 1, 5, 9], marks=pytest.mark.slow),
        pytest.param([ANSWERED], marks=pytest.mark.slow),
    ],
)
def test_killed_between_and_within_the_stages_of_thinking(tmp_path, at):
    """Each process is killed when it has asked so many requests; a batch has four."""
    store, log, whole = tmp_path / "store.db", tmp_path / "log", tmp_path / "whole.db"
    known = set()
    for killed_at in at:
        before = len(asked(log))
        running = process(thinker, store, log, killed_at)
        _, err = running.communicate(timeout=SECONDS)
        assert running.returncode == -signal.SIGKILL, err
        new = asked(log)[before:]
        assert len(new) == killed_at
        assert known.isdisjoint(new)
        assert {*new[:-4]} <= committed(store)
        known = committed(store)
    model = Thinker()
    found = ask_quiz(model, store)
    keys = [request_key(request) for request in model.asked]
    assert known.isdisjoint(keys)
    assert found == ask_quiz(Thinker(), whole)
    answers = "SELECT key, body FROM responses ORDER BY key"
    assert len(committed(store)) == len(known) + len(keys) == ANSWERED
    assert rows(store, answers) == rows(whole, answers)
    ask_quiz(idle := Thinker(), store)
    assert idle.asked == []
