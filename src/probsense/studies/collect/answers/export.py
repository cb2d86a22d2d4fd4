"""Writes what people answered as the files that the tasks read, with a codebook."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final
from zipfile import ZIP_DEFLATED, ZipFile

from probsense.core.errors import InputError, did_you_mean
from probsense.core.files import writing
from probsense.studies.collect.answers.codebook import COLUMNS, PERSON
from probsense.studies.collect.answers.people import REASONS, Gathered, ItemAnswer, gather
from probsense.studies.collect.answers.quality import Flag, flags_of
from probsense.studies.collect.fields import as_number
from probsense.studies.collect.storage import Storage
from probsense.studies.collect.study import Block, Question, Study

Rows = list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Exported:
    """What was written: the files, how many people there are, how many of them are kept, and who is left out."""

    files: tuple[Path, ...]
    people: int
    kept: int
    left_out: Mapping[str, int]

    def to_json(self) -> dict[str, Any]:
        """Return it as a JSON document."""
        return {**asdict(self), "files": [str(path) for path in self.files]}


def export(storage: Storage, out: Path, keep: Collection[str] = ()) -> Exported:
    """Write the answers of a study into a folder.

    Parameters
    ----------
    storage : Storage
    out : Path
        The folder, which is made if it is missing. ``people.csv`` and ``statements.csv`` are the ``--humans`` and
        ``--data`` of judgments, ``demographics.csv`` its ``--demographics``; ``frames.jsonl`` is the ``--data`` of
        frames; ``compare`` reads ``choices.csv``, which holds choices and answers to WorldSense; ``participants.csv``
        and ``answers.csv`` hold everybody; ``codebook.csv`` says what each column means, and ``study.json`` what was
        asked. Where a study has several blocks of a kind, the files of the second one are called ``people-2.csv``,
        and so on.
    keep : collection of str
        Reasons of :data:`~probsense.studies.collect.answers.people.REASONS` for which nobody is left out.

    Raises
    ------
    InputError
        For an unknown reason, and a folder that cannot be written.
    """
    for reason in keep:
        if reason not in REASONS:
            raise InputError(
                f"--keep {reason!r}{did_you_mean(reason, REASONS)}", expected=f"one of {', '.join(REASONS)}"
            )
    study = storage.study()
    people = gather(storage)
    against = {one.person.number: [reason for reason in one.reasons if reason not in keep] for one in people}
    kept = [one for one in people if not against[one.person.number]]
    tables = dict(_tables(study, people, kept))
    written = [
        _write(out / f"{name}.csv", _as_csv(rows, columns)) for name, (rows, columns) in tables.items()
    ]
    for number, block in enumerate(study.blocks):
        if block.kind == "frame":
            name = _named("frames", study, number)
            written.append(_write(out / f"{name}.jsonl", "".join(_frame_lines(number, block, kept))))
    codebook = [
        {"file": f"{name}.csv", "column": column, "meaning": meaning}
        for name, (_, columns) in tables.items()
        for column, meaning in columns.items()
    ]
    meanings = dict.fromkeys(("file", "column", "meaning"), "")
    written.append(_write(out / "codebook.csv", _as_csv(codebook, meanings)))
    # Who has the codes is paid.
    told = {key: value for key, value in study.to_json().items() if key != "ends"}
    document = json.dumps(told, ensure_ascii=False, indent=1)
    written.append(_write(out / "study.json", f"{document}\n"))
    left_out: Counter[str] = Counter(reason for reasons in against.values() for reason in reasons)
    return Exported(tuple(written), len(people), len(kept), dict(left_out))


def zipped(storage: Storage) -> bytes:
    """Return a ZIP file of all that :func:`export` writes."""
    stream = io.BytesIO()
    with TemporaryDirectory() as folder, ZipFile(stream, "w", ZIP_DEFLATED) as archive:
        for path in export(storage, Path(folder)).files:
            archive.write(path, path.name)
    return stream.getvalue()


def _tables(
    study: Study, people: Sequence[Gathered], kept: Sequence[Gathered]
) -> Iterator[tuple[str, tuple[Rows, Mapping[str, str]]]]:
    """Yield the name of each table with its rows, and its columns with their meanings."""
    for number, block in enumerate(study.blocks):
        own = [(one, item) for one in kept for item in one.items if item.key.startswith(f"{number}/")]
        if block.kind == "statement":
            yield _named("people", study, number), ([_rating(*row) for row in own], COLUMNS["people"])
            statements: Rows = [{"statement_id": q.id, "statement": q.text} for q in block.questions]
            yield _named("statements", study, number), (statements, COLUMNS["statements"])
        elif block.kind != "frame":
            yield _named("choices", study, number), ([_choice(*row) for row in own], COLUMNS["choices"])
    if study.about:
        rows: Rows = [{"person": one.person.number, **_demographics(study, one)} for one in kept]
        meanings = {field.name: field.label for field in study.about}
        yield "demographics", (rows, {**dict((PERSON,)), **meanings})
    numbers = {one.person.number for one in kept}
    flags = flags_of(people, study.flags)
    participants = [
        _participant(one, flags[one.person.number], one.person.number in numbers) for one in people
    ]
    yield "participants", (participants, COLUMNS["participants"])
    answers = [
        {"person": one.person.number, "kept": int(one.person.number in numbers), **row}
        for one in people
        for row in _answers(study, one)
    ]
    yield "answers", (answers, COLUMNS["answers"])


_FILE_OF: Final = {"statement": "statement", "frame": "frame", "choice": "choice", "worldsense": "choice"}


def _named(name: str, study: Study, number: int) -> str:
    """Name the file of a block; its number is told from the second block on that has such a file."""
    kinds = [_FILE_OF[block.kind] for block in study.blocks]
    place = kinds[: number + 1].count(kinds[number])
    return name if place == 1 else f"{name}-{place}"


def _rating(one: Gathered, item: ItemAnswer) -> dict[str, Any]:
    ratings = {name: {"yes": 1, "no": 0}.get(item.values.get(name, "")) for name in ("q1", "q2")}
    return {
        "statement_id": item.question.id,
        "statement": item.question.text,
        "person": one.person.number,
        **ratings,
        "ms": item.ms,
    }


def _choice(one: Gathered, item: ItemAnswer) -> dict[str, Any]:
    chosen = int(item.values["choice"])
    right = item.question.right
    return {
        "person": one.person.number,
        "block": _number(item),
        "item": item.question.id,
        "answer": chosen,
        "option": item.question.options[chosen],
        "right": right,
        "correct": None if right is None else int(chosen == right),
        "position": 1 + item.order.index(str(chosen)),
        "ms": item.ms,
    }


def _number(item: ItemAnswer) -> int:
    """Return the number of an item's block in the study, from 1."""
    return 1 + int(item.key.partition("/")[0])


def _demographics(study: Study, one: Gathered) -> dict[str, Any]:
    """Return what a person said of themselves; numbers with a point, and nothing where no number was given."""
    found: dict[str, Any] = {}
    for field in study.about:
        value = one.about.get(field.name, "")
        number = as_number(value) if field.kind == "number" else None
        plain = "" if number is None else f"{number:f}"
        found[field.name] = plain if field.kind == "number" else _inert(value)
    return found


def _participant(one: Gathered, flags: Sequence[Flag], kept: bool) -> dict[str, Any]:
    person = one.person
    passed = None if one.ended_at is None else one.ended_at - person.at
    return {
        "person": person.number,
        "participant": _inert(person.participant),
        "study": _inert(person.study),
        "session": _inert(person.session),
        "started": datetime.fromtimestamp(person.at / 1000, UTC).isoformat(timespec="seconds"),
        "minutes": None if passed is None or passed < 0 else round(passed / 60_000, 2),
        "end": person.end or "",
        "assigned": sum(not key.startswith("check/") for key in person.keys),
        "answered": len(one.items),
        "failed_checks": len(one.failed),
        "reasons": ";".join(one.reasons),
        "flags": ";".join(flags),
        "kept": int(kept),
    }


def _answers(study: Study, one: Gathered) -> Iterator[dict[str, Any]]:
    """Yield a row for each field: what the person said of themselves, then checks, then items."""
    for field in study.about:
        if value := one.about.get(field.name):
            yield {"kind": "about", "page": "about", "field": field.name, "value": _inert(value)}
    for check in one.checks:
        text = study.checks[int(check.key.partition("/")[2])].text
        row = {"kind": "check", "item": text, "page": check.page, "field": "choice", "value": check.option}
        yield {**row, "ms": check.ms, "versions": check.versions}
    for item in one.items:
        for name, value in item.values.items():
            yield {
                "kind": item.block.kind,
                "block": _number(item),
                "item": item.question.id,
                "page": item.page,
                "field": name,
                "value": item.question.options[int(value)] if name == "choice" else _inert(value),
                "ms": item.ms,
                "versions": item.versions,
            }


def _inert(text: str) -> str:
    """Put an apostrophe before a person's words that a spreadsheet would take for a formula."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@")) and as_number(text) is None else text


def _frame_lines(number: int, block: Block, kept: Sequence[Gathered]) -> Iterator[str]:
    """Write a line for each frame, with how many people gave each answer, in lower case."""
    counts: dict[str, Counter[str]] = {question.id: Counter() for question in block.questions}
    for one in kept:
        for item in one.items:
            if item.key.startswith(f"{number}/"):
                counts[item.question.id].update({answer.lower() for answer in item.values.values()})
    for question in block.questions:
        answers = dict(sorted(counts[question.id].items(), key=lambda entry: (-entry[1], entry[0])))
        if document := _frame(question, answers):
            yield json.dumps(document, ensure_ascii=False) + "\n"


def _frame(question: Question, answers: Mapping[str, int]) -> dict[str, Any]:
    """Return a frame in the layout of the package; one without an event of its own as a published target."""
    data = {name: value for name, value in question.data.items() if value}
    if "context" in data:
        return {"id": question.id, **data, **({"answers": answers} if answers else {})}
    if not answers:  # A target without answers is none.
        return {}
    return {
        "metadata": {"id": question.id},
        "question": {"original": data["question"]},
        "answers": {"raw": answers},
    }


def _as_csv(rows: Rows, columns: Mapping[str, str]) -> str:
    stream = io.StringIO()
    writer = csv.DictWriter(stream, [*columns], lineterminator="\n")
    writer.writeheader()
    # A lone carriage return ends a row for some readers, and Python's writer does not quote it.
    writer.writerows({name: _one_row(value) for name, value in row.items()} for row in rows)
    return stream.getvalue()


def _one_row(value: Any) -> Any:
    return value.replace("\r", " ") if isinstance(value, str) else value


def _write(path: Path, text: str) -> Path:
    with writing(path) as stream:
        stream.write(text.encode())
    return path
