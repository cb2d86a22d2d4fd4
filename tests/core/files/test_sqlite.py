"""SQLite files of a kind: made, and refused where they are something else."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from probsense.core.errors import InputError, ProbSenseError
from probsense.core.files.sqlite import Kind, transaction

OLD = Kind("a list", 7, 1, "CREATE TABLE words (word TEXT)")
NEW = Kind("a list", 7, 2, "CREATE TABLE words (word TEXT, count INTEGER)")
OTHER = Kind("a shelf", 8, 1, "CREATE TABLE books (title TEXT)")


def test_a_file_keeps_its_rows_and_one_of_another_schema_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "new" / "words.db"
    for number in (1, 2):
        with closing(OLD.connect(path)) as db:
            db.execute("INSERT INTO words VALUES ('a')")
            assert db.execute("SELECT count(*) FROM words").fetchone() == (number,)
            assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    with pytest.raises(InputError, match=r"a list of schema 1; this version of ProbSense reads schema 2"):
        NEW.connect(path)
    with closing(OLD.connect(path)) as db:
        assert db.execute("SELECT count(*) FROM words").fetchone() == (2,)


def test_other_files_are_refused_and_stay_as_they_are(tmp_path: Path) -> None:
    shelf, text, foreign = (tmp_path / name for name in ("shelf.db", "text.db", "foreign.db"))
    OTHER.connect(shelf).close()
    text.write_text("words")
    with closing(sqlite3.connect(foreign)) as db:
        db.execute("CREATE TABLE words (word TEXT)")
    before = [path.read_bytes() for path in (shelf, text, foreign)]
    with pytest.raises(
        InputError, match=r"shelf.db: a database of another program \(expected a list of ProbSense\)"
    ):
        NEW.connect(shelf)
    with pytest.raises(InputError, match=r"text\.db: not an SQLite file"):
        NEW.connect(text)
    with pytest.raises(InputError, match=r"foreign\.db: a database of another program"):
        NEW.connect(foreign)
    assert [path.read_bytes() for path in (shelf, text, foreign)] == before


def test_a_transaction_is_all_or_nothing(tmp_path: Path) -> None:
    path = tmp_path / "words.db"
    with closing(NEW.connect(path)) as db:
        db.execute("CREATE UNIQUE INDEX once ON words (word)")
        with pytest.raises(sqlite3.IntegrityError), transaction(db):
            db.executemany("INSERT INTO words VALUES (?, 1)", [("a",), ("b",), ("a",)])
        assert db.execute("SELECT count(*) FROM words").fetchone() == (0,)
        with pytest.raises(ProbSenseError, match=r"words.db: no such table: none"), NEW.plain_errors(path):
            db.execute("SELECT * FROM none")
