"""Reads prefixes with their options from a file, and writes their distributions to another."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from probsense.core.errors import InputError, brief, did_you_mean
from probsense.core.files import STDOUT, Place, kind_of, read_csv, read_json, read_jsonl, writing
from probsense.core.records import ScoreRequest
from probsense.runs.score import Distribution, fault_of

EXPECTED = '{"prefix": text, "options": [text, …]}, with "suffix" and "id" if you like'
CSV_EXPECTED = "the columns prefix, option1, option2, …, with suffix and id if you like"
_KNOWN = ("prefix", "options", "suffix")


def read_requests(path: Path) -> list[ScoreRequest]:
    """Read prefixes with their options.

    Parameters
    ----------
    path : Path
        ``.csv``: the columns prefix, option1, option2, … (an empty cell is no option) and, if needed, suffix and id.
        ``.json``: a list of objects with the keys prefix, options, suffix, id. Anything else: JSON lines of such
        objects. Each may be packed (``.bz2``, ``.gz``). Other columns and keys are ignored.

    Returns
    -------
    list of ScoreRequest
        Their ``item`` is the id, or else their number from 1.

    Raises
    ------
    InputError
        For a file that cannot be read, a missing key, a value of a wrong type, no, empty or repeated options, an id
        that occurs twice, or a file without prefixes.
    """
    records = {".csv": _csv_records, ".json": _json_records}.get(kind_of(path), read_jsonl)(path)
    found: list[ScoreRequest] = []
    seen: dict[str, Place] = {}
    for number, (line, record) in enumerate(records, 1):
        place = Place(path, line, part="" if line else f"entry {number}")
        request = _request(record, number, place)
        if fault := fault_of(request):
            raise place.fault(fault)
        place.once(request.item, "id", seen)
        found.append(request)
    if not found:
        raise InputError("holds nothing to score", path=path, expected=EXPECTED)
    return found


def _request(record: dict[str, Any], number: int, place: Place) -> ScoreRequest:
    for name in record:
        if name not in _KNOWN and (hint := did_you_mean(name, [k for k in _KNOWN if k not in record])):
            raise place.fault(f"has the key {brief(name)}{hint}", EXPECTED)
    for name in ("prefix", "options"):
        if name not in record:
            raise place.fault(f"lacks the key {name!r}", EXPECTED)
    options = place.entries(record["options"], "options", of="texts")
    name = record.get("id", number)
    if isinstance(name, bool) or not isinstance(name, str | int) or name == "":
        raise place.wrong(name, "id", "a text or a whole number")
    return ScoreRequest(record["prefix"], tuple(options), record.get("suffix", ""), item=str(name))


def _json_records(path: Path) -> Iterator[tuple[None, dict[str, Any]]]:
    document = read_json(path)
    if not isinstance(document, list) or not all(isinstance(entry, dict) for entry in document):
        raise InputError("no list of objects", path=path, expected=f"a list of {EXPECTED}")
    yield from ((None, entry) for entry in document)


def _csv_records(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    columns, rows = read_csv(path)
    options = sorted((c for c in columns if re.fullmatch(r"option[0-9]{1,9}", c)), key=lambda c: int(c[6:]))
    if "prefix" not in columns or not options:
        found = f"has the columns {', '.join(map(brief, columns)) or '(none)'}"
        raise InputError(found, path=path, line=1, expected=CSV_EXPECTED)
    for line, row in rows:
        texts = [row.pop(column) for column in options]
        yield line, {**row, "options": [text for text in texts if text]}


def check_out(path: Path) -> None:
    """Refuse a file of a kind that :func:`write_distributions` does not know."""
    if path.suffix not in (".csv", ".jsonl") and path != STDOUT:
        raise InputError(f"{path.suffix or 'no'} ending", path=path, expected=".csv or .jsonl")


def write_distributions(path: Path, found: Sequence[Distribution], views: Sequence[str]) -> None:
    """Write distributions to a file, whole or not at all: the rows of :func:`as_csv`, or an object a line.

    Parameters
    ----------
    path : Path
        ``.csv`` or ``.jsonl``; "-" is standard output, for CSV.
    found : sequence of Distribution
    views : sequence of str
        The columns of the CSV; JSON has all views.

    Raises
    ------
    InputError
        For another ending, or a file that cannot be written.
    """
    check_out(path)
    lines = (json.dumps(one.to_json(), ensure_ascii=False, allow_nan=False) + "\n" for one in found)
    with writing(path) as stream:
        stream.writelines(
            line.encode() for line in (lines if path.suffix == ".jsonl" else [as_csv(found, views)])
        )


def as_csv(found: Sequence[Distribution], views: Sequence[str]) -> str:
    """Write a row for each option: id, option, its log-probability and tokens, and its probability under some views.

    Views that no distribution has are left out; the cell of a distribution without the view is empty.
    """
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    under = [one.views() for one in found]
    shown = [view for view in views if any(view in probabilities for probabilities in under)]
    writer.writerow(["id", "option", "logprob", "tokens", *(f"p.{view}" for view in shown)])
    for one, probabilities in zip(found, under, strict=True):
        columns = [
            probabilities[v].tolist() if v in probabilities else [""] * len(one.options) for v in shown
        ]
        tokens = [count or "" for count in one.tokens]
        rows = zip(one.options, one.logprobs.tolist(), tokens, *columns, strict=True)
        writer.writerows([one.request.item, *row] for row in rows)
    return stream.getvalue()
