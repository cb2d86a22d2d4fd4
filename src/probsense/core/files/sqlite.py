"""Opens SQLite files of one kind, with their tables and transactions, and tells errors in plain words."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from probsense.core.errors import InputError, ProbSenseError

HEADER = b"SQLite format 3\0"
BUSY_SECONDS = 60.0


class Kind(NamedTuple):
    """A kind of SQLite file.

    Attributes
    ----------
    name : str
        What errors call such a file, such as "a store".
    application : int
        Tells its files from other SQLite files.
    schema : int
        The version of the tables.
    tables : str
        The statements that make the tables.
    settings : str
        The statements that set up each connection.
    """

    name: str
    application: int
    schema: int
    tables: str
    settings: str = ""

    def connect(self, path: Path | None) -> sqlite3.Connection:
        """Open a file of this kind, or make it; None stands for one in memory.

        Raises
        ------
        InputError
            If the file is not of this kind and version; it stays untouched.
        """
        if str(path).startswith((":memory:", "file:")):
            raise InputError(
                "a name that SQLite reads in its own way", path=path, expected="the name of a file"
            )
        with self.plain_errors(path):
            if path is not None:
                path.parent.mkdir(parents=True, exist_ok=True)
                self._check_header(path)
            db = sqlite3.connect(
                path or ":memory:", timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
            )
            try:
                self._prepare(db, path)
            except BaseException:
                db.close()
                raise
        return db

    @contextmanager
    def plain_errors(self, path: Path | None) -> Iterator[None]:
        """Turn the errors of SQLite and the system into lines for the user."""
        try:
            yield
        except OSError as error:
            raise InputError(f"cannot be used as {self.name}: {error.strerror or error}", path=path) from None
        except sqlite3.DatabaseError as error:
            code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
            if code in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_CANTOPEN):
                raise InputError(f"cannot be used as {self.name}: {error}", path=path) from None
            raise ProbSenseError(f"{path or f'{self.name} in memory'}: {error}") from error

    def _check_header(self, path: Path) -> None:
        """Refuse a file of another kind; SQLite itself would take a very short one for empty and overwrite it."""
        if path.exists():
            with path.open("rb") as stream:
                if stream.read(len(HEADER)) not in (b"", HEADER):
                    raise InputError("not an SQLite file", path=path, expected=f"{self.name} of ProbSense")

    def _prepare(self, db: sqlite3.Connection, path: Path | None) -> None:
        """Give an empty file its tables; leave a file of another kind untouched."""
        if self._schema(db, path) == 0:
            _use_wal(db)
            with transaction(db):
                if self._schema(db, path) == 0:  # another process may have been faster
                    _execute_all(db, self.tables)
                    db.execute(f"PRAGMA application_id = {self.application}")
                    db.execute(f"PRAGMA user_version = {self.schema}")
        db.execute("PRAGMA foreign_keys = ON")
        # With write-ahead logging, this survives a killed process and is many times faster.
        db.execute("PRAGMA synchronous = NORMAL")
        _execute_all(db, self.settings)

    def _schema(self, db: sqlite3.Connection, path: Path | None) -> int:
        """Return the schema of a file, 0 if nothing was ever written; refuse another program's, or an unknown one."""
        application, schema, tables = db.execute(
            "SELECT * FROM pragma_application_id, pragma_user_version, (SELECT count(*) FROM sqlite_schema)"
        ).fetchone()
        if (application, schema, tables) == (0, 0, 0):
            return 0
        if application != self.application:
            raise InputError("a database of another program", path=path, expected=f"{self.name} of ProbSense")
        if schema != self.schema:
            raise InputError(
                f"{self.name} of schema {schema}; this version of ProbSense reads schema {self.schema}",
                path=path,
                expected="the version that wrote it",
            )
        return int(schema)


@contextmanager
def transaction(db: sqlite3.Connection, begin: str = "BEGIN IMMEDIATE") -> Iterator[None]:
    """Do everything in the block or nothing, after waiting for other processes to finish writing.

    With "BEGIN", which does not wait, the block reads the file as it is at the first look, whatever others write.
    """
    try:
        db.execute(begin)  # here, as Ctrl-C may come right after it
        yield
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise


@contextmanager
def unchecked(db: sqlite3.Connection) -> Iterator[None]:
    """Let rows go without looking, for each of them, through all rows that may refer to it."""
    db.execute("PRAGMA foreign_keys = OFF")
    try:
        yield
    finally:
        db.execute("PRAGMA foreign_keys = ON")


def _execute_all(db: sqlite3.Connection, statements: str) -> None:
    for statement in statements.split(";"):
        db.execute(statement)


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
