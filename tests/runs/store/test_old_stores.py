"""Stores that earlier versions wrote: one is kept for each schema that can be brought up to date."""

from __future__ import annotations

import shutil
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from threading import Barrier

import pytest

from probsense.core.errors import InputError
from probsense.runs.evaluate import evaluate, load_run
from probsense.runs.store.database import MIGRATIONS, STORE
from probsense.runs.store.store import Store
from support.recording import restore

KEPT = {5: "store.sql", 6: "store-6.sql", 7: "store-7.sql"}
"""A dump by schema, made by the version that wrote it."""
RUN = "55cb78557cdad24c7a1b200b525102bb"
"""The run of winogrande, random:1, limit 6, which each has."""
FIGURES = {
    ("accuracy", "partial"): (0.5, 0.036171294616189786, 0.9638287053838102),
    ("accuracy", "full"): (0.8333333333333334, 0.14870540683055938, 0.9930612234856895),
    ("brier", "partial"): (0.9998451687752526, 0.1411966934424651, 1.8587595764728007),
    ("log_score", "partial"): (4.94272683155337, 3.2825341092502365, 6.602919553856503),
}
"""What that version made of it: value and interval by measure and view."""


@pytest.fixture(params=sorted(MIGRATIONS))
def old(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A store of each older schema."""
    path = tmp_path / "old.db"
    restore(KEPT[request.param], str(path))
    return path


def set_schema(path: Path, schema: int) -> bytes:
    with closing(sqlite3.connect(path)) as db:
        db.execute(f"PRAGMA user_version = {schema}")
    return path.read_bytes()


def test_an_old_store_gives_the_figures_of_its_version(old: Path) -> None:
    estimates = load_run(RUN, store=old).results.estimates
    found = {(one.measure, one.by.get("view")): (one.value, one.low, one.high) for one in estimates}
    for key, expected in FIGURES.items():
        assert found[key] == pytest.approx(expected, rel=1e-9), key


def test_what_answers_cost_stays_known(old: Path) -> None:
    with Store.open(old) as store:
        used = {run.model: run.usage.tokens for run in store.runs()}
    assert used["random:1"] == 0
    assert used["builtin:tiny"] in (113, 165, 334)


def test_an_old_store_becomes_one_of_today_and_asks_nothing_again(old: Path, tmp_path: Path) -> None:
    run = evaluate("winogrande", "random:1", store=old, limit=6, name="first", quiet=True)
    assert (run.id, run.asked, run.reused, run.name) == (RUN, 0, 6, "first")
    Store.open(tmp_path / "fresh.db").close()
    tables = "SELECT name, replace(sql, char(10), ' ') FROM sqlite_schema ORDER BY name"
    with closing(sqlite3.connect(old)) as then, closing(sqlite3.connect(tmp_path / "fresh.db")) as now:
        for query in (tables, "PRAGMA user_version"):
            assert then.execute(query).fetchall() == now.execute(query).fetchall()


def test_many_may_bring_a_store_up_to_date_at_once(old: Path, tmp_path: Path) -> None:
    for turn in range(3):
        store, ready = tmp_path / f"{turn}.db", Barrier(4)
        shutil.copy(old, store)

        def read(store: Path = store, ready: Barrier = ready) -> int:
            ready.wait()
            with Store.open(store) as opened:
                return len(opened.runs())

        with ThreadPoolExecutor(4) as pool:
            assert len({each.result() for each in [pool.submit(read) for _ in range(4)]}) == 1


@pytest.mark.parametrize(
    ("schema", "more"),
    [
        *((schema, "") for schema in range(1, min(MIGRATIONS))),  # No release wrote these.
        (STORE.schema + 1, " (expected a newer version of ProbSense)"),
    ],
)
def test_other_schemas_are_refused_in_one_line(tmp_path: Path, schema: int, more: str) -> None:
    path = tmp_path / "other.db"
    Store.open(path).close()
    before = set_schema(path, schema)
    with pytest.raises(InputError) as refused:
        Store.open(path)
    said = f"a store of schema {schema}; this version of ProbSense reads schema 5 to {STORE.schema}{more}"
    assert str(refused.value) == f"{path}: {said}"
    assert path.read_bytes() == before
