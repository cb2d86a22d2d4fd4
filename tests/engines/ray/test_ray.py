"""Workers in Ray give the results of one process, also if some of them, or all, are killed."""

import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest
import ray

from probsense.core.errors import InputError
from probsense.models.ray import RayWorkers, pooled
from probsense.runs.evaluate import evaluate

SECONDS = 240


def figures(run):
    return [(one.value, one.low, one.high) for one in run.summary()]


def same(ours, theirs):
    assert ours.id == theirs.id
    assert len(ours.outcome.items) == len(theirs.items)
    for one, other in zip(figures(ours), figures(theirs), strict=True):
        assert one == pytest.approx(other, abs=1e-5, nan_ok=True)


def busy_workers():
    """Processes of workers that are answering, by the name that Ray gives them."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                title = (folder / "cmdline").read_bytes().decode(errors="replace")
            except OSError:
                continue
            if title.startswith("ray::Worker.answer"):
                found.append(int(folder.name))
    return found


@pytest.fixture(scope="module")
def workers():
    yield RayWorkers(2)
    ray.shutdown()


@pytest.fixture(scope="module")
def alone():
    return evaluate("worldsense", "builtin:tiny", limit=200, store=None, quiet=True)


def test_a_network_in_two_workers(workers, alone):
    pool = pooled(workers, "builtin:tiny")
    same(evaluate("worldsense", pool, limit=200, store=None, quiet=True), alone)
    assert pool.usage.tokens < 1.03 * alone.record.usage.tokens or alone.record.usage.tokens == 0


def test_a_worker_that_is_killed_is_replaced(workers, alone):
    pool = pooled(workers, "builtin:tiny")
    killed = []

    def kill():
        deadline = time.monotonic() + SECONDS
        while not killed and time.monotonic() < deadline:
            for pid in busy_workers()[:1]:
                os.kill(pid, signal.SIGKILL)
                killed.append(pid)
            time.sleep(0.005)

    thread = threading.Thread(target=kill)
    thread.start()
    run = evaluate("worldsense", pool, limit=200, store=None, quiet=True)
    thread.join()
    assert killed
    same(run, alone)


def test_a_driver_that_is_killed_goes_on_where_it_stopped(tmp_path, alone):
    store = tmp_path / "a.db"
    asked = ("run", "worldsense", "--model", "ray:builtin:tiny", "--limit", "200", "--store", str(store))
    words = [sys.executable, "-m", "probsense", *asked, "-M", "workers=2", "--quiet"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE)
    deadline, known = time.monotonic() + SECONDS, 0
    while not known and process.poll() is None:
        assert time.monotonic() < deadline
        time.sleep(0.01)
        if store.exists():
            with closing(sqlite3.connect(store, timeout=60)) as db:
                if db.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]:
                    (known,) = db.execute("SELECT count(*) FROM responses").fetchone()
    process.kill()
    process.communicate()
    run = evaluate("worldsense", "builtin:tiny", limit=200, store=store, quiet=True)
    assert run.reused >= known > 0
    same(run, alone)


def test_errors_of_the_model_come_through(workers, tmp_path):
    with pytest.raises(InputError, match="none"):
        pooled(workers, f"hf:{tmp_path / 'none'}")
    for number, gpus in ((0, 0.0), (1, -1.0), (1, float("nan"))):
        with pytest.raises(InputError, match="at least 1 worker"):
            RayWorkers(number, gpus)
    with pytest.raises(InputError, match=r"2 workers with 100 GPUs each, and this machine has"):
        RayWorkers(2, 100.0)
