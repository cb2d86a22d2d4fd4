"""Schemas in the published file format: a sentence with a blank, the options for it, and the right one of these."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

from probsense.core.errors import InputError
from probsense.core.files import Place, read_jsonl
from probsense.core.records import Item

PACKAGED = Path(str(files(__package__) / "schemas.jsonl"))
"""Thirty twin pairs that come with the package."""

_FORMAT = '{"qID": …, "sentence": … with one "_", "option1": …, "option2": …, "answer": "1" or "2"}'
_OPTION = re.compile(r"option\d+")
_TWIN = re.compile(r"(.+)-[12]")


class Parts(NamedTuple):
    """A sentence around its blank; each option is read as ``join`` + option."""

    prefix: str
    join: str
    suffix: str


def split(sentence: str) -> Parts:
    """Split a sentence at its blank: a space before the blank belongs to the options.

    Parameters
    ----------
    sentence : str
        Holds "_" once.
    """
    before, _, suffix = sentence.partition("_")
    prefix = before.removesuffix(" ")
    return Parts(prefix, before[len(prefix) :], suffix)


def read_schemas(path: Path) -> Iterator[Item]:
    """Read schemas; twins (ids that end in -1 and -2) share a cluster.

    Parameters
    ----------
    path : Path
        JSON lines ``{"qID", "sentence", "option1", "option2", "answer"}``, if need be with more options; ``answer``
        is the number of the right option, and "" or absent where nobody knows it.

    Yields
    ------
    Item
        Its data are the sentence and the options; its gold is the index of the right option, from 0, as text.

    Raises
    ------
    InputError
        For a file that cannot be read or is empty; for a line with a missing or unknown field, a value of a wrong
        type, a sentence without exactly one blank, an option that is empty or stands twice, an answer that is no
        option's number, or the id of an earlier line.
    """
    seen: dict[str, Place] = {}
    for line, record in read_jsonl(path):
        place = Place(path, line)
        item = _item(record, place)
        place.once(item.id, "qID", seen)
        yield item
    if not seen:
        raise InputError("is empty", path=path, expected=f"one {_FORMAT} per line")


def _item(record: dict[str, Any], place: Place) -> Item:
    count = max(2, sum(bool(_OPTION.fullmatch(field)) for field in record))
    names = [f"option{number}" for number in range(1, count + 1)]
    place.record(record, needed=("qID", "sentence", *names), optional=("answer",), expected=_FORMAT)
    for field, value in record.items():
        _ = place.text(value, field) if field == "answer" else place.word(value, field)
    sentence, options = record["sentence"], [record[name] for name in names]
    if sentence.count("_") != 1:
        raise place.fault(f'{sentence.count("_")} times "_" in the sentence', "exactly one")
    if len(set(options)) < len(options):
        raise place.fault("two options are the same", "different ones")
    answer = record.get("answer", "")
    allowed = [str(number) for number in range(1, len(options) + 1)]
    if answer and answer not in allowed:
        raise place.wrong(answer, "answer", f'one of {", ".join(allowed)}, or "" for none')
    twin = _TWIN.fullmatch(record["qID"])
    return Item(
        id=record["qID"],
        cluster=twin[1] if twin else record["qID"],
        gold=str(int(answer) - 1) if answer else "",
        data={"sentence": sentence, "options": options},
    )
