"""Keeps what finished runs amount to in their store, under a key of everything that it depends on."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from probsense.core.records import Json, digest
from probsense.runs.store.store import RunRecord, Store
from probsense.tasks.results import Results


def kept_results(store: Store, record: RunRecord, task: object) -> tuple[Results | None, bool]:
    """Return the results that a store keeps of a run.

    Parameters
    ----------
    store : Store
    record : RunRecord
    task : class
        The class of the task, whose code the results depend on.

    Returns
    -------
    Results or None
        None if there are none, or if anything changed that they depend on.
    bool
        Whether something changed.
    """
    key, body = store.results(record.id)
    if not key:
        return None, False
    if key != _key(store, record, task):
        return None, True
    return Results.from_json(json.loads(body)), False


def keep_results(path: Path, record: RunRecord, task: object, results: Results) -> None:
    """Keep the results of a finished run.

    Parameters
    ----------
    path : Path
        The store.
    record : RunRecord
    task : class
        As for :func:`kept_results`.
    results : Results
        Under the name that the model has in the store.
    """
    with Store.open(path, create=False) as store:
        store.keep_results(
            record.id, _key(store, record, task), json.dumps(results.to_json(), allow_nan=False)
        )


def say_changed(record: RunRecord) -> None:
    """Tell the user that a run is measured anew."""
    said = f"{record.task}, {record.model}: measured anew, since its files or the program changed"
    print(said, file=sys.stderr)


def _key(store: Store, record: RunRecord, task: object) -> str:
    """Return a digest of all that results depend on; the id stands for questions and answers."""
    findings = [asdict(finding) for finding in store.findings(record.id)]
    files = dict(_files(record.options))
    code = _code(str(getattr(task, "__module__", "")))
    return digest(
        [record.id, record.version, version("probsense"), record.usage.truncated, findings, files, code]
    )


def _files(options: Mapping[str, Json]) -> Iterator[tuple[str, Any]]:
    """Yield the files that options name, with their hashes, and the folders with what lies in them."""
    for value in options.values():
        for word in value if isinstance(value, list) else [value]:
            if not isinstance(word, str) or not word or "\0" in word or len(word) > 4000:
                continue
            path = Path(word)
            if path.is_file():
                with path.open("rb") as stream:
                    yield word, hashlib.file_digest(stream, "sha256").hexdigest()
            elif path.is_dir():
                inside = [(p, p.stat()) for p in sorted(path.rglob("*")) if p.is_file()]
                yield word, [[p.as_posix(), stat.st_size, stat.st_mtime_ns] for p, stat in inside]


@cache
def _code(module: str) -> str:
    """Return a hash of the code and the words of a task, so that whoever changes it sees what comes out now."""
    folder = Path(str(sys.modules[module].__file__)).parent
    whole = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.suffix in (".py", ".toml"):
            whole.update(path.read_bytes())
    return whole.hexdigest()
