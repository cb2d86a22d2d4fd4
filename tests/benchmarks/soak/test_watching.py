"""What a soak watches: a quantity that grows is seen, and noise is not."""

from __future__ import annotations

import os
import threading
from contextlib import closing
from pathlib import Path
from sqlite3 import connect

import numpy as np
import pytest

from watching import Watch, database, size, trend

HOURS = np.linspace(0, 1, 60)


def judged(values: np.ndarray) -> bool | None:
    return trend("memory", [*zip(HOURS, values, strict=True)]).flat


def test_only_what_grows_is_not_flat() -> None:
    noise = np.random.default_rng(1).normal(0, 1, 60)
    assert judged(200 + noise)
    assert judged(200 + noise - 10 * HOURS)
    assert not judged(200 + noise + 10 * HOURS)
    assert judged(200 + 1.5 * HOURS)  # less than 1 % an hour
    assert not judged(200 + 2.5 * HOURS)
    assert judged(np.where(HOURS < 0.15, 200 * HOURS, 30.0))  # it warms up first
    assert trend("memory", [(0.0, 1.0), (0.5, 2.0), (1.0, 9.0)]).flat is None


def test_slopes_are_per_hour() -> None:
    found = trend("memory", [(hour, 3 + 4 * hour) for hour in HOURS])
    assert (found.slope, found.low, found.high) == pytest.approx((4, 4, 4))
    assert (found.first, found.last, found.count) == (3, 7, 60)


def test_a_process_and_what_has_a_reason_to_grow() -> None:
    watch = Watch()
    for number in range(20):
        watch.process("me", os.getpid())
        watch.add("input", float(number), grows=True)
    found = {one.quantity: one for one in watch.trends()}
    assert found["me: memory, MB"].last > 10
    assert found["me: threads"].last >= threading.active_count()
    assert found["me: descriptors"].last >= 3
    assert found["input"].flat is None
    lines = [*watch.lines()]
    assert len(lines) == 1 + 4
    assert lines[1].startswith("input ")


def test_sizes(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "b").write_bytes(b"12345")
    (tmp_path / "c").write_bytes(b"12")
    assert (size(tmp_path), size(tmp_path / "c"), size(tmp_path / "none")) == (7, 2, 0)
    path = tmp_path / "x.db"
    with closing(connect(path)) as db:
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("CREATE TABLE t (x)")
        db.executemany("INSERT INTO t VALUES (?)", [("y" * 1000,)] * 100)
        db.commit()
        assert size(path) < 100_000 < database(path)
    assert database(path) == size(path)
