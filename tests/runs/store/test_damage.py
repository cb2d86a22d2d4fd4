"""Damaged rows: one line that names them, and everything else stays readable."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from itertools import product
from pathlib import Path

import pytest

import probsense as ps
from probsense.core.errors import ProbSenseError
from probsense.results.listing import listed_runs
from probsense.runs.find import find_runs
from probsense.runs.store.store import Store

TEXTS = (
    *("runs.options", "runs.versions", "models.details", "items.body", "findings.data"),
    *("responses.body", "responses.kind", "results.body"),
)
"""Columns that hold documents, or say how to read one."""
CELLS = (
    *("runs.version", "runs.method", "runs.seed"),
    *("runs.started", "runs.finished", "runs.name"),
    *("results.key", "models.name", "models.by_item"),
    *("findings.name", "findings.ok", "findings.detail"),
)
DAMAGE = {
    "cut off": "substr({0}, 1, length({0}) / 2)",
    "a flipped byte": "replace({0}, '\"', '!')",
    "a number": "'7'",
    "a list": "'[]'",
    "an empty object": "'{{}}'",
    "null": "'null'",
    "deep": "'" + "[" * 100_000 + "'",
    "bytes": "x'ff00fe'",
    "other numbers": "replace(replace({0}, ':0', ':1e999'), ':-', ':\"-\",\"a\":-')",
}


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    path = tmp_path_factory.mktemp("whole") / "a.db"
    for task, model in (("winogrande", "builtin:tiny"), ("suite", "random:1"), ("judgments", "random:2")):
        ps.evaluate(task, model, limit=4, store=path, quiet=True)
    listed_runs([path])
    return path


def damage(whole: Path, path: Path, column: str, how: str) -> None:
    """Damage the first row."""
    shutil.copy(whole, path)
    table, name = column.split(".")
    key = {"models": "fingerprint", "items": "digest", "results": "run"}.get(table, "rowid")
    with closing(sqlite3.connect(path)) as db:
        db.execute(
            f"UPDATE {table} SET {name} = {how.format(name)} WHERE {key} = (SELECT {key} FROM {table} LIMIT 1)"
        )
        db.commit()


@pytest.mark.parametrize(
    ("column", "how"),
    [*product(TEXTS, DAMAGE), *product(CELLS, ["a number", "a list", "bytes"]), ("runs.task", "bytes")],
)
def test_a_damaged_row_is_named_and_all_other_runs_are_read(whole, tmp_path, column, how):
    path = tmp_path / "a.db"
    damage(whole, path, column, DAMAGE[how])
    table = column.split(".")[0]
    with Store.open(path) as store:
        faults = [*store.check()]
    for fault in faults:
        assert f"{path}: row " in fault
        assert "is damaged" in fault
        assert "\n" not in fault
    listed = listed_runs([path])
    assert len(listed) >= 2
    try:
        runs, left_out = find_runs([], [path])
    except ProbSenseError as error:
        left_out = [str(error)]
    else:
        for run in runs:
            assert run.results.estimates
        assert len(runs) + len(left_out) == 3
    if table == "results":
        assert not faults
        assert not left_out
    elif left_out and how != "other numbers":
        assert f"of the table {table} is damaged" in left_out[0]
        assert faults
