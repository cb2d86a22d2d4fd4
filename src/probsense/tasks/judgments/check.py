"""Says what was understood of a table of statements, or of people's ratings, and shows some of its rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import polars as pl

from probsense.core.files.tables import Table, read_table
from probsense.core.records import Json
from probsense.show.text import counted
from probsense.tasks.judgments.people.answers import read_majority, read_people
from probsense.tasks.judgments.people.wide import is_wide
from probsense.tasks.judgments.questions.statements import read_statements
from probsense.tasks.judgments.questions.yes_no import QUESTIONS, Reading
from probsense.tasks.shared.tables.columns import person_column
from probsense.tasks.shared.understood import SHOWN, Understood, run_command

SAID: Final = {1: "yes", 0: "no", None: "nothing"}


def check_data(
    file: Path, *, data: Path | str | None = None, labels: Sequence[str] = (), columns: Sequence[str] = ()
) -> Understood:
    """Read a table of statements, or of what people say of them, and say what was understood.

    Parameters
    ----------
    file : Path
        A table of statements, of people's ratings, or of what most people say.
    data : Path or str, optional
        The statements that ratings are about.
    labels, columns
        As for :class:`probsense.tasks.judgments.task.Judgments`.
    """
    reading = Reading.of(labels, columns)
    table = reading.renamed(read_table(Path(file)))
    statements = None if data is None else read_statements(Path(data))
    if person_column(table) is None and not is_wide(table, reading):
        names = {*table.frame.columns}
        if {"majority", "human_q1", "share"} & names or {"yes", "no"} <= names:
            return _majority(table, statements, reading, data=data, labels=labels, columns=columns)
        if "statement" in names:
            return _statements(table)
    frame, said, dropped, _ = read_people([table.path], statements, reading)
    people, about = frame["person"].n_unique(), frame["statement_id"].n_unique()
    counts: dict[str, Json] = {}
    answers = []
    for name in QUESTIONS:
        said_by = Counter(frame[name].to_list())
        counts[name] = {"yes": said_by[1], "no": said_by[0], "unanswered": said_by[None]}
        answers.append(f"{name}: {said_by[1]:,} yes, {said_by[0]:,} no, {said_by[None]:,} unanswered")
    texts = {} if statements is None else dict(statements.select("statement_id", "statement").iter_rows())
    told = [f"{text} is {SAID[rating]}" for text, rating in reading.texts.items()]
    return Understood(
        f"{people:,} {'person' if people == 1 else 'people'} and {counted(about, 'statement')}; {'; '.join(answers)}",
        {"people": people, "statements": about, **counts},
        said,
        [
            (f"{person}, statement {one}", f"{texts.get(one, '')}\nq1 {SAID[q1]}, q2 {SAID[q2]}".lstrip())
            for one, person, q1, q2 in frame.head(SHOWN).iter_rows()
        ],
        run_command("judgments", data=data, humans=file, labels=labels, columns=columns),
        dropped=dropped,
        more=[f"labels: {'; '.join(told)}"] if told else [],
    )


def _majority(table: Table, statements: pl.DataFrame | None, reading: Reading, **given: object) -> Understood:
    if statements is None and "statement_id" not in table.frame.columns:
        statements, given["data"] = read_statements(table.path), table.path
    frame = read_majority(table.path, statements, reading)
    said = Counter(frame["majority"].to_list())
    return Understood(
        f"what most people say of {counted(frame.height, 'statement')}: {said[1]:,} yes, {said[0]:,} no",
        {"statements": frame.height, "yes": said[1], "no": said[0]},
        f"a table of what most people say ({', '.join(table.how)})",
        [(f"statement {number}", SAID[majority]) for number, majority in frame.head(SHOWN).iter_rows()],
        run_command("judgments", **given, majority=table.path),
    )


def _statements(table: Table) -> Understood:
    statements = read_statements(table.path)
    further = [name for name in statements.columns if name not in ("statement_id", "statement")]
    known = f"of each {', '.join(further)}" if further else "nothing else of them"
    return Understood(
        f"{counted(statements.height, 'statement')}, and {known}",
        {"statements": statements.height, "columns": [*further]},
        f"a table of statements ({', '.join(table.how)})",
        [
            (f"statement {number}", text)
            for number, text in statements.head(SHOWN).select("statement_id", "statement").iter_rows()
        ],
        run_command("judgments", data=table.path),
    )
