"""SQLite files of a kind: made, and refused where they are something else."""

import sqlite3
from contextlib import closing

import pytest

from probsense.core.errors import InputError, ProbSenseError
from probsense.core.files.sqlite import Kind, transaction

OLD = Kind("a list", 7, 1, "CREATE TABLE words (word TEXT)")
NEW = Kind("a list", 7, 2, "CREATE TABLE words (word TEXT, count INTEGER)")


def test_a_file_keeps_its_rows_and_one_of_another_schema_is_refused(tmp_path):
    path = tmp_path / "words.db"
    path.touch()
    for number in (1, 2):
        with closing(OLD.connect(path)) as db:
            db.execute("INSERT INTO words VALUES ('a')")
            assert db.execute("SELECT count(*) FROM words").fetchone() == (number,)
            assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    with pytest.raises(InputError, match=r"a list of schema 1; this version of ProbSense reads schema 2"):
        NEW.connect(path)
    with closing(OLD.connect(path)) as db:
        assert db.execute("SELECT count(*) FROM words").fetchone() == (2,)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"hello\n" * 1000, "not an SQLite file"),
        (b"SQLite format 3\0", "cannot be used as a list"),
        (b"SQLite format 3\0" + b"\xff" * 5000, "cannot be used as a list"),
        ("PRAGMA user_version = 1", "a database of another program"),
        ("CREATE TABLE a (b); PRAGMA application_id = 8", "a database of another program .expected a list"),
    ],
)
def test_other_files_are_refused_and_stay_as_they_are(tmp_path, content, message):
    path = tmp_path / "other"
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        with closing(sqlite3.connect(path)) as db:
            db.executescript(content)
    before = path.read_bytes()
    with pytest.raises(InputError, match=f"other: {message}"):
        NEW.connect(path)
    assert path.read_bytes() == before


def test_a_transaction_is_all_or_nothing(tmp_path):
    path = tmp_path / "words.db"
    with closing(NEW.connect(path)) as db:
        db.execute("CREATE UNIQUE INDEX once ON words (word)")
        with pytest.raises(sqlite3.IntegrityError), transaction(db):
            db.executemany("INSERT INTO words VALUES (?, 1)", [("a",), ("b",), ("a",)])
        assert db.execute("SELECT count(*) FROM words").fetchone() == (0,)
        with pytest.raises(ProbSenseError, match=r"words.db: no such table: none"), NEW.plain_errors(path):
            db.execute("SELECT * FROM none")


def test_an_interrupt_right_after_the_beginning_leaves_nothing_open():
    class Interrupted(sqlite3.Connection):
        def execute(self, words, *given):
            super().execute(words, *given)
            if words.startswith("BEGIN"):
                raise KeyboardInterrupt

    with closing(sqlite3.connect(":memory:", isolation_level=None, factory=Interrupted)) as db:
        with pytest.raises(KeyboardInterrupt), transaction(db):
            raise AssertionError
        assert not db.in_transaction
