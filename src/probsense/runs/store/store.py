"""Keeps every answer as it arrives, and what each run asked, in one SQLite file.

The store only adds answers, and the first answer to a request stays, until a user removes the run. It keeps failures,
too, which say why a request has no answer yet. A process that is killed loses at most the batch that it was writing.
Several processes may use one store at the same time.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import astuple
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from platform import python_version
from secrets import token_hex
from types import MappingProxyType
from typing import Any, Self

from probsense.core.errors import InputError
from probsense.core.files.read import named_files
from probsense.core.files.sqlite import transaction, unchecked
from probsense.core.options import paths_among
from probsense.core.records import (
    Failure,
    Item,
    Json,
    Response,
    canonical_json,
    digest,
    digest_of_texts,
    response_to_json,
)
from probsense.models.base import Finding, Model, Usage
from probsense.models.registry import fingerprint
from probsense.runs.store.database import STORE, USED, open_file
from probsense.runs.store.rows import (
    FAILURE,
    FINDING,
    ITEM,
    ITEMS,
    MODEL,
    RESPONSE,
    ROWS,
    RUN,
    Answer,
    Row,
    RunRecord,
)
from probsense.tasks.base import Method, Task

CHUNK = 1000
PROCESS = token_hex(8)
"""Tells what this process has spent from what others have."""
ADD_USAGE = (
    f"INSERT INTO usage VALUES (?, ?{', ?' * len(USED)})"
    f" ON CONFLICT DO UPDATE SET {', '.join(f'{name} = {name} + excluded.{name}' for name in USED)}"
)

SELECT_RUNS = (
    f"SELECT {RUN.select}, {MODEL.select}, {', '.join(f'coalesce(sum({name}), 0)' for name in USED)}"
    " FROM runs LEFT JOIN models USING (fingerprint) LEFT JOIN usage ON usage.run = id"
    " GROUP BY id ORDER BY runs.rowid"
)


class Store:
    """Keep answers and runs; use :meth:`open`, as a context manager."""

    def __init__(self, connection: sqlite3.Connection, path: Path | None) -> None:
        self.path = path
        # Each file has a count of its own, so that files may be merged at any time.
        self._session = f"{PROCESS} {token_hex(4)}"
        self._db = connection
        self._lock = threading.Lock()

    @classmethod
    def open(cls, path: Path | str | None, *, create: bool = True) -> Self:
        """Open a store, as :func:`~probsense.runs.store.database.open_file` opens its file."""
        path = None if path is None else Path(path)
        return cls(open_file(path, create=create), path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        with self._lock, STORE.plain_errors(self.path):
            self._db.close()

    def put(
        self,
        model: str,
        outcomes: Sequence[tuple[str, Answer]],
        spent: Mapping[str, Usage] = MappingProxyType({}),
    ) -> dict[str, Answer]:
        """Store answers of a model, why other requests have none, and what all that took: everything or nothing.

        Parameters
        ----------
        model : str
            Fingerprint of a model that has a run in this store.
        outcomes : sequence of (key of the request, response or failure)
            Failures of requests that have an answer by now are left out.
        spent : Mapping of str to Usage, optional
            What the answers took, to be added to that of runs, by their ids.

        Returns
        -------
        dict of str to Answer
            What the store now has of all these requests; if another process was faster, these are its answers.

        Raises
        ------
        ValueError
            For an answer with a number that is not finite, or a text that is not Unicode.
        """
        failures = {key: one for key, one in outcomes if isinstance(one, Failure)}
        answers = {key: one for key, one in outcomes if not isinstance(one, Failure)}
        rows = [(model, key, one.kind, response_to_json(one)) for key, one in answers.items()]
        known = self.get(model, [*failures]) if failures else {}
        failed = [
            (model, key, failure.reason.encode(errors="replace").decode(), failure.tries, _now())
            for key, failure in failures.items()
            if key not in known
        ]
        with self._writing() as db:
            before = db.total_changes
            db.executemany("INSERT OR IGNORE INTO responses VALUES (?, ?, ?, ?)", rows)
            kept = db.total_changes - before
            db.executemany("INSERT INTO failures VALUES (?, ?, ?, ?, ?)", failed)
            used = {run: usage for run, usage in spent.items() if usage != Usage()}
            db.executemany(ADD_USAGE, [(run, self._session, *astuple(usage)) for run, usage in used.items()])
        if kept < len(rows):  # Another process was faster.
            answers = self.get(model, [*answers])
        return {**failures, **known, **answers}

    def get(self, model: str, keys: Sequence[str]) -> dict[str, Response]:
        """Return the stored answers of a model, by the keys of the requests that have one.

        Parameters
        ----------
        model : str
            Its fingerprint.
        keys : sequence of str
            Keys of requests.
        """
        rows = self._rows_of(RESPONSE, model, keys)
        return {row[0]: RESPONSE.read(self.path, *row) for row in rows}

    def failures(self, model: str, keys: Sequence[str]) -> dict[str, Failure]:
        """Return the last failure of each request that failed, whether or not it has an answer by now.

        Parameters
        ----------
        model, keys
            As for :meth:`get`.
        """
        rows = self._rows_of(FAILURE, model, keys)
        return {row[0]: FAILURE.read(self.path, *row) for row in rows}

    def start_run(
        self,
        task: Task,
        items: Sequence[Item],
        method: Method,
        seed: int,
        model: Model,
        name: str | None = None,
        further: Mapping[str, Json] = MappingProxyType({}),
        findings: Sequence[Finding] = (),
    ) -> RunRecord:
        """Record what a run is going to ask; a run that exists stays as it is, but for a new name.

        If the model was examined, the findings are recorded, too, each time.

        Parameters
        ----------
        task : Task
        items : sequence of Item
            The task's items, in order.
        method : Method
        seed : int
        model : Model
        name : str, optional
            The run's name from now on; without one, it keeps the name that it has.
        further : Mapping of str to JSON
            Options of :data:`OF_RUN`.
        findings : sequence of Finding, optional
            What an examination found.

        Raises
        ------
        InputError
            If another run of the task and method has that name.
        """
        model_key = fingerprint(model)
        options = {**task.options, **further}
        texts = [
            canonical_json({"id": i.id, "cluster": i.cluster, "gold": i.gold, "data": dict(i.data)})
            for i in items
        ]
        rows = [(digest_of_texts([text]), text) for text in texts]
        order = digest([key for key, _ in rows])
        run = digest([task.name, task.version, options, method, seed, model_key, order])
        facts = (model.name, canonical_json(dict(model.details)), model.capabilities.by_item)
        begun = self._rows("SELECT 1 FROM runs WHERE id = ?", run)
        files = {} if begun else named_files(_paths(task, further))
        with self._writing() as db:
            db.execute("INSERT OR IGNORE INTO models VALUES (?, ?, ?, ?)", (model_key, *facts))
            row = (run, task.name, task.version, canonical_json(options), method, seed, model_key)
            state = (canonical_json(_versions()), _now(), canonical_json(files))
            marks = "?, ?, ?, ?, ?, ?, ?, ?, ?, NULL, NULL, ?"
            new = db.execute(f"INSERT OR IGNORE INTO runs VALUES ({marks})", row + state).rowcount
            if new:
                db.executemany("INSERT OR IGNORE INTO items VALUES (?, ?)", rows)
                places = [(run, place, key) for place, (key, _) in enumerate(rows)]
                db.executemany("INSERT INTO run_items VALUES (?, ?, ?)", places)
            if name is not None:
                self._give_name(db, run, name)
            _add_findings(db, run, findings)
        return self.run(run)

    def finish_run(self, run: str) -> RunRecord:
        """Record that every answer of a run has arrived, unless it is recorded."""
        with self._writing() as db:
            db.execute("UPDATE runs SET finished = ? WHERE id = ? AND finished IS NULL", (_now(), run))
        return self.run(run)

    def remove_run(self, run: RunRecord, keys: Iterable[str] = ()) -> int:
        """Remove a run with everything that only it has, and the answers and failures of some requests.

        Parameters
        ----------
        run : RunRecord
        keys : iterable of str
            Keys of requests that no other run needs.

        Returns
        -------
        int
            The number of answers that were removed.
        """
        chosen = [(run.fingerprint, key) for key in keys]
        with self._lock, STORE.plain_errors(self.path), unchecked(self._db), transaction(self._db):
            before = self._db.total_changes
            self._db.executemany("DELETE FROM responses WHERE fingerprint = ? AND key = ?", chosen)
            removed = self._db.total_changes - before
            self._db.executemany("DELETE FROM failures WHERE fingerprint = ? AND key = ?", chosen)
            # Items without a run may be those of a run that is about to start.
            self._db.execute(
                "DELETE FROM items WHERE digest IN (SELECT item FROM run_items WHERE run = ?1"
                " EXCEPT SELECT item FROM run_items WHERE run != ?1)",
                (run.id,),
            )
            for table in ("usage", "findings", "results", "run_items"):
                self._db.execute(f"DELETE FROM {table} WHERE run = ?", (run.id,))
            self._db.execute("DELETE FROM runs WHERE id = ?", (run.id,))
        return removed

    def runs(self) -> list[RunRecord]:
        """Return all runs whose rows can be read, in the order in which they first started."""
        return [found for _, found in self._records() if isinstance(found, RunRecord)]

    def damaged_runs(self) -> list[str]:
        """Say which runs cannot be read, and why."""
        return [str(found) for _, found in self._records() if isinstance(found, InputError)]

    def _records(self) -> Iterator[tuple[str, RunRecord | InputError]]:
        of_run, of_model = len(RUN.columns), len(RUN.columns) + len(MODEL.columns)
        for row in self._rows(SELECT_RUNS):
            try:
                model = MODEL.read(self.path, *row[of_run:of_model])
                facts = RUN.read(self.path, *row[:of_run]) | model
                yield row[0], RunRecord(**facts, usage=Usage(*row[of_model:]))
            except InputError as error:
                yield str(row[0]), error

    def check(self) -> Iterator[str]:
        """Read every row of the store, and say which cannot be read, and why."""
        for kind in ROWS:
            after = 0
            while rows := self._rows(
                f"SELECT rowid, {kind.select} FROM {kind.table} WHERE rowid > ? ORDER BY rowid LIMIT {CHUNK}",
                after,
            ):
                for _, *values in rows:
                    try:
                        kind.read(self.path, *values)
                    except InputError as error:
                        yield str(error)
                after = rows[-1][0]
        for run in self.runs():
            try:
                self.items(run)
            except InputError as error:
                yield str(error)

    def earlier_cost(self, run: str) -> float:
        """Return what other processes have spent on a run."""
        query = "SELECT coalesce(sum(cost), 0) FROM usage WHERE run = ? AND NOT instr(session, ?)"
        return float(self._rows(query, run, PROCESS)[0][0])

    def called(self, word: str) -> list[RunRecord]:
        """Return the runs that have a name, or else those whose ids begin with it, in their order.

        Parameters
        ----------
        word : str
            A name, which runs of several tasks and methods may share, or the beginning of an id.
        """
        runs = self.runs()
        named = [run for run in runs if run.name == word]
        return named or [run for run in runs if run.id.startswith(word)]

    def run(self, word: str) -> RunRecord:
        """Return the one run that has a name, or whose id begins with the word.

        Raises
        ------
        InputError
            If there is no such run, or several are.
        """
        found = self.called(word)
        for run, one in self._records() if not found else ():
            if isinstance(one, InputError) and run.startswith(word):
                raise one
        if len(found) != 1:
            said = f"{len(found) or 'no'} runs have the name or an id like {word!r}"
            raise InputError(said, path=self.path, expected="the id of one; 'probsense runs' lists them")
        return found[0]

    def items(self, run: RunRecord) -> list[Item]:
        """Return the items of a run, in order.

        Raises
        ------
        InputError
            If they are damaged, or are not those with which the run has its id.
        """
        rows = self._rows(
            f"SELECT {ITEM.select} FROM run_items JOIN items ON item = digest WHERE run = ? ORDER BY position",
            run.id,
        )
        found = [ITEM.read(self.path, *row) for row in rows]
        order = digest([key for key, _ in rows])
        asked = [run.task, run.version, run.options, run.method, run.seed, run.fingerprint, order]
        if digest(asked) != run.id:
            raise RUN.damaged(self.path, run.id, "it is not what was asked under its id")
        return found

    def count_items(self, run: str) -> int:
        """Return the number of items of a run."""
        ((number,),) = self._rows("SELECT count(*) FROM run_items WHERE run = ?", run)
        return int(number)

    def keep_results(self, run: str, key: str, body: str) -> None:
        """Keep what a run amounts to, in place of what was kept before.

        Parameters
        ----------
        run : str
            Its id.
        key : str
            Digest of everything that the results depend on.
        body : str
            JSON.
        """
        with self._writing() as db:
            db.execute("INSERT OR REPLACE INTO results (run, key, body) VALUES (?, ?, ?)", (run, key, body))

    def results(self, run: str) -> tuple[str, str]:
        """Return the key and the body of the results that are kept of a run; both "" if there are none."""
        found = self._rows("SELECT key, body FROM results WHERE run = ?", run)
        return found[0] if found else ("", "")

    def findings(self, run: str) -> list[Finding]:
        """Return the findings of the last examination of a run's model; none if it was not examined."""
        return self._findings(
            "run = ? AND examination = (SELECT max(examination) FROM findings WHERE run = ?)", run, run
        )

    def all_findings(self, name: str) -> list[Finding]:
        """Return the findings of a name, of all examinations of the models of all runs, in the order of time."""
        return self._findings("name = ?", name)

    def _findings(self, where: str, *values: str) -> list[Finding]:
        rows = self._rows(f"SELECT {FINDING.select} FROM findings WHERE {where} ORDER BY rowid", *values)
        return [FINDING.read(self.path, *row) for row in rows]

    def _give_name(self, db: sqlite3.Connection, run: str, name: str) -> None:
        try:
            db.execute("UPDATE runs SET name = ? WHERE id = ?", (name, run))
        except sqlite3.IntegrityError:
            said = f"another run of the same task and method is called {name!r} already"
            raise InputError(said, path=self.path, expected="another name") from None

    def _rows_of(self, kind: Row[Any], model: str, keys: Sequence[str]) -> Iterator[Any]:
        """Yield the rows of a table with requests to models that have the keys, in the order in which they came."""
        for start in range(0, len(keys), CHUNK):
            chunk = keys[start : start + CHUNK]
            marks = ",".join("?" * len(chunk))
            where = f"WHERE fingerprint = ? AND key IN ({marks}) ORDER BY rowid"
            yield from self._rows(f"SELECT {kind.select} FROM {kind.table} {where}", model, *chunk)

    def _rows(self, query: str, *values: str | int) -> list[Any]:
        with self._lock, STORE.plain_errors(self.path):
            return self._db.execute(query, values).fetchall()

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._lock, STORE.plain_errors(self.path), transaction(self._db):
            yield self._db


def _add_findings(db: sqlite3.Connection, run: str, findings: Sequence[Finding]) -> None:
    (examination,) = db.execute(
        "SELECT coalesce(max(examination), 0) + 1 FROM findings WHERE run = ?", (run,)
    ).fetchone()
    rows = [
        (run, _now(), examination, found.name, found.ok, found.detail, canonical_json(dict(found.data)))
        for found in findings
    ]
    db.executemany("INSERT INTO findings VALUES (?, ?, ?, ?, ?, ?, ?)", rows)


def _versions() -> dict[str, str]:
    return {"python": python_version()} | {name: version(name) for name in ("probsense", "numpy", "polars")}


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _paths(task: Task, further: Mapping[str, Json]) -> dict[str, Json]:
    """Return the options of a run that are paths; items are the path of a list, or the ids themselves."""
    listed = {name: value for name, value in further.items() if name == ITEMS and isinstance(value, str)}
    return paths_among(type(task), task.options) | listed | getattr(task.conditions, "files", {})
