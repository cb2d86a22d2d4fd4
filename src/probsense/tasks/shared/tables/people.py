"""Tables with a row for each person and a column for each question, as programs export them, and their dictionaries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import polars as pl

from probsense.core.errors import InputError, plain
from probsense.core.files.table import COUNTS, Table, columns_named, some
from probsense.show.text import counted
from probsense.tasks.shared.tables.columns import (
    EXPECTED,
    NAMES,
    AnswerTable,
    Columns,
    bare,
    beside_answers,
    single_columns,
)

SETTLED: Final = "--columns questions=NAME for each question (* stands for any text), or --columns none=NAME"
"""What the user says where columns may be something else than questions."""
_ABOUT: Final = ("person", "weight", "group")
"""What a column may say of a person."""
_FEW, _MANY = 5, 20
"""A column with more different answers than so few may be no question with fixed ones, if it has few others."""
_TICKED: Final = (" [{}]", " - {}")
"""How the heading of a column that people tick ends, with the option."""

_COLUMNS: Final = ("Variable / Field Name", "Field Label", "Choices, Calculations, OR Slider Labels")
_TRUTH: Final = {"yesno": {"1": "Yes", "0": "No"}, "truefalse": {"1": "True", "0": "False"}}
"""What the kinds of fields mean that have no choices of their own."""


def without_trials(table: Table) -> tuple[Table, list[str]]:
    """Leave out the rows of a survey's export that are trials, spam or unfinished, and say so.

    The columns ``Status`` and ``Finished`` say so where ids that Qualtrics or Prolific gives stand beside them.

    Raises
    ------
    InputError
        For a table without another row.
    """
    names = {bare(name): name for name in table.frame.columns}
    if not {"responseid", "submissionid"} & names.keys():
        return table, []
    counts = pl.repeat(True, table.frame.height, eager=True)
    for name, values in NAMES["not_counted"].items():
        if name in names:
            counts &= ~table.values(names[name]).fill_null("").str.to_lowercase().is_in(values)
    left = table.frame.height - int(counts.sum())
    if left == table.frame.height:
        raise InputError("holds no finished answers", path=table.path, expected="answers that count")
    kept = table.taken(counts.arg_true().to_list(), table.frame.columns)
    return kept, [f"trials and unfinished answers ({counted(left, 'row')})"] if left else []


def answers_of_people(table: Table, columns: Columns, *, listed: bool) -> AnswerTable:
    """Give each answer of a table with a row for each person a row of its own.

    Parameters
    ----------
    table : Table
    columns : Mapping
    listed : bool
        Whether questions have fixed answers, of which people may have given several.

    Raises
    ------
    InputError
        For a person who stands twice, a column that may be a question or say who people are, a question without fixed
        answers, and a table without answers.
    """
    table, dropped = without_trials(table)
    names, left = _questions(table, columns, listed=listed)
    single = {role: name for role, name in single_columns(columns).items() if role in _ABOUT}
    if person := single.pop("person", None):
        table.texts(person, "a name")
        table.refuse_repeated(table.frame.select(person))
    found: list[tuple[int, str, str]] = []
    options: dict[str, Sequence[str]] = {}
    several = [name for name in names if listed and _holds_several(table, name, columns)]
    for question, members in _ticked(table, names).items():
        own = [
            (row, question, answer.strip())
            for name in members
            for row, cell in enumerate(table.figures(name))
            if cell is not None
            for answer in (cell.split(",") if name in several else (cell,))
        ]
        found += own
        if listed:
            answers = [answer for _, _, answer in own]
            options[question] = table.labels.get(members[0]) or _by_number(answers)
    if not found:
        raise InputError("holds no answers", path=table.path, expected=EXPECTED)
    rows, questions, answers = map(list, zip(*found, strict=True))
    people = table.values(person) if person else pl.Series(range(1, table.frame.height + 1)).cast(pl.String)
    made = {"question": questions, "answer": answers, "person": people.gather(rows)}
    if table.asked:
        made["text"] = [table.asked.get(question, question) for question in questions]
    parts = f"; several answers in a cell of {some(several)}" if several else ""
    asked = counted(len({*questions}), "question")
    return AnswerTable(
        table.taken(rows, single.values(), **made),
        {**single, **{role: role for role in ("question", "answer", "person")}},
        f"{table.frame.height:,} people × {asked}, a column for each{parts} ({', '.join(table.how)})",
        [*dropped, *left],
        options,
    )


def _questions(table: Table, columns: Columns, *, listed: bool) -> tuple[list[str], tuple[str, ...]]:
    """Find the columns that are questions, and say which are left out."""
    chosen = [*columns.get("questions", ()), *columns.get("multiple", ())]
    about = {name for role in (*_ABOUT, "none") for name in columns.get(role, ())}
    others = [
        name for name in table.frame.columns if table.frame[name].count() and name not in {*about, *chosen}
    ]
    if chosen:
        return chosen, columns_named(others)
    written = beside_answers(table)
    found = [name for name in others if name not in written]
    doubtful = [
        name
        for name in found
        if bare(name) in NAMES["doubtful"]["names"] or (COUNTS.search(name) and table.has_numbers(name))
    ]
    if doubtful:
        what = f"the column{'s' * (len(doubtful) > 1)} {some(doubtful)} may be no question"
        raise InputError(what, path=table.path, expected=SETTLED)
    for name in found if listed else ():
        given, different = table.frame[name].count(), table.frame[name].drop_nulls().n_unique()
        if different > _FEW and different > given * (0.5 if different > _MANY else 0.75):
            what = f"the column {plain(name)} has {different:,} different answers"
            raise InputError(what, path=table.path, expected=SETTLED)
    if not found:
        raise InputError("has no columns of questions", path=table.path, expected=SETTLED)
    return found, columns_named([name for name in others if name in written])


def _ticked(table: Table, names: Sequence[str]) -> dict[str, list[str]]:
    """Put together the columns that are the options of one question, which people tick, with the question's name.

    A column is one if its cells hold nothing but one text, with which its heading ends, and another of the same heading
    is like it.
    """
    found: dict[str, list[str]] = {}
    for name in names:
        cells = table.figures(name).drop_nulls().unique()
        ends = [form.format(cells[0]) for form in _TICKED] if len(cells) == 1 else []
        headings = (name, table.asked.get(name, ""))
        base = next((one.removesuffix(end) for one in headings for end in ends if one.endswith(end)), name)
        found.setdefault(base, []).append(name)
    return {base if len(own) > 1 else own[0]: own for base, own in found.items()}


def _holds_several(table: Table, name: str, columns: Columns) -> bool:
    """Tell whether cells hold several answers, joined by commas: each of these is all of another cell, too."""
    known = {*table.figures(name).drop_nulls()}
    joined = [one for one in known if "," in one]
    parts = {part.strip() for one in joined for part in one.split(",")}
    proved = bool(joined) and parts <= known and name not in columns.get("questions", ())
    return proved or name in columns.get("multiple", ())


def _by_number(answers: Sequence[str]) -> list[str]:
    """Return the different answers in the order of their numbers; none if they are no numbers."""
    different = [*dict.fromkeys(answers)]
    numbers = pl.Series(different, dtype=pl.String).cast(pl.Float64, strict=False)
    return [] if numbers.null_count() else [different[place] for place in numbers.arg_sort()]


def is_dictionary(table: Table) -> bool:
    """Tell whether a table is a data dictionary."""
    return {*_COLUMNS} <= {*table.frame.columns}


def with_texts(table: Table, dictionary: Table) -> Table:
    """Write the texts of answers for their codes, with what was asked and the order of the answers.

    Parameters
    ----------
    table : Table
        An export with raw values.
    dictionary : Table
    """
    asked = dict(table.asked)
    labels = dict(table.labels)
    texts = []
    kinds = dictionary.values("Field Type") if "Field Type" in dictionary.frame.columns else [None] * 10**6
    fields = (dictionary.values(name) for name in _COLUMNS)
    for field, label, choices, kind in zip(*fields, kinds, strict=False):
        pairs = (one.partition(",") for one in (choices or "").split("|") if "," in one)
        known = {code.strip(): text.strip() for code, _, text in pairs} or _TRUTH.get(kind or "", {})
        if field not in table.frame.columns:
            continue
        if label:
            asked[field] = label
        if known:
            labels[field] = [*known.values()]
            texts.append(table.values(field).replace(known).alias(field))
    return replace(table, frame=table.frame.with_columns(texts), asked=asked, labels=labels)
