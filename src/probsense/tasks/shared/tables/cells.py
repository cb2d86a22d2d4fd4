"""Tables with lists or mappings in their cells, written as JSON or as Python prints them."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Sequence
from typing import Any, Final

import polars as pl

from probsense.core.errors import InputError
from probsense.core.files.place import LARGEST
from probsense.core.files.table import NoColumnError, Table, columns_named, some
from probsense.tasks.shared.tables.columns import AnswerTable, Columns, single_columns
from probsense.tasks.shared.tables.shares import sums_to

_PRINTED: Final = re.compile(r"^(?:defaultdict|OrderedDict|Counter)\((?:<class '\w+'>, )?(.*)\)$", re.DOTALL)
"""How Python prints mappings of other classes."""


def nested(cell: str) -> list[Any] | dict[Any, Any] | None:
    """Read a cell that holds a list or a mapping.

    The text is parsed as a literal, and never evaluated.

    Parameters
    ----------
    cell : str

    Returns
    -------
    list or dict or None
        None for any other text.
    """
    text = cell.strip()
    if printed := _PRINTED.match(text):
        text = printed[1]
    if text[:1] not in ("[", "{"):
        return None
    for read in (json.loads, ast.literal_eval):
        try:
            found = read(text)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            continue
        if isinstance(found, list | dict):
            return found
    return None


def nested_column(table: Table, name: str) -> list[Any]:
    """Read a column of lists or mappings; nothing if it holds anything else."""
    if table.frame[name].dtype != pl.String:
        return []
    found: list[Any] = []
    for cell in table.frame[name]:
        found.append(None if cell is None else nested(cell))
        if cell is not None and found[-1] is None:
            return []
    return found if any(one is not None for one in found) else []


def answers_in_cells(table: Table, columns: Columns, about: Sequence[str]) -> AnswerTable | None:
    """Give each option a row of its own, where cells hold the numbers of all options of a question.

    Numbers are a list beside a list of options, or a mapping of options to them, for everybody or by group.

    Parameters
    ----------
    table : Table
    columns : Mapping
    about : sequence of str
        Further columns that the reader knows.

    Returns
    -------
    AnswerTable or None
        None if no cells hold numbers.

    Raises
    ------
    InputError
        For several columns of numbers or options, numbers that are not as many as options or below 0, and numbers that
        may be shares or counts.
    """
    cells = {name: own for name in table.frame.columns if (own := nested_column(table, name))}
    answers, none = columns.get("answer", ()), columns.get("none", ())
    chosen = (*columns.get("count", ()), *columns.get("share", ()))
    numbers = [
        name for name in cells if all(map(_has_numbers, cells[name])) and name not in (*answers, *none)
    ]
    numbers = [name for name in numbers if name in chosen] or numbers
    lists = [
        name
        for name in cells
        if name not in (*numbers, *none) and not any(isinstance(one, dict) for one in cells[name])
    ]
    lists = [name for name in lists if name in answers] or lists
    if not numbers or (not lists and not any(isinstance(one, dict) for one in cells[numbers[0]])):
        return None
    for names, what, roles in ((numbers, "numbers", ("count", "share")), (lists, "lists", ("answer",))):
        if len(names) > 1:
            expected = " or ".join(f"--columns {role}=NAME" for role in roles)
            raise InputError(f"the columns {some(names)} hold {what}", path=table.path, expected=expected)
    single = {role: name for role, name in single_columns(columns).items() if role in ("question", "group")}
    if "question" not in single:
        raise NoColumnError("has no column question", path=table.path, expected="--columns question=NAME")
    options = cells[lists[0]] if lists else [None] * table.frame.height
    found = [
        (row, group, str(option), _checked(table, row, numbers[0], number))
        for row, value in enumerate(cells[numbers[0]])
        for group, given in _by_group(value or {})
        for option, number in _pairs(table, row, numbers[0], given, options[row])
    ]
    role = _unit(table, numbers[0], found, columns)
    made = {"answer": [option for _, _, option, _ in found], role: [number for *_, number in found]}
    if any(group for _, group, _, _ in found):
        single["group"], made["group"] = "group", [group for _, group, _, _ in found]
    kept = [name for name in (*single.values(), *about) if name in table.frame.columns]
    return AnswerTable(
        table.taken([row for row, *_ in found], kept, **made),
        {**single, "answer": "answer", role: role},
        f"a row for each question, its {role}s in the cells of {numbers[0]} ({', '.join(table.how)})",
        columns_named([name for name in table.frame.columns if name not in (*kept, *numbers, *lists)]),
    )


def _has_numbers(value: Any) -> bool:
    """Tell whether a cell holds numbers: for each option, or for each group; an empty cell may."""
    parts = [*(value.values() if isinstance(value, dict) else value or ())]
    if isinstance(value, dict) and parts and all(isinstance(one, list | dict) for one in parts):
        return all(map(_has_numbers, parts))
    return all(isinstance(one, int | float) and not isinstance(one, bool) for one in parts)


def _by_group(value: Any) -> list[tuple[str, Any]]:
    """List the numbers of each group; one without a name where there are no groups."""
    grouped = isinstance(value, dict) and any(isinstance(one, list | dict) for one in value.values())
    return [(str(group), given) for group, given in value.items()] if grouped else [("", value)]


def _pairs(table: Table, row: int, name: str, given: Any, options: Any) -> list[tuple[Any, float]]:
    """Pair options with their numbers."""
    if isinstance(given, dict):
        return [*given.items()]
    if len(given) != len(options or ()):
        expected = f"one for each of the {len(options or ())} options"
        raise table.fault(row, f"{name} has {len(given)} numbers", expected)
    return [*zip(options, given, strict=True)]


def _checked(table: Table, row: int, name: str, number: float) -> float:
    if not 0 <= number <= LARGEST:
        raise table.fault(row, f"{name} has {number!r}", "numbers from 0")
    return float(number)


def _unit(table: Table, name: str, found: Sequence[tuple[int, str, str, float]], columns: Columns) -> str:
    """Tell whether numbers are counts or shares."""
    for role in ("count", "share"):
        if name in columns.get(role, ()):
            return role
    totals: dict[tuple[int, str], float] = {}
    for row, group, _, number in found:
        totals[row, group] = totals.get((row, group), 0.0) + number
    if not all(number.is_integer() for *_, number in found):
        return "share"
    if sums_to(totals.values(), 1) or sums_to(totals.values(), 100):
        expected = "--columns share=NAME if they are shares, --columns count=NAME if so many people answered"
        raise InputError(f"the numbers of {name} sum to 1 or 100", path=table.path, expected=expected)
    return "count"
