"""Keeps what finished runs amount to in their store, under a key of everything that it depends on."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable
from dataclasses import asdict
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from probsense.core.files import file_hash
from probsense.core.records import Json, digest
from probsense.runs.store.rows import RunRecord
from probsense.runs.store.store import Store

if TYPE_CHECKING:
    from probsense.tasks.results import Results


def kept_results(
    path: Path,
    record: RunRecord,
    module: str,
    measure: Callable[[], Results],
    suits: Callable[[Results], bool],
) -> Results:
    """Return the results that a store keeps of a finished run; measure it, and keep them, if it has none that count.

    Parameters
    ----------
    path : Path
        The store.
    record : RunRecord
        With the name that the model has in the store.
    module : str
        The module of the task, whose code the results depend on. Where it stands in no file, it may change unseen, and
        nothing is kept.
    measure : callable
    suits : callable
        Tells whether kept results will do.
    """
    from probsense.tasks.results import Results

    with Store.open(path, create=False) as store:
        key, (known, body) = results_key(store, record, module), store.results(record.id)
    if known:
        try:
            kept = Results.from_json(json.loads(body)) if known == key else None
        except Exception:  # whatever a damaged row does to JSON, base 64 or Arrow: it is measured anew
            kept = None
        if kept is not None and suits(kept):
            return kept
        if kept is None:
            said = f"{record.task}, {record.model}: measured anew, since its files or the program changed"
            print(said, file=sys.stderr)
    found = measure()
    if key:
        with Store.open(path, create=False) as store:
            store.keep_results(record.id, key, json.dumps(found.to_json(), allow_nan=False))
    return found


def results_key(store: Store, record: RunRecord, module: str) -> str:
    """Return a digest of all that results depend on; the id stands for questions and answers.

    It is "" for a task that stands in no file, such as one of a notebook.
    """
    if not (code := _code(module)):
        return ""
    findings = [asdict(finding) for finding in store.findings(record.id)]
    files = {word: _state(path) for word in record.files if (path := Path(word)).exists()}
    return digest([record.id, record.version, _version(), record.usage.truncated, findings, files, code])


@cache
def _version() -> str:
    return version("probsense")


def _state(path: Path) -> Json:
    """Return the hash of a file, or the names, sizes and times of all files in a folder, which may be large."""
    if path.is_file():
        return file_hash(path)
    inside = [(p, p.stat()) for p in sorted(path.rglob("*")) if p.is_file()]
    return [[p.as_posix(), stat.st_size, stat.st_mtime_ns] for p, stat in inside]


@cache
def _code(module: str) -> str:
    """Hash the code and the words of a task: all files of its folder, or its one file if no package holds it."""
    loaded = sys.modules.get(module)
    origin = loaded.__dict__.get("__file__") if loaded else getattr(find_spec(module), "origin", None)
    if origin is None:
        return ""
    path = Path(origin)
    whole = hashlib.sha256()
    for one in sorted(path.parent.rglob("*")) if "." in module else [path]:
        if one.suffix in (".py", ".toml"):
            whole.update(one.read_bytes())
    return whole.hexdigest()
