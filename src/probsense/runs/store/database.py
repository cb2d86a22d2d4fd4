"""The files of stores: their tables, whether they lie where SQLite can lock them, and how several become one."""

from __future__ import annotations

import re
import sqlite3
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from probsense.core.errors import InputError
from probsense.core.files.sqlite import Kind, transaction
from probsense.models.base import Usage

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
    versions TEXT NOT NULL, started TEXT NOT NULL, finished TEXT, name TEXT, files TEXT NOT NULL
);
CREATE UNIQUE INDEX runs_by_name ON runs (name, task, method);
CREATE TABLE run_items (
    run TEXT NOT NULL REFERENCES runs, position INTEGER NOT NULL, item TEXT NOT NULL REFERENCES items,
    PRIMARY KEY (run, position)
) WITHOUT ROWID;
CREATE TABLE usage (
    run TEXT NOT NULL REFERENCES runs, session TEXT NOT NULL, tokens INTEGER NOT NULL, naive INTEGER NOT NULL,
    truncated INTEGER NOT NULL, seconds REAL NOT NULL, requests INTEGER NOT NULL, written INTEGER NOT NULL,
    cost REAL NOT NULL,
    PRIMARY KEY (run, session)
) WITHOUT ROWID;
CREATE TABLE findings (
    run TEXT NOT NULL REFERENCES runs, at TEXT NOT NULL, examination INTEGER NOT NULL, name TEXT NOT NULL, ok INTEGER,
    detail TEXT NOT NULL, data TEXT NOT NULL
);
CREATE INDEX findings_of ON findings (run);
CREATE TABLE results (
    run TEXT PRIMARY KEY REFERENCES runs, key TEXT NOT NULL, body TEXT NOT NULL
) WITHOUT ROWID;
"""

LARGE: Final = """
PRAGMA cache_size = -131072;
PRAGMA wal_autocheckpoint = 8192
"""
"""What a store of millions of answers needs: memory for the index of their keys (128 MiB at most, as far as it grows),
and a log of 32 MiB, because every batch changes pages all over that index, and many change again and again."""

STORE: Final = Kind("a store", 0x50524253, 1, TABLES, LARGE)
USED: Final = tuple(Usage.__dataclass_fields__)
"""Columns that hold what a run has cost."""


def open_file(path: Path | None, *, create: bool = True) -> sqlite3.Connection:
    """Open the file of a store.

    Parameters
    ----------
    path : Path or None
        None for a store in memory, which is lost on closing.
    create : bool
        Whether to make a missing file.

    Raises
    ------
    InputError
        If the file is missing and ``create`` is false, or the file is not a store of this version.
    """
    if path is not None and path.exists() and not path.is_file():
        raise InputError("not a file", path=path, expected="the file of a store")
    if path is not None and not create and not path.exists():
        raise InputError("no such store", path=path)
    return STORE.connect(path)


KINDS: Final = re.compile(
    r"9p|afs|beegfs|ceph|cifs|glusterfs|gpfs|lustre|nfs4?|orangefs|panfs|pvfs2|smb3|smbfs|wekafs"
    r"|fuse\.(ceph-fuse|gcsfuse|glusterfs|juicefs|mountpoint-s3|rclone|s3fs|sshfs)"
)
"""File systems, as Linux names them, that several machines may write to."""
MOUNTS: Final = Path("/proc/mounts")


def network_file_system(path: Path, mounts: Path = MOUNTS) -> str:
    """Return the kind of the network file system that a file lies on, or would lie on.

    Parameters
    ----------
    path : Path
        It need not exist.
    mounts : Path
        Where Linux lists its file systems.

    Returns
    -------
    str
        Such as "nfs4"; "" for a local file system, and where the system does not tell.
    """
    try:
        mounted = [line.split()[1:3] for line in mounts.read_text(errors="replace").splitlines()]
    except OSError:
        return ""
    kinds = {Path(mount.replace("\\040", " ")): kind for mount, kind in mounted}
    place = path.resolve()
    kind = next((kinds[one] for one in (place, *place.parents) if one in kinds), "")
    return kind if KINDS.fullmatch(kind) else ""


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
        open_file(path, create=False).close()
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
        "INSERT INTO failures SELECT * FROM source.failures WHERE (fingerprint, key, reason, tries, at) NOT IN"
        " (SELECT * FROM main.failures) ORDER BY rowid"
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
