"""Writes what people answered as the files that the tasks read, with a codebook of all columns."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final
from zipfile import ZIP_DEFLATED, ZipFile

from probsense.core.errors import InputError, did_you_mean
from probsense.core.files import writing
from probsense.studies.collect.answers import REASONS, Gathered, ItemAnswer, gather
from probsense.studies.collect.forms import Field, as_number, form_of
from probsense.studies.collect.storage import Storage
from probsense.studies.collect.study import ATTENTION, ENDS, Study
from probsense.tasks.people_forms import MS, PERSON, STUDY, PeopleTable

CHOICES: Final = "choices.csv"
"""The file of all choices, whatever the task: ``compare`` reads it."""
CODEBOOK: Final = "codebook.csv"
"""The file that says what each column of the others means."""
BLOCK: Final = "Number of the block in the study, from 1."
KEPT: Final = "1 if the other files hold the person's answers, 0 if they were left out."

CHOICE_COLUMNS: Final = {
    **dict((PERSON,)),
    "block": BLOCK,
    "item": "Id of the item.",
    "answer": "Index of the chosen option in the order of the item's file, from 0.",
    "option": "The chosen option.",
    "right": "Index of the right option; empty where there is none.",
    "correct": "1 if the right option was chosen, 0 if another one; empty where none is right.",
    "position": "Place of the chosen option as this person saw the options, from 1.",
    **dict((MS,)),
}
PARTICIPANT_COLUMNS: Final = {
    **dict((PERSON,)),
    "participant": "Id of the person from the address, hashed if the study says so.",
    "study": "Id of the study from the address.",
    "session": "Id of the session from the address, hashed if the study says so.",
    "started": "When the person agreed to take part (UTC).",
    "minutes": "Minutes from there to the end; empty without one.",
    "end": "completion, screened_out, timed_out; empty where the person stopped or is still at it.",
    "assigned": "Number of items that the person got.",
    "answered": "Number of items with an answer.",
    "failed_checks": "Number of failed attention checks.",
    "reasons": "Reasons to leave the person out: unfinished, screened_out, failed_checks.",
    "flags": "What deserves a look: too_fast, copied.",
    "kept": KEPT,
}
ANSWER_COLUMNS: Final = {
    **dict((PERSON,)),
    "kept": KEPT,
    "kind": "Kind of the item: statement, frame, choice, worldsense, check (an attention check), "
    "about (the demographics).",
    "block": "Number of the block in the study, from 1; empty for checks and demographics.",
    "item": "Id of the item; the text of a check; empty for demographics.",
    "page": "Place in the person's own order, attention checks counted; about for demographics.",
    "field": "What was answered: q1, q2, answer_1, …, choice, or the name of a demographic question.",
    "value": "The answer: yes or no, a text, or the chosen option. An apostrophe stands before a text that "
    "a spreadsheet would take for a formula.",
    **dict((MS,)),
    "versions": "Number of different answers that the person sent in turn; the last one counts.",
}


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
        The folder, which is made if it is missing. Tasks read the files that they write by their
        :class:`~probsense.tasks.people_forms.PeopleForm`, and ``compare`` reads :data:`CHOICES`. ``demographics.csv``
        holds what people said of themselves; ``participants.csv`` and ``answers.csv`` hold everybody;
        ``codebook.csv`` says what each column means, and ``study.json`` what was asked. Where a study has several
        blocks with files of one name, those of the second one are called ``people-2.csv``, and so on.
    keep : collection of str
        Reasons of :data:`~probsense.studies.collect.answers.REASONS` for which nobody is left out.

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
    files = dict(_files(study, people, kept))
    written = [
        _write(out / name, file if isinstance(file, str) else _as_csv(file.rows, file.columns))
        for name, file in sorted(files.items(), key=lambda entry: isinstance(entry[1], str))
    ]
    codebook = [
        {"file": name, "column": column, "meaning": meaning}
        for name, file in files.items()
        if isinstance(file, PeopleTable)
        for column, meaning in file.columns.items()
    ]
    written.append(_write(out / CODEBOOK, _as_csv(codebook, ("file", "column", "meaning"))))
    # Who has the codes is paid.
    told = {key: value for key, value in study.to_json().items() if key not in ENDS}
    told["files"] = [*(path.name for path in written), STUDY]
    document = json.dumps(told, ensure_ascii=False, indent=1)
    written.append(_write(out / STUDY, f"{document}\n"))
    left_out: Counter[str] = Counter(reason for reasons in against.values() for reason in reasons)
    return Exported(tuple(written), len(people), len(kept), dict(left_out))


def zipped(storage: Storage) -> bytes:
    """Return a ZIP file of all that :func:`export` writes."""
    stream = io.BytesIO()
    with TemporaryDirectory() as folder, ZipFile(stream, "w", ZIP_DEFLATED) as archive:
        for path in export(storage, Path(folder)).files:
            archive.write(path, path.name)
    return stream.getvalue()


def _files(
    study: Study, people: Sequence[Gathered], kept: Sequence[Gathered]
) -> Iterator[tuple[str, PeopleTable | str]]:
    """Yield the name of each file with its text, or with its rows and the meanings of its columns."""
    seen: Counter[str] = Counter()
    for number, block in enumerate(study.blocks):
        own = [item for one in kept for item in one.items if item.key.startswith(f"{number}/")]
        write = form_of(block.kind).write
        if write is None:
            files: Mapping[str, PeopleTable | str] = {
                CHOICES: PeopleTable([*map(_choice, own)], CHOICE_COLUMNS)
            }
        else:
            files = write(block.questions, own)
        seen.update([*files])
        for name, file in files.items():
            stem, dot, ending = name.partition(".")
            yield (name if seen[name] == 1 else f"{stem}-{seen[name]}{dot}{ending}"), file
    if study.about:
        meanings = {field.name: field.label for field in study.about}
        rows = [
            {"person": one.person.number}
            | {field.name: _plain(field, one.about.get(field.name, "")) for field in study.about}
            for one in kept
        ]
        yield "demographics.csv", PeopleTable(rows, dict((PERSON,)) | meanings)
    numbers = {one.person.number for one in kept}
    participants = [_participant(one, one.person.number in numbers) for one in people]
    yield "participants.csv", PeopleTable(participants, PARTICIPANT_COLUMNS)
    answered = [
        {"person": one.person.number, "kept": int(one.person.number in numbers), **row}
        for one in people
        for row in _answers(study, one)
    ]
    yield "answers.csv", PeopleTable(answered, ANSWER_COLUMNS)


def _choice(item: ItemAnswer) -> dict[str, Any]:
    chosen = int(item.values["choice"])
    right = item.question.right
    return {
        "person": item.person,
        "block": _number(item),
        "item": item.question.id,
        "answer": chosen,
        "option": item.question.options[chosen],
        "right": right,
        "correct": None if right is None else int(chosen == right),
        "position": 1 + item.order.index(str(chosen)),
        "ms": item.ms,
    }


def _number(item: ItemAnswer) -> int | None:
    """Return the number of an item's block in the study, from 1; None for an attention check."""
    return None if item.block is ATTENTION else 1 + int(item.key.partition("/")[0])


def _plain(field: Field, value: str) -> str:
    """Write what a person said of themselves; numbers with a point, and nothing where no number was given."""
    if field.kind != "number":
        return _inert(value)
    number = as_number(value)
    return "" if number is None else f"{number:f}"


def _participant(one: Gathered, kept: bool) -> dict[str, Any]:
    person = one.person
    passed = None if person.ended_at is None else person.ended_at - person.at
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
        "flags": ";".join(one.flags),
        "kept": int(kept),
    }


def _answers(study: Study, one: Gathered) -> Iterator[dict[str, Any]]:
    """Yield a row for each field: what the person said of themselves, then checks, then items."""
    for field in study.about:
        if value := one.about.get(field.name):
            yield {"kind": "about", "page": "about", "field": field.name, "value": _inert(value)}
    for item in (*one.checks, *one.items):
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


def _as_csv(rows: Sequence[Mapping[str, Any]], columns: Iterable[str]) -> str:
    stream = io.StringIO()
    writer = csv.DictWriter(stream, [*columns], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    # A carriage return ends a row for some readers, and Python's writer does not quote it.
    return stream.getvalue().replace("\r", " ")


def _write(path: Path, text: str) -> Path:
    with writing(path) as stream:
        stream.write(text.encode())
    return path
