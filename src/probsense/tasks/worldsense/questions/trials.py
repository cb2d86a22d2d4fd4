"""The trials of a WorldSense test set: reads and checks the published file format."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, NamedTuple, TypeAlias

import polars as pl
from msgspec import Meta, Struct

from probsense.core.errors import InputError, brief
from probsense.core.files import Place, file_hash, read_jsonl
from probsense.core.files.cache import cached_frame
from probsense.core.files.typed import Text, read_as
from probsense.tasks.worldsense.questions.description import Described, recorded_difficulty
from probsense.tasks.worldsense.questions.format import (
    DIFFICULTY,
    FORM,
    GOLDS,
    PROBLEMS,
    SKINS_FILE,
    TRIALS_FILES,
)
from probsense.tasks.worldsense.text.reading import Reader, packaged_reader
from probsense.tasks.worldsense.text.skin_files import load_checked
from probsense.tasks.worldsense.text.skins import Skin

TRIALS_VERSION = 7
"""This number rises whenever the columns of :func:`read_trials` change, so that old copies are not used."""

FIELDS: Mapping[str, str] = {
    "key": "Key",
    "problem": "problemname",
    "tuple_id": "tuple_ID",
    "size": "problemsize",
    "expected": "expectedresp",
}
"""The field of the file for each column of another name."""

_TEXT, _WHOLE, _TEXTS = pl.String(), pl.Int64(), pl.List(pl.String())
SCHEMA: Mapping[str, pl.DataType] = MappingProxyType(
    {
        **{"problem": _TEXT, "expected": _TEXTS, "gold": _TEXT},
        **{"key": _WHOLE, "tuple_id": _TEXT, "size": _WHOLE, "skin": _TEXT, "qskin": _TEXT},
        **{"complexity": _TEXT, "query_len": _WHOLE, "text": _TEXT, "span": _WHOLE},
        **{**dict.fromkeys(DIFFICULTY, _WHOLE), FORM: _TEXT},
        **{"descr": _TEXT, "query": _TEXT, "objects": _TEXTS},
    }
)
"""Columns of the trials frame. Those of :data:`DIFFICULTY` and the form are null where they are not known, and what
describes the question (:class:`Described`) is empty there."""

Whole: TypeAlias = Annotated[
    int, Meta(ge=-(2**63), le=2**63 - 1, description="an integer of at most 64 bits")
]


class _Line(Struct, frozen=True):
    """A line of the file; it may hold more.

    Writers may put numbers for "1", "2" and "3".
    """

    Key: Whole
    problemname: Text
    tuple_ID: Text  # noqa: N815 - as the file has it
    problemsize: Whole
    expectedresp: tuple[str | int, ...]
    skin: Text
    qskin: Text
    complexity: Text
    query_len: Whole
    text: Text
    goldresp: str | int | None = None
    goldresp_obfusc: Any = None
    span: Whole | None = None
    facts: Whole | None = None
    depth: Whole | None = None
    form: Text | None = None
    descr: str | None = None
    query: str | None = None
    objects: list[str] | None = None


def find_trials(folder: Path) -> Path:
    """Find the file of trials in a test-set folder.

    Raises
    ------
    InputError
        If there is no such folder, or no such file in it.
    """
    if not folder.is_dir():
        raise InputError("no such folder", path=folder, expected="a test-set folder")
    if path := trials_of(folder):
        return path
    raise InputError("no trials found", path=folder, expected=f"{' or '.join(TRIALS_FILES)} in this folder")


def trials_of(folder: Path) -> Path | None:
    """Return the file of trials in a folder; None where there is none."""
    return next((folder / name for name in TRIALS_FILES if (folder / name).is_file()), None)


def read_trials(folder: Path, *, whole: bool = True) -> pl.DataFrame:
    """Read and check the trials of a test-set folder.

    Parameters
    ----------
    folder : Path
        Holds ``trials.jsonl.bz2`` (or ``trials.jsonl``), the WorldSense specification, section 1.
    whole : bool
        Whether all tuples must be whole; the auditor also reads sets with labels that fit no tuple.

    Returns
    -------
    DataFrame
        One row per trial, in the order of the file, with the columns of :data:`SCHEMA`. Where a set does not record
        facts, depth and form, they are computed from ``descr`` and ``query``, if it has these.

    Raises
    ------
    InputError
        For a file that cannot be read or holds no trials; for a line with a missing field, a value of a wrong
        type, an unknown problem or gold, responses that are not the problem's, or a repeated key; for a tuple
        that does not hold exactly one trial per allowed response.
    """
    path = find_trials(folder)
    read: list[tuple[dict[str, Any], Place]] = []
    seen: dict[int, Place] = {}
    for line, record in read_jsonl(path):
        place = Place(path, line)
        row = _row(record, place)
        place.once(row["key"], "Key", seen, "unique keys")
        read.append((row, place))
    if not read:
        raise InputError("holds no trials", path=path, expected="one JSON object per line")
    if whole:
        _check_tuples(read)
    rows = [row for row, _ in read]
    # The siblings of a tuple share the largest depth, as in generated sets.
    return pl.DataFrame(rows, schema=SCHEMA).with_columns(pl.col("depth").max().over("tuple_id"))


def _row(record: dict[str, Any], place: Place) -> dict[str, Any]:
    """Check one line, and return its columns."""
    line = read_as(_Line, record, place)
    problem = place.one_of(line.problemname, "problemname", PROBLEMS)
    allowed = list(PROBLEMS[problem])
    if [*map(str, line.expectedresp)] != allowed:
        raise place.wrong(record["expectedresp"], "expectedresp", f"{allowed} for {problem}")
    if line.goldresp is None:
        gold = GOLDS[place.one_of(line.goldresp_obfusc, "goldresp_obfusc", GOLDS)]
    else:
        gold = str(line.goldresp)
    if gold not in allowed:
        raise place.wrong(gold, "gold", f"one of {', '.join(allowed)} for {problem}")
    row = {column: getattr(line, FIELDS.get(column, column), None) for column in SCHEMA}
    descr, query, objects = line.descr or "", line.query or "", [name.strip() for name in line.objects or ()]
    row |= {"expected": allowed, "gold": gold, "descr": descr, "query": query, "objects": objects}
    if row["facts"] is None or row[FORM] is None:
        known = recorded_difficulty(problem, row["size"], descr, query)
        row |= {column: value for column, value in known.items() if row[column] is None}
    return row


def _check_tuples(read: Sequence[tuple[dict[str, Any], Place]]) -> None:
    tuples: dict[str, list[tuple[dict[str, Any], Place]]] = defaultdict(list)
    for row, place in read:
        tuples[row["tuple_id"]].append((row, place))
    for name, members in tuples.items():
        first, start = members[0]
        for (row, place), column in product(members, ("problem", "size")):
            if row[column] != first[column]:
                raise place.fault(
                    f"tuple {brief(name)} has {FIELDS[column]} {row[column]} here",
                    f"{first[column]} as on line {start.line}",
                )
        golds = [row["gold"] for row, _ in members]
        if sorted(golds) != sorted(first["expected"]):
            raise start.fault(
                f"tuple {brief(name)}, which starts here, has the golds {', '.join(golds)}",
                f"{', '.join(first['expected'])}, each once",
            )


def frame_of_folder(folder: Path, what: str, compute: Callable[[], pl.DataFrame]) -> pl.DataFrame:
    """Return what is computed from a test-set folder, out of the cache if trials and skins are the same.

    Parameters
    ----------
    folder : Path
    what : str
        Names the computation, with a version that rises when the computation changes.
    compute : callable
    """
    skins = folder / SKINS_FILE
    told = file_hash(skins)[:8] if skins.is_file() else "packaged"
    return cached_frame(find_trials(folder), f"{what}-{told}", compute)


def load_trials(folder: Path) -> pl.DataFrame:
    """Load the checked trials of a test-set folder; the second time from the cache."""
    return frame_of_folder(folder, f"worldsense-trials-{TRIALS_VERSION}", lambda: read_trials(folder))


def names_by_skin(trials: pl.DataFrame, skins: Iterable[Skin]) -> dict[str, tuple[str, ...]]:
    """Collect the names of things in each skin of a set: those in its records, and all of a skin that is known."""
    objects = pl.col("objects").explode().drop_nulls().unique(maintain_order=True)
    named = trials.group_by("skin", maintain_order=True).agg(objects.filter(objects != ""))
    known = {skin.name: skin.names for skin in skins}
    return {skin: (*names, *known.get(skin, ())) for skin, names in named.iter_rows()}


class Trial(NamedTuple):
    """A trial that is to be understood from its text.

    ``names`` are those of all things that the text may speak of, and ``record`` is the description of the question
    beside its text.
    """

    problem: str
    size: int
    tuple_id: str
    gold: str
    key: int
    text: str
    names: tuple[str, ...] = ()
    record: Described = Described()


def listed(trials: pl.DataFrame, reader: Reader) -> Iterator[Trial]:
    """Yield the trials of a set, with the names of their skin."""
    names = names_by_skin(trials, reader.skins)
    rows = trials.select("problem", "size", "tuple_id", "gold", "key", "text", "skin", *Described._fields)
    for problem, size, tuple_id, gold, key, text, skin, descr, query, things in rows.iter_rows():
        record = Described(descr, query, tuple(things))
        yield Trial(problem, size, tuple_id, gold, key, text, names[skin], record)


def folder_reader(folder: Path) -> Reader:
    """Return the reader for the texts of a test-set folder: of the package's skins, and of its ``skins.yaml`` if any.

    Raises
    ------
    InputError
        For a faulty ``skins.yaml``, and for a skin in it with a sentence that does not mean what it should.
    """
    packaged, own = packaged_reader(), folder / SKINS_FILE
    return Reader([*packaged.skins, *load_checked(own)[0]]) if own.is_file() else packaged
