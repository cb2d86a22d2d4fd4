"""The file of a study's answers: answers are added and never changed, and each request is one transaction."""

from __future__ import annotations

import json
import os
import secrets
import sqlite3
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import Any, Final, Literal, Self, TypeAlias

from probsense.core.errors import InputError
from probsense.core.files.sqlite import BUSY_SECONDS, Kind, transaction
from probsense.core.records import canonical_json
from probsense.studies.collect.forms import Values
from probsense.studies.collect.participants import End, Forgotten, Given, Person, stored_id
from probsense.studies.collect.study import Study, study_from_json

TABLES: Final = """
CREATE TABLE studies (
    id INTEGER PRIMARY KEY, at INTEGER NOT NULL, identity TEXT NOT NULL, key BLOB NOT NULL, body TEXT NOT NULL
);
CREATE TABLE people (
    person INTEGER PRIMARY KEY, token TEXT NOT NULL UNIQUE, participant TEXT UNIQUE, study TEXT NOT NULL,
    session TEXT NOT NULL, at INTEGER NOT NULL, seen INTEGER NOT NULL, keys TEXT NOT NULL, end TEXT, ended_at INTEGER
);
CREATE TABLE shown (
    person INTEGER NOT NULL REFERENCES people, page TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (person, page)
) WITHOUT ROWID;
CREATE TABLE answers (
    id INTEGER PRIMARY KEY, person INTEGER NOT NULL REFERENCES people, page TEXT NOT NULL, body TEXT NOT NULL,
    ms INTEGER, at INTEGER NOT NULL
);
CREATE INDEX answers_of ON answers (person, page);
CREATE TABLE pauses (id INTEGER PRIMARY KEY, paused INTEGER NOT NULL, at INTEGER NOT NULL);
CREATE TABLE forgotten (person INTEGER PRIMARY KEY, at INTEGER NOT NULL);
"""

ANSWERS: Final = Kind("a file of people's answers", 0x50525350, 2, TABLES)

TRIES: Final = 10
"""How often to try to remove the last traces of a person from a file that others use."""
SEEN_AGAIN: Final = 20_000
"""Milliseconds after which a participant who looks at a page is noted as active again."""

Draw: TypeAlias = Callable[[Mapping[str, int], int], Sequence[str]]
"""Chooses keys for a person, given how many people have each question, and the person's number."""


class Storage:
    """A file of people's answers to one study.

    All that a server knows is in this file, so a server that was killed goes on where it was. Answers, pages shown and
    ends are only ever added: of several answers to a page, the last one counts. Other processes may read at any time.
    What a method wrote survives a killed process; :meth:`sync` makes it survive a lost machine.
    """

    def __init__(self, db: sqlite3.Connection, path: Path | None) -> None:
        self._db, self.path = db, path
        self._log = Path(f"{path}-wal")
        db.row_factory = sqlite3.Row

    @classmethod
    def open(cls, path: Path | None) -> Self:
        """Open a file, or make it, for its owner alone; None stands for one in memory."""
        if path and not path.exists():
            with ANSWERS.plain_errors(path):
                path.parent.mkdir(parents=True, exist_ok=True)
                path.touch(mode=0o600)
        return cls(ANSWERS.connect(path), path)

    @classmethod
    def open_known(cls, path: Path) -> Self:
        """Open a file that is there, and has a study.

        Raises
        ------
        InputError
            For a file that is not there, of another kind, or empty.
        """
        if not path.is_file():
            raise InputError("no such file", path=path, expected="a file of probsense collect")
        found = cls.open(path)
        if not found._studies():
            found.close()
            raise InputError("holds no study", path=path, expected="a file of probsense collect")
        return found

    def again(self) -> Self:
        """Open the file once more, for another thread to read."""
        return type(self).open(self.path)

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def reading(self) -> AbstractContextManager[None]:
        """Let all that is read in a block fit together, whatever others write meanwhile."""
        return transaction(self._db, "BEGIN")

    def wait_at_most(self, seconds: float) -> None:
        """Wait no longer than this for others who write; after that, fail."""
        self._db.execute(f"PRAGMA busy_timeout = {round(seconds * 1000)}")

    def sync(self) -> None:
        """Wait until all that was written so far is on the disk, where it survives a power cut.

        Any thread may call this; several that wait at once share the disk's work.
        """
        # Without a log nothing was written, or the disk knows no logs and SQLite has waited for it.
        with ANSWERS.plain_errors(self.path), suppress(FileNotFoundError), self._log.open("rb") as log:
            os.fsync(log.fileno())

    def begin(self, study: Study, now: int) -> None:
        """Note the study that is asked from now on.

        Raises
        ------
        InputError
            If the file holds answers to another study.
        """
        body = canonical_json(study.to_json())
        with self._writing():
            known = self._studies()
            if known and known[-1]["identity"] != study.identity:
                changed = study.departures(json.loads(known[-1]["body"]))
                raise InputError(
                    f"holds the answers to another study, or to this one before it changed in {', '.join(changed)}",
                    path=self.path,
                    expected="a new file (--db FILE), or the study as it was",
                )
            if not known or known[-1]["body"] != body:
                key = known[-1]["key"] if known else secrets.token_bytes(32)
                self._db.execute(
                    "INSERT INTO studies (at, identity, key, body) VALUES (?, ?, ?, ?)",
                    (now, study.identity, key, body),
                )

    def study(self) -> Study:
        """Return the study as it was last asked."""
        return study_from_json(json.loads(self._studies()[-1]["body"]))

    @cached_property
    def key(self) -> bytes:
        """The secret of this file, which signs forms and salts ids."""
        return bytes(self._studies()[-1]["key"])

    def loads(self, now: int, abandon_after: float) -> dict[str, int]:
        """Count the people of each question: those who finished, and those who are at it.

        Parameters
        ----------
        now : int
            Milliseconds since 1970.
        abandon_after : float
            Minutes without activity after which a person counts no more.
        """
        rows = self._db.execute(
            "SELECT keys FROM people WHERE end = 'completion' OR (end IS NULL AND seen >= ?)",
            (now - abandon_after * 60_000,),
        )
        return Counter(key for row in rows for key in json.loads(row["keys"]))

    def find(
        self, value: int | str, column: Literal["token", "person", "participant"] = "token"
    ) -> Person | None:
        """Find the person of a token, a number ("person") or an id from the address ("participant")."""
        row = self._first(f"SELECT * FROM people WHERE {column} = ?", value)
        return None if row is None else _person(row)

    def find_anybody(self, who: str | int) -> tuple[int, str]:
        """Find a person by the id from the address or by number.

        Parameters
        ----------
        who : str or int
            An id, hashed or not where the study hashes ids; or the number of a person, also of one that was forgotten.

        Returns
        -------
        (int, str)
            The person's number, and what is known of them, as a phrase.

        Raises
        ------
        InputError
            If there is nobody.
        """
        if isinstance(who, int):
            if self.is_forgotten(who):
                return who, f"what is left of person {who}"
            person, called = self.find(who, "person"), f"the number {who}"
        else:
            key = self.key if self.study().hash_ids else None
            person = self.find(stored_id(who, key), "participant") or self.find(who, "participant")
            called = f"the id {who!r}"
        if person is None:
            raise InputError(
                f"there is nobody with {called}",
                path=self.path,
                expected="an id or a number as in participants.csv; --person if they are removed but left traces",
            )
        pages = len(self.answers_of(person.number))
        return person.number, f"person {person.number} with the answers to {pages:,} pages"

    def start(
        self, token: str, ids: tuple[str, str, str], draw: Draw, now: int, abandon_after: float
    ) -> Person | None:
        """Add a person with their questions, all at once; return the person who has the token or the id already.

        Parameters
        ----------
        token : str
        ids : (str, str, str)
            Of participant, study and session.
        draw : callable
        now : int
        abandon_after : float

        Returns
        -------
        Person or None
            None if ``draw`` chooses nothing: there are no places left.
        """
        with self._writing():
            if known := self.find(token) or self.find(ids[0], "participant"):
                return known
            [last] = self._first(
                "SELECT coalesce(max(person), 0) FROM (SELECT person FROM people UNION SELECT person FROM forgotten)"
            )
            number = 1 + last
            keys = draw(self.loads(now, abandon_after), number)
            if not keys:
                return None
            self._db.execute(
                "INSERT INTO people VALUES (?, ?, ?, ?, ?, ?, ?, ?, NULL, NULL)",
                (number, token, ids[0] or None, *ids[1:], now, now, json.dumps(keys)),
            )
        return self.find(token)

    def note_shown(self, person: Person, page: str, now: int) -> None:
        """Note that a page was shown; the first time counts."""
        known = self._first("SELECT 1 FROM shown WHERE person = ? AND page = ?", person.number, page)
        if person.end is None and (known is None or now - person.seen > SEEN_AGAIN):
            with self._writing():
                self._db.execute("INSERT OR IGNORE INTO shown VALUES (?, ?, ?)", (person.number, page, now))
                self._note_seen(person.number, now)

    def answers_of(self, person: int) -> dict[str, Values]:
        """Return the last answers of a person, by page."""
        rows = self._db.execute("SELECT page, body FROM answers WHERE person = ? ORDER BY id", (person,))
        return {page: json.loads(body) for page, body in rows}

    def add_answer(self, person: int, page: str, values: Values, now: int) -> None:
        """Add the answer to a page, unless it is the last one already or the person's way has ended."""
        body = canonical_json(dict(values))
        with self._writing():
            if self._first("SELECT 1 FROM people WHERE person = ? AND end IS NOT NULL", person):
                return
            last = self._first(
                "SELECT body FROM answers WHERE person = ? AND page = ? ORDER BY id DESC LIMIT 1",
                person,
                page,
            )
            if last is None or last["body"] != body:
                self._db.execute(
                    # Unknown where the clock was set back in between.
                    "INSERT INTO answers (person, page, body, ms, at) VALUES (?1, ?2, ?3,"
                    " (SELECT ?4 - at FROM shown WHERE person = ?1 AND page = ?2 AND at <= ?4), ?4)",
                    (person, page, body, now),
                )
            self._note_seen(person, now)

    def end(self, person: int, name: End, now: int) -> None:
        """Note how a person's way ended; the first end stays."""
        with self._writing():
            self._db.execute(
                "UPDATE people SET end = ?, ended_at = ? WHERE person = ? AND end IS NULL",
                (name, now, person),
            )

    def pause(self, paused: bool, now: int) -> None:
        """Take in nobody new from now on, or people again."""
        with self._writing():
            self._db.execute("INSERT INTO pauses (paused, at) VALUES (?, ?)", (int(paused), now))

    @property
    def paused(self) -> bool:
        """Whether nobody new is taken in."""
        last = self._first("SELECT paused FROM pauses ORDER BY id DESC LIMIT 1")
        return last is not None and bool(last["paused"])

    def forget(self, person: int, now: int) -> Forgotten:
        """Remove a person with everything that is known of them, so that no trace of it is left in the file.

        The person's number alone is kept, so that nobody else gets it.

        Parameters
        ----------
        person : int
            May be one that was removed before, so that what failed can be done again.
        now : int

        Raises
        ------
        InputError
            If others use the file all the time, so that it cannot be written anew.
        """
        with self._writing():
            places = self._keys(person)
            self._db.execute("INSERT OR IGNORE INTO forgotten VALUES (?, ?)", (person, now))
            gone = {
                table: self._db.execute(f"DELETE FROM {table} WHERE person = ?", (person,)).rowcount
                for table in ("answers", "shown", "people")
            }
        # What was removed is still in free pages, in gaps of pages that were split long ago, and in the log.
        if not self._written_anew():
            raise InputError(
                f"person {person} is removed, but the file is in use and keeps traces",
                path=self.path,
                expected=f"--person {person} once more, with the server stopped",
            )
        return Forgotten(person, gone["answers"], len(places))

    def _written_anew(self) -> bool:
        """Write the file anew; tell whether others let this happen. Each try holds them up for a moment only."""
        self.wait_at_most(0.2)
        try:
            for _ in range(TRIES):
                with suppress(sqlite3.OperationalError):
                    self._db.execute("VACUUM")
                    if not self._first("PRAGMA wal_checkpoint(TRUNCATE)")[0]:
                        return True
                time.sleep(1.0)
            return False
        finally:
            self.wait_at_most(BUSY_SECONDS)

    def is_forgotten(self, person: int) -> bool:
        """Tell whether a person was removed."""
        return self._first("SELECT 1 FROM forgotten WHERE person = ?", person) is not None

    def people(self) -> list[Person]:
        """List all people, in the order of arrival."""
        return [*map(_person, self._db.execute("SELECT * FROM people ORDER BY person"))]

    def all_answers(self) -> list[Given]:
        """List every version of every answer, in the order of arrival."""
        rows = self._db.execute("SELECT person, page, body, ms FROM answers ORDER BY id")
        return [Given(row["person"], row["page"], json.loads(row["body"]), row["ms"]) for row in rows]

    def _keys(self, person: int) -> tuple[str, ...]:
        found = self.find(person, "person")
        return found.keys if found else ()

    def _note_seen(self, person: int, now: int) -> None:
        self._db.execute("UPDATE people SET seen = max(seen, ?) WHERE person = ?", (now, person))

    def _studies(self) -> list[Any]:
        return self._db.execute("SELECT identity, key, body FROM studies ORDER BY id").fetchall()

    def _first(self, query: str, *values: int | str) -> Any:
        """Return the first row that a query finds; None without any."""
        return self._db.execute(query, values).fetchone()

    @contextmanager
    def _writing(self) -> Iterator[None]:
        with ANSWERS.plain_errors(self.path), transaction(self._db):
            yield


def _person(row: sqlite3.Row) -> Person:
    number, token, participant, study, session, at, seen, keys, end, ended_at = row
    asked = tuple(json.loads(keys))
    return Person(number, token, participant or "", study, session, at, seen, asked, end, ended_at)
