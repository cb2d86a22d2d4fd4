"""The trials of a WorldSense test set: reads and checks the published file format.

There are two ways through a file. The fast one lets polars parse blocks of lines and checks whole columns;
it knows that something is wrong, not where. The slow one goes line by line, accepts the same files, and names
the place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import polars as pl

from probsense.core.errors import InputError, brief
from probsense.core.files import Place, open_bytes, read_jsonl
from probsense.core.files.cache import cached_frame
from probsense.core.records import digest
from probsense.tasks.worldsense.audit.described import described_difficulty, described_form
from probsense.tasks.worldsense.questions.format import (
    DIFFICULTY,
    FORM,
    GOLDS,
    PROBLEMS,
    SKINS_FILE,
    TRIALS_FILES,
    deobfuscate,
)

TRIALS_VERSION = 4
"""This number rises whenever the columns of :func:`read_trials` change, so that old copies are not used."""

SCHEMA: Mapping[str, pl.DataType] = MappingProxyType(
    {
        "key": pl.Int64(),
        "problem": pl.String(),
        "tuple_id": pl.String(),
        "size": pl.Int64(),
        "skin": pl.String(),
        "qskin": pl.String(),
        "complexity": pl.String(),
        "query_len": pl.Int64(),
        "span": pl.Int64(),
        "expected": pl.List(pl.String()),
        "gold": pl.String(),
        "facts": pl.Int64(),
        "depth": pl.Int64(),
        "form": pl.String(),
    }
)
"""Columns of the trials frame, those of :data:`DIFFICULTY` and the form null where they are not known; ``text``
(String) is added on request."""

# Column of the frame -> field of the file, for the fields that are taken over as they stand.
_FIELDS = {
    "key": "Key",
    "problem": "problemname",
    "tuple_id": "tuple_ID",
    "size": "problemsize",
    "skin": "skin",
    "qskin": "qskin",
    "complexity": "complexity",
    "query_len": "query_len",
    "span": "span",
    "expected": "expectedresp",
}
_INTEGERS = ("size", "query_len")
_STRINGS = ("tuple_id", "skin", "qskin", "complexity")

# A JSON value that is no string looks so once polars has made a string of it.
_NO_STRING = r"^(?:-?[\d.]+(?:[eE][+-]?\d+)?|true|false|[\[{][\s\S]*)$"

_BLOCK = 4 << 20


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


def read_trials(folder: Path, *, text: bool = False) -> pl.DataFrame:
    """Read and check the trials of a test-set folder.

    Parameters
    ----------
    folder : Path
        Holds ``trials.jsonl.bz2`` (or ``trials.jsonl``), the WorldSense specification, section 1.
    text : bool
        Whether the prompts are wanted too.

    Returns
    -------
    DataFrame
        One row per trial, in the order of the file, with the columns of :data:`SCHEMA` (and ``text``). Where a set does
        not record facts, depth and form, they are computed from ``descr`` and ``query``, if it has these.

    Raises
    ------
    InputError
        For a file that cannot be read or holds no trials; for a line with a missing field, a value of a wrong
        type, an unknown problem or gold, responses that are not the problem's, or a repeated key; for a tuple
        that does not hold exactly one trial per allowed response.
    """
    path = find_trials(folder)
    frame = _read_blocks(path, text)
    return frame if frame is not None and _sound(frame) else read_trials_by_line(path, text=text)


def _with_difficulty(frame: pl.DataFrame) -> pl.DataFrame:
    """Replace the columns descr and query, which describe questions, by what is not recorded: difficulty and form."""
    lacking = frame.filter(pl.col("facts").is_null() | pl.col(FORM).is_null())
    unknown = lacking.select("problem", "size", "descr", "query").unique()
    rows = [
        (*question, *(found or (None, None)), described_form(*question))
        for question in unknown.drop_nulls().iter_rows()
        for found in [described_difficulty(*question)]
    ]
    kinds = {name: frame.schema[name] for name in unknown.columns}
    told = pl.DataFrame(
        rows,
        schema=kinds
        | {"described_facts": pl.Int64(), "described_depth": pl.Int64(), "described_form": pl.String()},
        orient="row",
    )
    joined = frame.join(told, on=unknown.columns, how="left", maintain_order="left")
    # The siblings of a tuple share the largest depth, as in generated sets.
    return joined.with_columns(
        pl.coalesce(FORM, "described_form"),
        pl.coalesce("facts", "described_facts"),
        pl.coalesce("depth", pl.col("described_depth").max().over("tuple_id")),
    ).drop("descr", "query", "described_facts", "described_depth", "described_form")


def _line_blocks(path: Path) -> Iterator[bytes]:
    """Yield the uncompressed file in pieces of whole lines."""
    rest = b""
    with open_bytes(path) as stream:
        while block := stream.read(_BLOCK):
            head, newline, tail = block.rpartition(b"\n")
            if newline:
                yield rest + head
                rest = tail
            else:
                rest += block
    if rest:
        yield rest


def _read_blocks(path: Path, text: bool) -> pl.DataFrame | None:
    """Read the fast way; None where the file has a fault."""
    wanted: dict[str, pl.DataType] = {field: SCHEMA[column] for column, field in _FIELDS.items()}
    wanted |= {"text": pl.String()} if text else {}
    wanted |= {field: SCHEMA[field] for field in (*DIFFICULTY, FORM)}
    wanted |= {name: pl.String() for name in ("goldresp", "goldresp_obfusc", "descr", "query")}
    shown = pl.col("goldresp_obfusc").replace_strict(GOLDS, default=None, return_dtype=pl.String)
    columns = [pl.col(field).alias(column) for column, field in _FIELDS.items()]
    columns += [
        pl.coalesce("goldresp", shown).alias("gold"),
        *map(pl.col, (*DIFFICULTY, FORM, "descr", "query")),
    ]
    columns += [pl.col("text")] if text else []
    blocks = []
    try:
        for block in _line_blocks(path):
            blocks.append(pl.read_ndjson(block, schema=wanted).select(columns))
    except (pl.exceptions.PolarsError, OSError, EOFError):
        return None
    return _with_difficulty(pl.concat(blocks, rechunk=True)) if blocks else None


def _sound(frame: pl.DataFrame) -> bool:
    """Whether every rule holds that :func:`read_trials_by_line` checks, as far as columns can tell."""
    strings = [c for c in (*_STRINGS, FORM, "text") if c in frame.columns]
    filled = frame.select(pl.exclude("span", *DIFFICULTY, FORM).null_count()).row(0)
    if frame.is_empty() or any(filled) or frame["key"].n_unique() < frame.height:
        return False
    if frame.select(pl.any_horizontal(pl.col(c).str.contains(_NO_STRING).any() for c in strings)).item():
        return False
    joined = {problem: "|".join(responses) for problem, responses in PROBLEMS.items()}
    number = {problem: i for i, problem in enumerate(PROBLEMS)}
    bit = {gold: 1 << i for responses in PROBLEMS.values() for i, gold in enumerate(responses)}
    checks = frame.select(
        "tuple_id",
        "size",
        pl.col("expected").list.join("|"),
        pl.col("expected").list.len().cast(pl.Int64).alias("responses"),
        pl.col("expected").list.contains(pl.col("gold")).alias("gold allowed"),
        pl.col("problem").replace_strict(joined, default=None, return_dtype=pl.String).alias("allowed"),
        pl.col("problem").replace_strict(number, default=None, return_dtype=pl.Int64),
        pl.col("gold").replace_strict(bit, default=None, return_dtype=pl.Int64).alias("bit"),
    )
    if checks["allowed"].null_count() or not (checks["allowed"] == checks["expected"]).all():
        return False
    if not checks["gold allowed"].all():
        return False
    # n responses, each a bit of its own, add up to all n bits only if each occurs once.
    tuples = checks.group_by("tuple_id").agg(
        (pl.len() == pl.col("responses").first()).alias("size of tuple"),
        pl.col("bit").sum().alias("bits"),
        pl.col("responses").first(),
        (pl.col("problem").min() == pl.col("problem").max()).alias("one problem"),
        (pl.col("size").min() == pl.col("size").max()).alias("one size"),
    )
    whole = (tuples["bits"] == 3) & (tuples["responses"] == 2) | (tuples["bits"] == 7) & (
        tuples["responses"] == 3
    )
    return bool((whole & tuples["size of tuple"] & tuples["one problem"] & tuples["one size"]).all())


def read_trials_by_line(path: Path, *, text: bool = False) -> pl.DataFrame:
    """Read as :func:`read_trials`, line by line: slowly, but exact about the place of whatever is wrong.

    Parameters
    ----------
    path : Path
        The file itself.
    text : bool
        Whether the prompts are wanted too.

    Returns
    -------
    DataFrame
        As from :func:`read_trials`.

    Raises
    ------
    InputError
        As from :func:`read_trials`, with the line.
    """
    rows: list[dict[str, Any]] = []
    places: list[Place] = []
    seen: dict[int, Place] = {}
    for line, record in read_jsonl(path):
        place = Place(path, line)
        row = _row(record, place, text)
        place.once(row["key"], "Key", seen, "unique keys")
        rows.append(row)
        places.append(place)
    if not rows:
        raise InputError("holds no trials", path=path, expected="one JSON object per line")
    _check_tuples(rows, places)
    wanted = dict(SCHEMA) | {"descr": pl.String(), "query": pl.String()}
    frame = pl.DataFrame(rows, schema=wanted | ({"text": pl.String()} if text else {}), orient="row")
    return _with_difficulty(frame)


def _row(record: dict[str, Any], place: Place, text: bool) -> dict[str, Any]:
    """Check one line, and return its columns."""

    def value(field: str) -> Any:
        if field not in record:
            expected = f"the fields {', '.join(_FIELDS.values())} and goldresp_obfusc"
            raise place.fault(f"field {field!r} is missing", expected)
        return record[field]

    def string(field: str) -> str:
        return place.text(value(field), field)

    def integer(field: str) -> int:
        return whole_64(place, value(field), field)

    problem = string("problemname")
    if problem not in PROBLEMS:
        raise place.fault(f"unknown problem {brief(problem)}", f"one of {', '.join(PROBLEMS)}")
    allowed = list(PROBLEMS[problem])
    expected = value("expectedresp")
    if not isinstance(expected, list) or [_as_text(x) for x in expected] != allowed:
        raise place.wrong(expected, "expectedresp", f"{allowed} for {problem}")
    gold = _as_text(record.get("goldresp"))
    if gold is None:
        word = string("goldresp_obfusc")
        if word not in GOLDS:
            raise place.fault(f"unknown gold {brief(word)}", f"one of {', '.join(GOLDS)}")
        gold = deobfuscate(word)
    if gold not in allowed:
        raise place.wrong(gold, "gold", f"one of {', '.join(allowed)} for {problem}")
    row: dict[str, Any] = {"key": integer("Key"), "problem": problem}
    row |= {column: string(_FIELDS[column]) for column in _STRINGS}
    row |= {column: integer(_FIELDS[column]) for column in _INTEGERS}
    row |= {
        "span": None if record.get("span") is None else integer("span"),
        "expected": allowed,
        "gold": gold,
    }
    for field in (*DIFFICULTY, FORM):
        known = record.get(field) is not None
        row[field] = (string if SCHEMA[field] == pl.String else integer)(field) if known else None
    row |= {field: _description(record.get(field)) for field in ("descr", "query")}
    return row | ({"text": string("text")} if text else {})


def _description(value: Any) -> str | None:
    """Return a description of a question; only a text can be one of the published form."""
    return value if isinstance(value, str) else None


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
                        f"tuple {brief(name)} has {_FIELDS[column]} {rows[i][column]} here",
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
    """Load the checked trials of a test-set folder, without their texts; the second time from the cache."""
    if not cache:
        return read_trials(folder)
    return cached_frame(
        find_trials(folder), f"worldsense-trials-{TRIALS_VERSION}", lambda: read_trials(folder)
    )
