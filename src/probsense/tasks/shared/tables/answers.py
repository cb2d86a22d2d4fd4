"""Tables of people's answers: the shape of a table is recognised, and each becomes a row for each answer or option.

A table has a row for each option of a question, for each answer, for each question or for each person, or it has lists
or mappings in its cells.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final, TypeVar

from probsense.core.errors import InputError, brief, plain
from probsense.core.files.table import NoColumnError, Table, columns_named
from probsense.tasks.shared.tables.columns import (
    EXPECTED,
    OPEN,
    SINGLE,
    AnswerTable,
    Columns,
    beside_answers,
    columns_of,
    nested,
    nested_column,
    single_columns,
)
from probsense.tasks.shared.tables.numbers import answers_in_cells, answers_in_columns
from probsense.tasks.shared.tables.people import answers_of_people

NOT_COUNTED: Final = "--columns with count=, share= or weight= and its name if it counts, or none= if not"


def read_answers(
    table: Table,
    given: str | Sequence[str] = (),
    *,
    about: Sequence[str] = (),
    roles: Collection[str] = SINGLE,
    listed: bool = True,
) -> AnswerTable:
    """Recognise the shape of a table, and make it one with a row for each answer or option.

    Parameters
    ----------
    table : Table
    given : str or sequence of str
        What the user says of columns, as for :func:`~probsense.tasks.shared.tables.columns.columns_of`.
    about : sequence of str
        Further columns that the reader knows.
    roles : collection of str
        The roles of columns that count.
    listed : bool
        Whether each question has fixed answers; else people answer in words of their own.

    Raises
    ------
    InputError
        For a table of no known shape, one that may be read in two ways, and cells that hold no answers.
    """
    columns = columns_of(table, given, roles=roles)
    named = table.frame.columns
    searched = named if listed else columns.get("answer", ())
    cells = {name: own for name in searched if (own := nested_column(table, name))}
    if listed and (found := answers_in_cells(table, cells, columns, about)):
        return found
    if "answer" in columns:
        parts = cells.get(columns["answer"][0], ())
        # A mapping in a cell names the questions.
        mapped = any(isinstance(one, dict) for one in parts)
        if "question" in columns or mapped or (not listed and "context" in named):
            return _of_answers(table, columns, about, parts)
    if listed and "question" in columns and not {"count", "share"} & columns.keys() and "order" not in named:
        return answers_in_columns(table, columns, about)
    of_people = {"person", "questions", "multiple"} & columns.keys() or beside_answers(table, proving=True)
    if not of_people or {"question", "answer"} & columns.keys():
        name = "answer" if "question" in columns else "question"
        raise NoColumnError(f"has no column {name}", path=table.path, expected=EXPECTED if listed else OPEN)
    return answers_of_people(table, columns, listed=listed)


def _of_answers(table: Table, columns: Columns, about: Sequence[str], parts: Sequence[Any]) -> AnswerTable:
    """Read a table with a row for each answer or option; cells of answers may hold several."""
    own = {name for names in columns.values() for name in names}
    written = [name for name in beside_answers(table) if name not in own and name not in about]
    dropped = (
        *columns_named(written),
        *table.left_out((*own, *about, *written), NOT_COUNTED, any_number=True),
    )
    single = single_columns(columns)
    counted = [role for role in ("count", "share", "weight") if role in single]
    if len(counted) > 1:
        found = " and ".join(plain(single[role]) for role in counted)
        raise InputError(f"has the columns {found}", path=table.path, expected="one of them")
    number = next((role for role in counted if role != "weight"), None)
    shape = f"a row for each answer with its {number}" if number else "a row for each answer"
    if not number and not parts:
        parts = [cell and nested(cell) for cell in table.values(single["answer"])]
    if several := not number and any(parts):
        table, single = _parted(table, single, parts), {"question": "question", **single}
        shape += ", several in a cell"
    return AnswerTable(table, single, f"{shape} ({', '.join(table.how)})", dropped, usual=not several)


def _parted(table: Table, single: Mapping[str, str], cells: Sequence[Any]) -> Table:
    """Give each answer a row, where cells hold lists of them, or mappings of questions to answers."""
    answer, question = single["answer"], single.get("question")
    names = table.values(question).to_list() if question else [None] * len(cells)
    found = []
    for row, (cell, whole) in enumerate(zip(cells, table.values(answer), strict=True)):
        own = cell.items() if isinstance(cell, dict) else ((None, one) for one in cell or [whole])
        for part, one in own:
            if isinstance(one, list | dict):
                raise table.fault(row, f"{answer} is {brief(whole)}", "answers")
            if one not in (None, ""):
                found.append((row, ": ".join(str(word) for word in (names[row], part) if word), str(one)))
    rows = [row for row, _, _ in found]
    made = {answer: [one for _, _, one in found], question or "question": [name for _, name, _ in found]}
    return table.taken(rows, table.frame.columns, **made)


Key = TypeVar("Key")


def row_groups(
    table: Table, keys: Iterable[Key], about: Sequence[str]
) -> list[tuple[Key, list[int], dict[str, str]]]:
    """Put together the rows that have one key; refuse those that differ in what they say.

    Parameters
    ----------
    table : Table
    keys : iterable
        The key of each row.
    about : sequence of str
        Columns that say the same in all rows of a key, where they say something; the table need not have them.

    Returns
    -------
    list of (key, list of int, dict of str to str)
        Each key with its rows, from 0, and what they say, by column.

    Raises
    ------
    InputError
        For a row that says something else than an earlier one of its key.
    """
    rows_of: dict[Key, list[int]] = {}
    for row, key in enumerate(keys):
        rows_of.setdefault(key, []).append(row)
    found = [(key, rows, dict[str, str]()) for key, rows in rows_of.items()]
    for name in about:
        values = table.values(name).to_list() if name in table.frame.columns else []
        for _, rows, known in found if values else ():
            said = [row for row in rows if values[row] is not None]
            for row in said:
                if values[row] != (first := values[said[0]]):
                    differs = f"{name} is {brief(values[row])}, but {brief(first)} {table.place(said[0])}"
                    raise table.fault(row, differs, f"the same {name} in all rows that belong together")
            known |= {name: values[said[0]]} if said else {}
    return found
