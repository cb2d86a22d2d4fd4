"""Opens the file of a store, with its tables, its transactions, and errors in plain words."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from probsense.errors import InputError, ProbSenseError

APPLICATION = 0x50524253  # "PRBS" tells a store from other SQLite files
SCHEMA = 4
HEADER = b"SQLite format 3\0"
BUSY_SECONDS = 60.0

TABLES = """
CREATE TABLE models (
    fingerprint TEXT PRIMARY KEY, name TEXT NOT NULL, details TEXT NOT NULL, by_item INTEGER NOT NULL
);
CREATE TABLE responses (
    fingerprint TEXT NOT NULL REFERENCES models, key TEXT NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL,
    PRIMARY KEY (fingerprint, key)
);
CREATE TABLE failures (
    fingerprint TEXT NOT NULL REFERENCES models, key TEXT NOT NULL, reason TEXT NOT NULL, tries INTEGER NOT NULL,
    at TEXT NOT NULL
);
CREATE INDEX failures_of ON failures (fingerprint, key);
CREATE TABLE items (
    digest TEXT PRIMARY KEY, body TEXT NOT NULL
);
CREATE TABLE runs (
    id TEXT PRIMARY KEY, task TEXT NOT NULL, version INTEGER NOT NULL, options TEXT NOT NULL,
    method TEXT NOT NULL, seed INTEGER NOT NULL, fingerprint TEXT NOT NULL REFERENCES models,
    versions TEXT NOT NULL, started TEXT NOT NULL, finished TEXT, name TEXT
);
CREATE UNIQUE INDEX runs_by_name ON runs (name, task, method);
CREATE TABLE run_items (
    run TEXT NOT NULL REFERENCES runs, position INTEGER NOT NULL, item TEXT NOT NULL REFERENCES items,
    PRIMARY KEY (run, position)
) WITHOUT ROWID;
CREATE TABLE usage (
    run TEXT NOT NULL REFERENCES runs, tokens INTEGER NOT NULL, naive INTEGER NOT NULL,
    truncated INTEGER NOT NULL, seconds REAL NOT NULL, requests INTEGER NOT NULL, written INTEGER NOT NULL,
    cost REAL NOT NULL
);
CREATE TABLE findings (
    run TEXT NOT NULL REFERENCES runs, at TEXT NOT NULL, examination INTEGER NOT NULL, name TEXT NOT NULL, ok INTEGER,
    detail TEXT NOT NULL, data TEXT NOT NULL
);
CREATE INDEX findings_of ON findings (run);
"""

MIGRATIONS = {
    3: """
ALTER TABLE runs ADD COLUMN name TEXT;
CREATE UNIQUE INDEX runs_by_name ON runs (name, task, method);
"""
}
"""What turns a store of a schema into one of the next schema."""


def connect(path: Path | None) -> sqlite3.Connection:
    """Open the file of a store, or make it; None stands for a store in memory.

    Raises
    ------
    InputError
        If the file is not a store of this version; it stays untouched.
    """
    with plain_errors(path):
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            _check_header(path)
        db = sqlite3.connect(
            path or ":memory:", timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        try:
            _prepare(db, path)
        except BaseException:
            db.close()
            raise
    return db


@contextmanager
def transaction(db: sqlite3.Connection) -> Iterator[None]:
    """Do everything in the block or nothing, after waiting for other processes to finish writing."""
    db.execute("BEGIN IMMEDIATE")
    try:
        yield
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise


def _check_header(path: Path) -> None:
    """Refuse a file of another kind; SQLite itself would take a very short one for empty and overwrite it."""
    if path.exists():
        with path.open("rb") as stream:
            if stream.read(len(HEADER)) not in (b"", HEADER):
                raise InputError("not an SQLite file", path=path, expected="a store of ProbSense")


def _prepare(db: sqlite3.Connection, path: Path | None) -> None:
    """Make an empty file a store, bring an older store up to date; leave any file that is no store untouched."""
    if _schema(db, path) == 0:
        _use_wal(db)
    if _schema(db, path) != SCHEMA:
        with transaction(db):
            schema = _schema(db, path)  # another process may have been faster
            if schema == 0:
                _execute_all(db, TABLES)
                db.execute(f"PRAGMA application_id = {APPLICATION}")
            for old in range(schema or SCHEMA, SCHEMA):
                _execute_all(db, MIGRATIONS[old])
            db.execute(f"PRAGMA user_version = {SCHEMA}")
    db.execute("PRAGMA foreign_keys = ON")
    db.execute(
        "PRAGMA synchronous = NORMAL"
    )  # with WAL, this survives a killed process and is many times faster


def _execute_all(db: sqlite3.Connection, statements: str) -> None:
    for statement in statements.split(";"):
        db.execute(statement)


def _schema(db: sqlite3.Connection, path: Path | None) -> int:
    """Return the schema of a store, 0 if nothing was ever written; refuse another program's, or an unknown one."""
    application, schema, tables = db.execute(
        "SELECT * FROM pragma_application_id, pragma_user_version, (SELECT count(*) FROM sqlite_schema)"
    ).fetchone()
    if (application, schema, tables) == (0, 0, 0):
        return 0
    if application != APPLICATION:
        raise InputError("a database of another program", path=path, expected="a store of ProbSense")
    if schema not in (*MIGRATIONS, SCHEMA):
        raise InputError(
            f"a store of schema {schema}; this version of ProbSense reads schema "
            f"{' and '.join(map(str, (*MIGRATIONS, SCHEMA)))}",
            path=path,
        )
    return int(schema)


def _use_wal(db: sqlite3.Connection) -> None:
    """Switch to write-ahead logging, and wait if two processes do so at once, which SQLite itself does not."""
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            db.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.02)


@contextmanager
def plain_errors(path: Path | None) -> Iterator[None]:
    """Turn the errors of SQLite and the system into lines for the user."""
    try:
        yield
    except OSError as error:
        raise InputError(f"cannot be used as a store: {error.strerror or error}", path=path) from None
    except sqlite3.DatabaseError as error:
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
        if code in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_CANTOPEN):
            raise InputError(f"cannot be used as a store: {error}", path=path) from None
        raise ProbSenseError(f"{path or 'the store in memory'}: {error}") from error
