"""People's answers to frames as a table: a row for each answer with its count, or for each time that one was given."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import polars as pl

from probsense.analysis.open_answers.questions import Cluster
from probsense.core.errors import brief
from probsense.core.files import Place
from probsense.core.files.tables import Table
from probsense.tasks.frames.questions.frames import Frame, counts_of, frame_of
from probsense.tasks.shared.tables.answers import read_answers, row_groups
from probsense.tasks.shared.tables.columns import OPEN

ABOUT: Final = ("context", "slot", "question")
"""Columns that say the same in all rows of a frame."""
NAMING: Final = ("context", "question", "slot")
"""What names a frame without an id, in this order."""
ROLES: Final = ("question", "answer", "person", "count")
"""What single columns may be."""


def frames_of_table(
    table: Table, columns: str | Sequence[str] = ()
) -> tuple[list[tuple[Place, Frame]], str, Sequence[str]]:
    """Make the frames of a table, and tell how it was read, and what of it counts for nothing.

    Rows belong to one frame if they have one ``id``, or without that column one context and question. Without
    ``count``, each row is one person's answer. ``cluster`` names the cluster to which people assigned the answer. A row
    with a count, or with a cluster, has an answer of its own; a row without an answer counts for nothing.

    Raises
    ------
    InputError
        For a missing column, a count that is no whole number from 1, an answer that comes twice with a count, and rows
        of one frame that differ in what they say of it; the error names the line.
    """
    table.refuse_other_case("id", *ABOUT, "cluster", expected=OPEN)
    read = read_answers(table, columns, about=("id", "context", "slot", "cluster"), roles=ROLES, listed=False)
    frame = read.table.frame.drop({*read.columns} - {*read.columns.values()}, strict=False)
    frame = frame.rename({name: role for role, name in read.columns.items()})
    if "text" in frame.columns:  # what was asked in the columns that are questions
        frame = frame.rename({"question": "id", "text": "question"})
    table = replace(read.table, frame=frame)
    names = {*frame.columns}
    if "slot" in names:
        table.columns("context", expected=OPEN)
    if "id" in names:
        table.texts("id", "an id")
    given = [table.values(name).to_list() for name in (("id",) if "id" in names else ABOUT) if name in names]
    answers = table.values("answer").to_list()
    clusters = table.values("cluster").to_list() if "cluster" in names else [None] * len(answers)
    counts = _counts(table, answers)
    lines = [*table.lines()]
    frames = []
    for key, rows, about in row_groups(table, zip(*given, strict=True), ABOUT):
        first = table.row(rows[0])
        part = "" if lines else f"row {first + 1}"
        place = Place(table.path, lines[first] if lines else None, part=part)
        if not about.get("question") and not {"context", "slot"} <= {*about}:
            raise place.fault("no question", "a question, or a context and a slot")
        name = key[0] if "id" in names else " ".join(about[one] for one in NAMING if one in about)
        raw, groups = _answers(table, rows, answers, clusters, counts)
        if raw:
            counts_of(place, raw, "answers", place.word)
        elif "context" not in about:
            raise place.fault(f"nobody answered {brief(about['question'])}", "an answer")
        frames.append((place, frame_of(place, str(name), about, raw, groups)))
    empty = answers.count(None)
    return frames, read.said, (*read.dropped, *([f"rows without an answer ({empty:,})"] if empty else []))


def _counts(table: Table, answers: Sequence[str | None]) -> list[int] | None:
    if "count" not in table.frame.columns:
        return None
    found = table.whole_numbers("count", missing=True)
    given = pl.Series([answer is not None for answer in answers])
    table.refuse((found.fill_null(0) < 1) & given, "count", "a whole number from 1")
    return found.to_list()


def _answers(
    table: Table,
    rows: Sequence[int],
    answers: Sequence[str | None],
    clusters: Sequence[str | None],
    counts: Sequence[int] | None,
) -> tuple[Counter[str], list[Cluster]]:
    """Count the answers in the rows of a frame, and list their clusters."""
    raw: Counter[str] = Counter()
    first: dict[tuple[str, str | None], int] = {}
    for row in rows:
        answer, cluster = answers[row], clusters[row]
        if answer is None:
            continue
        earlier = first.setdefault((answer, cluster), row)
        if counts is not None and earlier != row:
            again = f"answer {brief(answer)} again, first {table.place(earlier)}"
            raise table.fault(row, again, "each answer to a question once, with its count")
        raw[answer] += 1 if counts is None else counts[row]
    groups: dict[str, list[str]] = {}
    for answer, cluster in first:
        if cluster is not None:
            groups.setdefault(cluster, []).append(answer)
    return raw, [Cluster(name, sum(raw[one] for one in own), (*own,)) for name, own in groups.items()]
