"""Many prefixes with their options from one file, and their distributions as the text of another."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from probsense.errors import InputError, did_you_mean
from probsense.files import open_bytes, read_jsonl, writing
from probsense.records import ScoreRequest
from probsense.run.distribution import Distribution
from probsense.run.score import fault_of

EXPECTED = '{"prefix": text, "options": [text, …]}, with "suffix" and "id" if you like'
CSV_EXPECTED = "the columns prefix, option1, option2, …, with suffix and id if you like"
_KNOWN = ("prefix", "options", "suffix")


def read_requests(path: Path) -> list[ScoreRequest]:
    """Read what is to be scored.

    Parameters
    ----------
    path : Path
        ``.csv``: columns prefix, option1, option2, … (an empty cell is no option), and suffix and id where
        wanted. ``.json``: a list of objects with the keys prefix, options, suffix, id. Anything else: JSON lines of
        such objects. Each may be packed (``.bz2``, ``.gz``). Other columns and keys are left alone.

    Returns
    -------
    list of ScoreRequest
        Their ``item`` is the id, or else their number from 1.

    Raises
    ------
    InputError
        For a file that cannot be read, a missing key, a value of a wrong type, no, empty or repeated options, an id
        that occurs twice, a file without prefixes.
    """
    kind = Path(path.name.removesuffix(".gz").removesuffix(".bz2")).suffix
    records = {".csv": _csv_records, ".json": _json_records}.get(kind, read_jsonl)(path)
    found: dict[str, ScoreRequest] = {}
    for number, (line, record) in enumerate(records, 1):
        try:
            request = _request(record, number)
            if fault := fault_of(request):
                raise InputError(fault)
            if found.setdefault(request.item, request) is not request:
                raise InputError(f"the id {request.item!r} occurs again")
        except InputError as error:
            where = "" if line else f"entry {number}: "
            raise InputError(f"{where}{error}", path=path, line=line) from None
    if not found:
        raise InputError("holds nothing to score", path=path, expected=EXPECTED)
    return list(found.values())


def _request(record: Mapping[str, Any], number: int) -> ScoreRequest:
    for name in record:
        if name not in _KNOWN and (hint := did_you_mean(name, [k for k in _KNOWN if k not in record])):
            raise InputError(f"has the key {name!r}{hint}", expected=EXPECTED)
    for name in ("prefix", "options"):
        if name not in record:
            raise InputError(f"lacks the key {name!r}", expected=EXPECTED)
    if not isinstance(record["options"], list):
        raise InputError(f"options is {record['options']!r}", expected="a list of texts")
    name = record.get("id", number)
    if isinstance(name, bool) or not isinstance(name, str | int) or name == "":
        raise InputError(f"id is {name!r}", expected="a text or a whole number")
    return ScoreRequest(record["prefix"], tuple(record["options"]), record.get("suffix", ""), item=str(name))


def _json_records(path: Path) -> Iterator[tuple[None, dict[str, Any]]]:
    with open_bytes(path) as stream:
        try:
            document = json.loads(stream.read().decode("utf-8-sig"))
        except UnicodeDecodeError:
            raise InputError("not UTF-8 text", path=path, expected="JSON") from None
        except (json.JSONDecodeError, RecursionError) as error:
            raise InputError(f"not valid JSON: {error}", path=path) from None
        except (OSError, EOFError) as error:
            raise InputError(f"cannot be read: {error}", path=path) from None
    if not isinstance(document, list) or not all(isinstance(entry, dict) for entry in document):
        raise InputError("no list of objects", path=path, expected=f"a list of {EXPECTED}")
    yield from ((None, entry) for entry in document)


def _csv_records(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    with open_bytes(path) as stream:
        rows = csv.DictReader(io.TextIOWrapper(stream, encoding="utf-8-sig", newline=""), strict=True)
        try:
            columns = list(rows.fieldnames or ())
            options = sorted(
                (c for c in columns if re.fullmatch(r"option[0-9]+", c)), key=lambda c: int(c[6:])
            )
            if "prefix" not in columns or not options or len(set(columns)) < len(columns):
                raise InputError(f"has the columns {', '.join(columns)}", expected=CSV_EXPECTED)
            for row in rows:
                if None in row or None in row.values():
                    raise InputError("not as many cells as columns")
                texts = [row.pop(column) for column in options]
                yield rows.line_num, {**row, "options": [text for text in texts if text]}
        except UnicodeDecodeError:
            raise InputError("not UTF-8 text", path=path, expected="CSV") from None
        except (csv.Error, OSError, EOFError, InputError) as error:
            raise InputError(str(error), path=path, line=max(rows.reader.line_num, 1)) from None


def check_out(path: Path) -> None:
    """Refuse a file of a kind that :func:`write_distributions` does not know."""
    if path.suffix not in (".csv", ".jsonl"):
        raise InputError(f"{path.suffix or 'no'} ending", path=path, expected=".csv or .jsonl")


def write_distributions(path: Path, found: Sequence[Distribution], views: Sequence[str]) -> None:
    """Write distributions to a file, whole or not at all: rows of :func:`as_csv`, or an object a line.

    Parameters
    ----------
    path : Path
        ``.csv`` or ``.jsonl``.
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
            line.encode() for line in ([as_csv(found, views)] if path.suffix == ".csv" else lines)
        )


def as_csv(found: Sequence[Distribution], views: Sequence[str]) -> str:
    """One row for each option: id, option, its log-probability and tokens, and its probability under some views.

    Views that none has are left out; a cell is empty where a distribution does not have the view.
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
        rows = zip(one.options, one.logprobs.tolist(), one.tokens, *columns, strict=True)
        writer.writerows([one.request.item, *row] for row in rows)
    return stream.getvalue()
