"""Puts the answers and runs of several stores into one."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from probsense.core.errors import InputError
from probsense.core.files.sqlite import transaction
from probsense.runs.store.database import STORE
from probsense.runs.store.store import USED, Store

_SAME: Final = " AND ".join(
    f"old.{name} IS new.{name}" for name in ("fingerprint", "key", "reason", "tries", "at")
)
"""When two failures are one."""
_LATER: Final = ", ".join(f"{name} = max({name}, excluded.{name})" for name in USED)
"""Of what one process spent on a run, the later count."""

_RUN: Final = "id, task, version, options, method, seed, fingerprint, versions, started, files"


@dataclass(frozen=True, slots=True)
class Merged:
    """What one store added to another.

    Attributes
    ----------
    source : Path
    answers, runs : int
        The number of answers and runs that were new.
    known : int
        The number of its answers that were there already.
    differing : int
        The number of those that are not the same there. The first answer stays.
    """

    source: Path
    answers: int
    runs: int
    known: int
    differing: int


def merge(target: Path | str, *sources: Path | str) -> list[Merged]:
    """Put everything that stores have into one store; what it has already stays.

    The order of the stores does not matter, a store may come twice, and the stores of interrupted runs will do. Each
    store comes in whole or not at all.

    Parameters
    ----------
    target : Path or str
        The store; made if it is missing.
    *sources : Path or str
        The stores to take from. They stay as they are.

    Returns
    -------
    list of Merged
        For each store, in order.

    Raises
    ------
    InputError
        For a store that is missing, that is not a store of this version, or that is the target itself. Nothing is
        written then.
    """
    target, paths = Path(target), [Path(source) for source in sources]
    for path in paths:
        Store.open(path, create=False).close()
        if target.exists() and path.samefile(target):
            raise InputError("merged with itself", path=path, expected="another store")
    with STORE.plain_errors(target):
        db = STORE.connect(target)
        try:
            return [_merge_one(db, path) for path in paths]
        finally:
            db.close()


def _merge_one(db: sqlite3.Connection, source: Path) -> Merged:
    db.execute("ATTACH ? AS source", (str(source.resolve()),))
    try:
        with transaction(db):
            return _copy(db, source)
    finally:
        db.execute("DETACH source")


def _copy(db: sqlite3.Connection, source: Path) -> Merged:
    """Copy what is new; rows that others refer to come first.

    Results are not copied: where answers differ, those that stay may amount to something else.
    """
    (total,) = db.execute("SELECT count(*) FROM source.responses").fetchone()
    (differing,) = db.execute(
        "SELECT count(*) FROM source.responses AS new JOIN main.responses AS old USING (fingerprint, key)"
        " WHERE new.body != old.body"
    ).fetchone()
    db.execute("INSERT OR IGNORE INTO models SELECT * FROM source.models")
    db.execute("INSERT OR IGNORE INTO items SELECT * FROM source.items")
    answers = db.execute("INSERT OR IGNORE INTO responses SELECT * FROM source.responses").rowcount
    runs = db.execute(
        f"INSERT OR IGNORE INTO runs ({_RUN}) SELECT {_RUN} FROM source.runs ORDER BY rowid"
    ).rowcount
    db.execute("INSERT OR IGNORE INTO run_items SELECT * FROM source.run_items")
    db.execute(
        "INSERT INTO failures SELECT * FROM source.failures AS new"
        f" WHERE NOT EXISTS (SELECT 1 FROM main.failures AS old WHERE {_SAME})"
    )
    db.execute(f"INSERT INTO usage SELECT * FROM source.usage WHERE true ON CONFLICT DO UPDATE SET {_LATER}")
    _copy_findings(db)
    _copy_state(db)
    return Merged(source, answers, runs, total - answers, differing)


def _copy_findings(db: sqlite3.Connection) -> None:
    """Copy the last examination of each run's model, if it is later than the last one here."""
    last = "(SELECT max({}) FROM {}.findings AS one WHERE one.run = new.run)"
    db.execute(
        f"INSERT INTO findings SELECT run, at, 1 + coalesce({last.format('examination', 'main')}, 0), name, ok, detail,"
        f" data FROM source.findings AS new WHERE examination = {last.format('examination', 'source')}"
        f" AND {last.format('at', 'source')} > coalesce({last.format('at', 'main')}, '')"
    )


def _copy_state(db: sqlite3.Connection) -> None:
    """Take over when runs started, that they are finished, and their names where no other run has them."""
    db.execute(
        "UPDATE runs SET started = min(runs.started, new.started), finished = coalesce(runs.finished, new.finished)"
        " FROM source.runs AS new WHERE new.id = runs.id"
    )
    db.execute(
        "UPDATE runs SET name = new.name FROM source.runs AS new WHERE new.id = runs.id AND runs.name IS NULL"
        " AND NOT EXISTS (SELECT 1 FROM main.runs AS other WHERE (other.name, other.task, other.method)"
        " = (new.name, new.task, new.method))"
    )
