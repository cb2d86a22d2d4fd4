"""Asking by batch files: what a run would ask goes into files, and answers come from files into the store."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from probsense.errors import InputError
from probsense.files import Place, read_jsonl, writing
from probsense.models.base import Batching, BatchLines, Model, Usage
from probsense.models.registry import fingerprint
from probsense.records import Failure, Json, Request, request_key
from probsense.run.dry_run import unanswered
from probsense.run.rounds import Answer
from probsense.run.store import Store
from probsense.tasks.base import Method, Task
from probsense.tasks.registry import load_task

MOST_LINES = 50_000
MOST_BYTES = 190 * 10**6
"""What batch endpoints take in one file (OpenAI: 50,000 requests and 200 MB)."""
CHUNK = 1000
"""Answers that are stored together."""
MISSING = Failure("not all of its lines came back", 1)


@dataclass(frozen=True, slots=True)
class Written:
    """What was written.

    Attributes
    ----------
    files : list of str
    requests, lines : int
        A request has a line for each option, or for each group of its texts.
    stored : int
        Requests that the store answers, and that are not in the files.
    """

    files: list[str]
    requests: int
    lines: int
    stored: int

    def to_json(self) -> dict[str, Json]:
        """As a JSON object."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Read:
    """What was read.

    Attributes
    ----------
    answers : int
        New ones.
    known : int
        Requests that the store could answer before.
    failures : dict of str to int
        How many requests failed, by the reason; the most frequent first.
    strangers : int
        Lines that no run of the model in the store asks for.
    """

    answers: int
    known: int
    failures: dict[str, int]
    strangers: int

    def to_json(self) -> dict[str, Json]:
        """As a JSON object."""
        return asdict(self)


def write_batch(
    asked: Sequence[tuple[Task, Method]], model: Model, out: Path, *, seed: int, store: Path | str
) -> Written:
    """Write what runs would ask now into batch files; the store gets to know the runs.

    All lines of a file go to one route, and no file has more than a batch endpoint takes; the second file is called
    like the first, with "-2" after its stem.

    Parameters
    ----------
    asked : sequence of (Task, Method)
        What asks, and how.
    model : Model
        One that satisfies :class:`~probsense.models.base.Batching`.
    out : Path
        The first file.
    seed : int
        As for :func:`~probsense.run.evaluate.evaluate`.
    store : Path or str
        What it answers is not asked.

    Raises
    ------
    InputError
        For a model that is not behind an API or asks for tokens by their ids, a foreign file as store.
    """
    format, key = _format(model), fingerprint(model)
    wanted, stored = dict[str, Request](), 0
    with Store.open(store) as opened:
        for task, method in asked:
            items = task.items()
            opened.start_run(task, items, method, seed, model)
            book, unknown = unanswered(task, items, method, opened, key)
            wanted |= unknown
            stored += len(book)
        failures = opened.failures(key, list(wanted))
    asking = (
        format.ask(name, request, failures.get(name))
        for name, request in sorted(wanted.items(), key=lambda pair: pair[1].kind)
    )
    files: list[str] = []
    count = 0
    for lines in _by_file(asking):
        path = out.with_stem(f"{out.stem}-{len(files) + 1}") if files else out
        with writing(path) as stream:
            stream.writelines(lines)
        files.append(str(path))
        count += len(lines)
    return Written(files, len(wanted), count, stored)


def read_batch(paths: Sequence[Path], model: Model, *, store: Path | str) -> Read:
    """Read what a batch endpoint gave back into the store.

    The lines may stand in any order and in several files, those of errors among them. What the store can answer stays
    as it is, so a file may be read twice.

    Parameters
    ----------
    paths : sequence of Path
    model : Model
        The one for which the files were written.
    store : Path or str
        The one with which they were written.

    Raises
    ------
    InputError
        For a malformed line (nothing is stored then), or a model or store that has nothing to do with the files.
    """
    format, model_key = _format(model), fingerprint(model)
    came = Counter(name for name, _, _ in _lines(paths, format))
    with Store.open(store, create=False) as opened:
        asked = _asked(opened, model_key, came.keys())
        if not asked:
            raise InputError(
                f"no run of {model.name} in {store} asks for any of it",
                path=paths[0],
                expected="the model, its options and the store with which the batch was written",
            )
        known = opened.get(model_key, [*asked]).keys()
        requests = {name: request for name, (request, _) in asked.items() if name not in known}
        answers, failed = 0, Counter[str]()
        outcomes = _outcomes(paths, format, requests)
        while chunk := list(islice(outcomes, CHUNK)):
            good = [(name, one) for name, one, _ in chunk if not isinstance(one, Failure)]
            bad = {name: one for name, one, _ in chunk if isinstance(one, Failure)}
            before = opened.failures(model_key, [*bad])
            new = {name: one for name, one in bad.items() if before.get(name) != one}
            opened.put(model_key, good)
            opened.put_failures(model_key, new)
            used: dict[str, Usage] = {}
            for name, one, usage in chunk:
                if name in new or not isinstance(one, Failure):
                    run = asked[name][1]
                    used[run] = used.get(run, Usage()) + usage
            for run, usage in used.items():
                opened.add_usage(run, usage)
            answers += len(good)
            failed.update(one.reason for one in bad.values())
    strangers = sum(count for name, count in came.items() if name not in asked)
    return Read(answers, len(known), dict(failed.most_common()), strangers)


def _format(model: Model) -> BatchLines:
    """Return the format of the model's files, if batch files can be made for it."""
    if not isinstance(model, Batching):
        raise InputError(f"batch files for {model.name}", expected="a model behind an API, openai:MODEL")
    return model.batch_lines


def _by_file(asking: Iterable[Sequence[Mapping[str, Json]]]) -> Iterator[list[bytes]]:
    """The lines of each file: those of one request together."""
    lines: list[bytes] = []
    size, route = 0, None
    for request in asking:
        own = [json.dumps(line, ensure_ascii=False, allow_nan=False).encode() + b"\n" for line in request]
        length = sum(map(len, own))
        full = len(lines) + len(own) > MOST_LINES or size + length > MOST_BYTES
        if lines and (full or request[0]["url"] != route):
            yield lines
            lines, size = [], 0
        route = request[0]["url"]
        lines += own
        size += length
    if lines:
        yield lines


def _lines(paths: Sequence[Path], format: BatchLines) -> Iterator[tuple[str, int, Mapping[str, Any]]]:
    """Key of the request, number of the part, and the line itself."""
    for path in paths:
        for number, line in read_jsonl(path):
            part = format.part_of(line)
            if part is None:
                raise Place(path, number).wrong(
                    line.get("custom_id"), "custom_id", "one that probsense batch write made"
                )
            if not line.keys() & {"response", "error"}:
                raise Place(path, number).fault("a question", "what the batch endpoint gave back")
            yield *part, line


def _asked(store: Store, model: str, keys: AbstractSet[str]) -> dict[str, tuple[Request, str]]:
    """Those of the requests that runs of a model ask for, and by which run; the latest runs come first."""
    found: dict[str, tuple[Request, str]] = {}
    for run in reversed(store.runs()):
        if run.fingerprint != model or keys <= found.keys():
            continue
        task = load_task(run.task, **run.options)
        book, wanted = unanswered(task, store.items(run.id), run.method, store, model)
        for name, request in ({request_key(one): one for one in book} | wanted).items():
            if name in keys:
                found.setdefault(name, (request, run.id))
    return found


def _outcomes(
    paths: Sequence[Path], format: BatchLines, requests: Mapping[str, Request]
) -> Iterator[tuple[str, Answer, Usage]]:
    """Tell what became of each request that has a line: answers as they are whole, then failures."""
    parts: dict[str, dict[int, dict[str, Any]]] = {}
    failures: dict[str, Failure] = {}
    used: dict[str, Usage] = {}
    done: set[str] = set()
    for name, part, line in _lines(paths, format):
        if name not in requests or name in done:
            continue
        answer, cost = format.answer(line)
        failures.setdefault(name, MISSING)
        if isinstance(answer, Failure):
            failures[name] = answer
            continue
        used[name] = used.get(name, Usage()) + cost
        parts.setdefault(name, {})[part] = answer
        response = format.response(requests[name], parts[name])
        if response is None:
            continue
        del parts[name]
        if isinstance(response, Failure):
            failures[name] = response
        else:
            done.add(name)
            yield name, response, used.pop(name)
    for name, failure in failures.items():
        if name not in done:
            yield name, failure, used.get(name, Usage())
