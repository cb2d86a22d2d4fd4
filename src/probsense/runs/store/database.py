"""The tables of a store, and whether its file lies where SQLite can lock it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from probsense.core.files.sqlite import Kind

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
    run TEXT PRIMARY KEY REFERENCES runs, key TEXT NOT NULL, body TEXT NOT NULL, line TEXT
) WITHOUT ROWID;
"""

LARGE: Final = """
PRAGMA cache_size = -131072;
PRAGMA wal_autocheckpoint = 8192
"""
"""What a store of millions of answers needs: memory for the index of their keys (128 MiB at most, as far as it grows),
and a log of 32 MiB, because every batch changes pages all over that index, and many change again and again."""

STORE: Final = Kind("a store", 0x50524253, 1, TABLES, LARGE)


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
        lines = mounts.read_text(errors="replace").splitlines()
    except OSError:
        return ""
    place = path.resolve()
    found = [
        (Path(fields[1].replace("\\040", " ")), fields[2])
        for line in lines
        if len(fields := line.split()) > 2
    ]
    above = [(len(mount.parts), kind) for mount, kind in found if place.is_relative_to(mount)]
    kind = max(above, key=lambda pair: pair[0], default=(0, ""))[1]
    return kind if KINDS.fullmatch(kind) else ""
