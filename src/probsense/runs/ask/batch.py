"""Asks by batch files: writes the requests of a run to files, and reads answers from files into the store."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from probsense.core.errors import InputError
from probsense.core.files import STDOUT, Place, read_jsonl, writing
from probsense.core.records import Failure, Json, PromptForm, Request
from probsense.models.base import Model, Usage, in_form
from probsense.models.registry import fingerprint
from probsense.runs.ask.plan import Plan
from probsense.runs.ask.rounds import Interview
from probsense.runs.store.rows import Answer, RunRecord
from probsense.runs.store.store import Store

if TYPE_CHECKING:
    from probsense.models.openai.exchange import OpenAIBatch

MOST_LINES = 50_000
MOST_BYTES = 190 * 10**6
"""Largest file that batch endpoints take (OpenAI: 50,000 requests and 200 MB)."""
CHUNK = 1000
"""Number of answers to store at a time."""
Outcome: TypeAlias = tuple[str, Answer, Usage]
"""The key of a request, its answer or why there is none, and what that took."""
FORMS: tuple[PromptForm, ...] = ("question", "completion")
MISSING = Failure("not all of its lines came back", 1)


@dataclass(frozen=True, slots=True)
class Written:
    """Hold what was written.

    Attributes
    ----------
    files : list of str
    requests, lines : int
        A request has a line for each option, or for each group of its texts.
    stored : int
        Requests that the store answers and the files leave out.
    """

    files: list[str]
    requests: int
    lines: int
    stored: int


@dataclass(frozen=True, slots=True)
class Read:
    """Hold what was read.

    Attributes
    ----------
    answers : int
        New answers.
    known : int
        Requests that the store could already answer.
    failures : dict of str to int
        Number of failed requests by reason, the most frequent first.
    strangers : int
        Lines that answer no request of the model's runs in the store.
    """

    answers: int
    known: int
    failures: dict[str, int]
    strangers: int


def write_batch(planned: Sequence[Plan], out: Path, *, seed: int, store: Path | str) -> Written:
    """Write the requests of runs to batch files, and record the runs in the store.

    All lines of a file go to one route, and no file is larger than a batch endpoint takes. The second file has the name
    of the first, with "-2" after its stem.

    Parameters
    ----------
    planned : sequence of Plan
        Each with a model behind an API.
    out : Path
        The first file.
    seed : int
        As for :func:`~probsense.runs.evaluate.evaluate`.
    store : Path or str
        Its answers are not asked for again.

    Raises
    ------
    InputError
        For a model that is not behind an API or asks for tokens by their ids, or a file that is not a store.
    """
    formats = [_format(one.model) for one in planned]  # before anything is written
    stored = 0
    wanted: dict[str, tuple[Request, OpenAIBatch, Failure | None]] = {}
    with Store.open(store) as opened:
        for one, format in zip(planned, formats, strict=True):
            interview = Interview.planned(one, opened)
            one.start(opened, seed)
            book, unknown = interview.unanswered(one.items)
            failures = opened.failures(interview.model, list(unknown))
            wanted |= {name: (request, format, failures.get(name)) for name, request in unknown.items()}
            stored += len(book)
    by_kind = sorted(wanted.items(), key=lambda pair: pair[1][0].kind)
    asking = (format.ask(name, request, failure) for name, (request, format, failure) in by_kind)
    files: list[str] = []
    count = 0
    for lines in _by_file(asking):
        if files and out == STDOUT:
            raise InputError("the requests fill several files", path=out, expected="the name of a file")
        path = out.with_stem(f"{out.stem}-{len(files) + 1}") if files else out
        with writing(path) as stream:
            stream.writelines(lines)
        files.append(str(path))
        count += len(lines)
    return Written(files, len(wanted), count, stored)


def read_batch(paths: Sequence[Path], model: Model, *, store: Path | str) -> Read:
    """Read the answers of a batch endpoint into the store.

    Lines may come in any order and in several files, those of errors among them. The store keeps the answers that it
    has, so reading a file twice does no harm.

    Parameters
    ----------
    paths : sequence of Path
    model : Model
        The model for which the files were written.
    store : Path or str
        The store with which they were written.

    Raises
    ------
    InputError
        For a malformed line (nothing is stored then), or a model or store that does not belong to the files.
    """
    came = Counter(name for name, _, _ in _lines(paths, _format(model)))
    models = {fingerprint(own): own for own in (in_form(model, form) for form in FORMS)}
    answers, failed = 0, Counter[str]()
    with Store.open(store, create=False) as opened:
        asked = _open_requests(opened, models.keys())
        stored = {key: opened.get(key, [*came]).keys() for key in models}
        known = {name for names in stored.values() for name in names}
        if not came.keys() & {*asked, *known}:
            raise InputError(
                f"no run of {model.name} in {store} asked for any of these answers",
                path=paths[0],
                expected="the model, its options and the store with which the batch was written",
            )
        for key, own in models.items():
            requests = {
                name: request
                for name, (request, run) in asked.items()
                if name in came and run.fingerprint == key
            }
            outcomes = _outcomes(paths, _format(own), requests) if requests else iter(())
            while chunk := list(islice(outcomes, CHUNK)):
                _keep(opened, key, chunk, {name: asked[name][1].id for name, _, _ in chunk})
                reasons = [one.reason for _, one, _ in chunk if isinstance(one, Failure)]
                answers += len(chunk) - len(reasons)
                failed.update(reasons)
    strangers = sum(came[name] for name in came.keys() - known - asked.keys())
    return Read(answers, len(known), dict(failed.most_common()), strangers)


def _keep(store: Store, model: str, chunk: Sequence[Outcome], runs: Mapping[str, str]) -> None:
    """Store what became of requests, and charge the runs that asked for it; a failure that is known costs nothing."""
    before = store.failures(model, [name for name, *_ in chunk])
    new = [(name, one, usage) for name, one, usage in chunk if before.get(name) != one]
    used: dict[str, Usage] = {}
    for name, _, usage in new:
        used[runs[name]] = used.get(runs[name], Usage()) + usage
    store.put(model, [(name, one) for name, one, _ in new], used)


def _format(model: Model) -> OpenAIBatch:
    """Return the format of the model's batch files; refuse a model without them."""
    from probsense.models.openai.model import OpenAIModel

    if not isinstance(model, OpenAIModel):
        raise InputError(f"batch files for {model.name}", expected="a model behind an API, openai:MODEL")
    return model.batch_lines


def _by_file(asking: Iterable[Sequence[Mapping[str, Json]]]) -> Iterator[list[bytes]]:
    """Yield the lines of each file; those of one request stay together."""
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


def _lines(paths: Sequence[Path], format: OpenAIBatch) -> Iterator[tuple[str, int, Mapping[str, Any]]]:
    """Yield the key of the request, the number of its part, and the line itself."""
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


def _open_requests(store: Store, models: AbstractSet[str]) -> dict[str, tuple[Request, RunRecord]]:
    """Return the requests of some models' runs that have no answer, by their keys, each with its latest run."""
    found: dict[str, tuple[Request, RunRecord]] = {}
    for run in store.runs():
        if run.fingerprint in models:
            _, unknown = Interview.recorded(run, store).unanswered(store.items(run))
            found |= {name: (request, run) for name, request in unknown.items()}
    return found


def _outcomes(
    paths: Sequence[Path], format: OpenAIBatch, requests: Mapping[str, Request]
) -> Iterator[Outcome]:
    """Yield what became of each request that has a line: answers as soon as they are whole, then failures."""
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
