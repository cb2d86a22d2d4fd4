"""The trials of a WorldSense test set: reads and checks the published file format."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

import polars as pl

from probsense.core.errors import InputError, brief
from probsense.core.files import Place, read_jsonl
from probsense.core.files.cache import cached_frame
from probsense.core.records import digest
from probsense.tasks.worldsense.questions.description import described_difficulty, described_form
from probsense.tasks.worldsense.questions.format import (
    DIFFICULTY,
    FORM,
    GOLDS,
    PROBLEMS,
    SKINS_FILE,
    TRIALS_FILES,
    deobfuscate,
)
from probsense.tasks.worldsense.text.meaning import load_checked
from probsense.tasks.worldsense.text.reading import Reader, packaged_reader
from probsense.tasks.worldsense.text.skins import Skin

TRIALS_VERSION = 6
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
_NEEDED = {
    **{"key": _WHOLE, "tuple_id": _TEXT, "size": _WHOLE, "skin": _TEXT, "qskin": _TEXT},
    **{"complexity": _TEXT, "query_len": _WHOLE, "text": _TEXT},
}
_OPTIONAL = {"span": _WHOLE, **dict.fromkeys(DIFFICULTY, _WHOLE), FORM: _TEXT}
SCHEMA: Mapping[str, pl.DataType] = MappingProxyType(
    {
        **{"problem": _TEXT, "expected": _TEXTS, "gold": _TEXT},
        **_NEEDED,
        **_OPTIONAL,
        **{"descr": _TEXT, "query": _TEXT, "objects": _TEXTS},
    }
)
"""Columns of the trials frame. Those of :data:`DIFFICULTY` and the form are null where they are not known, and what
describes the question (:class:`Described`) where it is not of the published form."""


def find_trials(folder: Path) -> Path:
    """Find the file of trials in a test-set folder.

    Raises
    ------
    InputError
        If there is no such folder, or no such file in it.
    """
    if not folder.is_dir():
        raise InputError(
            "no such folder" if not folder.exists() else "not a folder",
            path=folder,
            expected="a test-set folder",
        )
    for name in TRIALS_FILES:
        if (folder / name).is_file():
            return folder / name
    raise InputError("no trials found", path=folder, expected=f"{' or '.join(TRIALS_FILES)} in this folder")


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
    rows: list[dict[str, Any]] = []
    places: list[Place] = []
    seen: dict[int, Place] = {}
    for line, record in read_jsonl(path):
        place = Place(path, line)
        row = _row(record, place)
        place.once(row["key"], "Key", seen, "unique keys")
        rows.append(row)
        places.append(place)
    if not rows:
        raise InputError("holds no trials", path=path, expected="one JSON object per line")
    if whole:
        _check_tuples(rows, places)
    # The siblings of a tuple share the largest depth, as in generated sets.
    return pl.DataFrame(rows, schema=SCHEMA).with_columns(pl.col("depth").max().over("tuple_id"))


def _row(record: dict[str, Any], place: Place) -> dict[str, Any]:
    """Check one line, and return its columns."""

    def value(column: str) -> Any:
        field = FIELDS.get(column, column)
        if field not in record:
            expected = (
                f"the fields {', '.join(FIELDS.get(name, name) for name in _NEEDED)} and goldresp_obfusc"
            )
            raise place.fault(f"field {field!r} is missing", expected)
        kind = SCHEMA.get(column, _TEXT)
        if kind == _TEXTS:
            return record[field]
        return whole_64(place, record[field], field) if kind == _WHOLE else place.text(record[field], field)

    problem = value("problem")
    if problem not in PROBLEMS:
        raise place.fault(f"unknown problem {brief(problem)}", f"one of {', '.join(PROBLEMS)}")
    allowed = list(PROBLEMS[problem])
    expected = value("expected")
    if not isinstance(expected, list) or [_as_text(x) for x in expected] != allowed:
        raise place.wrong(expected, "expectedresp", f"{allowed} for {problem}")
    gold = _as_text(record.get("goldresp"))
    if gold is None:
        word = value("goldresp_obfusc")
        if word not in GOLDS:
            raise place.fault(f"unknown gold {brief(word)}", f"one of {', '.join(GOLDS)}")
        gold = deobfuscate(word)
    if gold not in allowed:
        raise place.wrong(gold, "gold", f"one of {', '.join(allowed)} for {problem}")
    recorded = {column: value(column) for column in _OPTIONAL if record.get(column) is not None}
    row = {
        "problem": problem,
        "expected": allowed,
        "gold": gold,
        **{column: value(column) for column in _NEEDED},
    }
    for field in ("descr", "query"):
        row[field] = record[field] if isinstance(record.get(field), str) else None
    objects = record.get("objects")
    published = isinstance(objects, list) and all(isinstance(name, str) for name in objects)
    row["objects"] = objects if published else None
    if {"facts", FORM} - recorded.keys():
        row |= _described(problem, row["size"], row["descr"], row["query"])
    return dict.fromkeys(_OPTIONAL) | row | recorded


@lru_cache(maxsize=1 << 14)
def _described(
    problem: str, size: int, descr: str | None, query: str | None
) -> Mapping[str, int | str | None]:
    """Find difficulty and form of a question by its description; nothing where there is none."""
    if descr is None or query is None:
        return {}
    known = described_difficulty(problem, size, descr, query)
    return {**(known._asdict() if known else {}), FORM: described_form(problem, size, descr, query)}


def whole_64(place: Place, value: Any, field: str) -> int:
    """Check a whole number that a column of 64 bits can hold."""
    return place.whole(value, field, -(2**63), 2**63 - 1, "an integer of at most 64 bits")


def _check_tuples(rows: list[dict[str, Any]], places: list[Place]) -> None:
    tuples: dict[str, list[int]] = {}
    for i, row in enumerate(rows):
        tuples.setdefault(row["tuple_id"], []).append(i)
    for name, members in tuples.items():
        first, start = rows[members[0]], places[members[0]]
        for i in members[1:]:
            for column in ("problem", "size"):
                if rows[i][column] != first[column]:
                    raise places[i].fault(
                        f"tuple {brief(name)} has {FIELDS[column]} {rows[i][column]} here",
                        f"{first[column]} as on line {start.line}",
                    )
        golds = [rows[i]["gold"] for i in members]
        if sorted(golds) != sorted(first["expected"]):
            raise start.fault(
                f"tuple {brief(name)}, which starts here, has the golds {', '.join(golds)}",
                f"{', '.join(first['expected'])}, each once",
            )


def _as_text(value: Any) -> str | None:
    """Return strings as they are, and as text the numbers that some writers put for "1", "2" and "3"."""
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else None


def frame_of_folder(
    folder: Path, what: str, compute: Callable[[], pl.DataFrame], *, cache: bool = True
) -> pl.DataFrame:
    """Return what is computed from the texts of a test-set folder, out of the cache if trials and skins are the same.

    Parameters
    ----------
    folder : Path
    what : str
        Names the computation, with a version that rises when the computation changes.
    compute : callable
    cache : bool
        Whether what was computed earlier may be recalled, and this is kept.
    """
    if not cache:
        return compute()
    skins = folder / SKINS_FILE
    told = digest(skins.read_text("utf-8", "replace"))[:8] if skins.is_file() else "packaged"
    return cached_frame(find_trials(folder), f"{what}-{told}", compute)


def load_trials(folder: Path, *, cache: bool = True) -> pl.DataFrame:
    """Load the checked trials of a test-set folder; the second time from the cache."""
    if not cache:
        return read_trials(folder)
    return cached_frame(
        find_trials(folder), f"worldsense-trials-{TRIALS_VERSION}", lambda: read_trials(folder)
    )


def names_by_skin(trials: pl.DataFrame, skins: Iterable[Skin]) -> dict[str, tuple[str, ...]]:
    """Collect the names of things in each skin of a set: those in its records, and all of a skin that is known."""
    objects = pl.col("objects").explode().drop_nulls().str.strip_chars().unique(maintain_order=True)
    named = trials.group_by("skin", maintain_order=True).agg(objects.filter(objects != ""))
    known = {skin.name: skin.names for skin in skins}
    return {skin: (*names, *known.get(skin, ())) for skin, names in named.iter_rows()}


def folder_reader(folder: Path) -> Reader:
    """Return the reader for the texts of a test-set folder: of the package's skins, and of its ``skins.yaml`` if any.

    Raises
    ------
    InputError
        For a faulty ``skins.yaml``, and for a skin in it with a sentence that does not mean what it should.
    """
    packaged = packaged_reader()
    if not (folder / SKINS_FILE).is_file():
        return packaged
    own = [skin for skin in load_checked(folder / SKINS_FILE)[0] if skin not in packaged.skins]
    return Reader([*packaged.skins, *own]) if own else packaged
