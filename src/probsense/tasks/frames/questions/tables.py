"""People's answers to frames as a table: a row for each answer with its count, or for each time that one was given."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import polars as pl

from probsense.core.errors import brief
from probsense.core.files import Place
from probsense.core.files.tables import Table
from probsense.core.records import Json

ABOUT: Final = ("context", "slot", "question")
"""Columns that say the same in all rows of a frame."""
KNOWN: Final = ("id", *ABOUT, "answer", "count", "cluster")
PEOPLE: Final = ("person", "participant", "rater")
"""Columns whose numbers name people, and count nothing."""
COUNTED: Final = "the name count if each row stands for so many answers, else a table without that column"
EXPECTED: Final = "the columns question (or context and slot) and answer, and if need be count, cluster, id"


class Records(NamedTuple):
    """The frames of a table as records of JSON lines, how it was read, and what of it counts for nothing."""

    records: list[tuple[Place, dict[str, Any]]]
    said: str
    dropped: tuple[str, ...]


@dataclass(slots=True)
class _Rows:
    """What the rows of one frame say: its first row, what it is about, and the counts of its answers by cluster."""

    first: int
    about: dict[str, tuple[int, str]] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    clusters: dict[str, list[str]] = field(default_factory=dict)


def frames_of_table(table: Table) -> Records:
    """Turn a table into the records that a file of JSON lines has: one for each frame.

    Rows belong to one frame if they have one ``id``, or without that column one context and question. Without
    ``count``, each row is one person's answer. ``cluster`` names the cluster to which people assigned the answer. A row
    with a count, or with a cluster, has an answer of its own; a row without an answer counts for nothing.

    Raises
    ------
    InputError
        For a missing column, a count that is no whole number from 1, an answer that comes twice with a count, and rows
        of one frame that differ in what they say of it; the error names the line.
    """
    table.refuse_other_case(*KNOWN, expected=EXPECTED)
    names = {*table.frame.columns}
    table.columns("answer", *(("question",) if "slot" not in names else ("context",)), expected=EXPECTED)
    left_out = table.left_out((*KNOWN, *PEOPLE), COUNTED, any_number=True)
    cells: dict[str, list[str | None]] = {
        name: table.values(name).to_list() for name in KNOWN if name in names and name != "count"
    }
    answers, clusters = cells["answer"], cells.get("cluster", [None] * table.frame.height)
    keys = [
        *zip(*(cells[name] for name in (("id",) if "id" in names else ABOUT) if name in names), strict=True)
    ]
    if "id" in names:
        table.texts("id", "an id")
    counts = _counts(table, answers)
    found: dict[tuple[str | None, ...], _Rows] = {}
    seen: dict[tuple[object, ...], int] = {}
    for row, (key, answer, cluster) in enumerate(zip(keys, answers, clusters, strict=True)):
        rows = found.setdefault(key, _Rows(row))
        for name in ABOUT:
            if name in names:
                table.keep_same(rows.about, row, name, cells[name][row], "the same in all rows of a frame")
        if answer is not None:
            first = seen.setdefault((key, answer, cluster), row)
            if counts is not None and first != row:
                again = f"answer {brief(answer)} again, first {table.place(first)}"
                raise table.fault(row, again, "each answer to a question once, with its count")
            rows.counts[answer] += 1 if counts is None else counts[row]
            if cluster is not None and answer not in rows.clusters.setdefault(cluster, []):
                rows.clusters[cluster].append(answer)
    lines = [*table.lines()]
    records = []
    for key, rows in found.items():
        part = "" if lines else f"row {rows.first + 1}"
        place = Place(table.path, lines[rows.first] if lines else None, part=part)
        records.append((place, _record(table, rows, key[0] if "id" in names else None)))
    empty = sum(answer is None for answer in answers)
    each = "a row for each time that one was given" if counts is None else "each with its count"
    said = f"a table of answers: {each} ({', '.join(table.how)})"
    return Records(records, said, (*left_out, *([f"rows without an answer ({empty:,})"] if empty else [])))


def _counts(table: Table, answers: Sequence[str | None]) -> list[int] | None:
    if "count" not in table.frame.columns:
        return None
    found = table.whole_numbers("count", missing=True)
    given = pl.Series([answer is not None for answer in answers])
    table.refuse((found.fill_null(0) < 1) & given, "count", "a whole number from 1")
    return found.to_list()


def _record(table: Table, rows: _Rows, name: str | None) -> dict[str, Any]:
    about = {key: value for key, (_, value) in rows.about.items()}
    if not {"question", "slot"} & {*about}:
        raise table.fault(rows.first, "no question", "a question, or a slot")
    id_ = name or " ".join(about[key] for key in ("context", "question", "slot") if key in about)
    if not rows.counts and "context" not in about:
        raise table.fault(rows.first, f"nobody answered {brief(about.get('question', id_))}", "an answer")
    return frame_record(id_, about, rows.counts, rows.clusters)


def frame_record(
    name: str,
    about: Mapping[str, Json],
    counts: Mapping[str, int],
    clusters: Mapping[str, Sequence[str]] = MappingProxyType({}),
) -> dict[str, Any]:
    """Write a frame in the layout of the package; one without an event of its own as a published target."""
    if "context" in about:
        inside = {label: {one: counts[one] for one in own} for label, own in clusters.items()}
        answers = {"answers": dict(counts), "clusters": inside}
        return {"id": name, **about, **{key: value for key, value in answers.items() if value}}
    groups = {label: {"answers": own} for label, own in clusters.items()}
    return {
        "metadata": {"id": name},
        "question": {"original": about.get("question", "")},
        "answers": {"raw": dict(counts), **({"clusters": groups} if groups else {})},
    }
