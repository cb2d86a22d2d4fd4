"""Tables with a row for each question, which say how many people chose each option, in a column for it or in cells.

Shares of people are of 1, of 100, or have percent signs.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import polars as pl

from probsense.core.errors import InputError, plain
from probsense.core.files.place import LARGEST
from probsense.core.files.table import COUNTS, NoColumnError, Table, columns_named, some
from probsense.tasks.shared.tables.columns import EXPECTED, AnswerTable, Columns, single_columns

TOLERANCE: Final = 0.05
"""How far shares may sum beside 1: they are rounded where they are published."""
_YEARS: Final = re.compile(r"(^|[^a-z])(year|years|date|wave|ids?|index|row|age)([^a-z]|$)", re.IGNORECASE)


def answers_in_columns(table: Table, columns: Columns, about: Sequence[str]) -> AnswerTable:
    """Give each option of a question a row of its own.

    Parameters
    ----------
    table : Table
    columns : Mapping
    about : sequence of str
        Further columns that the reader knows; beside ``people``, how many answered, numbers are shares.

    Raises
    ------
    InputError
        For a column that may be no option, a question that stands twice or has no numbers, and what is no number.
    """
    single = single_columns(columns)
    kept = [*single.values(), *(name for name in about if name in table.frame.columns)]
    names = [*columns.get("options", ())] or _proved_options(table, [*kept, *columns.get("none", ())])
    if not names:
        raise NoColumnError("has no column answer", path=table.path, expected=EXPECTED)
    cells = pl.DataFrame([read_shares(table, name).alias(name) for name in names])
    totals = cells.sum_horizontal()
    signed = any(table.frame[name].cast(pl.String).str.contains("%").any() for name in names)
    whole = all((own == own.floor()).all() for own in cells)
    rounded = not whole and (sums_to(totals, 1) or sums_to(totals, 100))
    role = "share" if "people" in kept or signed or rounded else "count"
    if role == "count":
        cells = pl.DataFrame([table.whole_numbers(name, missing=True).alias(name) for name in names])
    named = {one: pl.col(single[one]) for one in ("question", "group") if one in single}
    table.refuse_repeated(table.frame.select(**named))
    for row in cells.select(pl.all_horizontal(pl.all().is_null())).to_series().arg_true():
        raise table.fault(row, "a question with 0 options", "at least two")
    numbers = [(row, name, cells[name][row]) for row in range(cells.height) for name in names]
    given = [one for one in numbers if one[2] is not None]
    made = {"answer": [name for _, name, _ in given], role: [number for _, _, number in given]}
    return AnswerTable(
        table.taken([row for row, _, _ in given], kept, **made),
        {**single, "answer": "answer", role: role},
        f"a row for each question, a column for each option ({', '.join(table.how)})",
        columns_named([name for name in table.frame.columns if name not in (*kept, *names)]),
        usual=True,
    )


def _proved_options(table: Table, others: Sequence[str]) -> list[str]:
    """Find the columns that are options, where nothing else in the table speaks against one of them."""
    names = [name for name in table.frame.columns if name not in others]
    cells = {name: table.frame[name].cast(pl.String).cast(pl.Float64, strict=False) for name in names}
    for name, own in cells.items():
        rest = [cells[other] for other in names if other != name]
        if doubt := _doubt(name, own, rest):
            found = f"the column {plain(name)} {doubt}, and may be no option"
            raise InputError(found, path=table.path, expected="--columns options=NAME for each option")
    return names


def _doubt(name: str, own: pl.Series, rest: Sequence[pl.Series]) -> str:
    """Say why a column of numbers may be none of the options beside it."""
    if COUNTS.search(name) or _YEARS.search(name):
        return "is named like a number of people, a weight, an id or a year"
    if len(rest) > 1 and own.count() and (own == sum(one.fill_null(0) for one in rest)).all():
        return "is the sum of the others"
    years = [one.is_between(1900, 2100).all() and one.count() > 0 for one in (own, *rest)]
    if years[0] and not any(years[1:]):
        return "holds numbers like years"
    if len(own) > 2 and (own.diff().drop_nulls() == 1).all() and own.null_count() == 0:
        return "counts the rows"
    if len(own) > 2 and own.n_unique() == 1 and own[0] not in (0, None):
        return f"is {own[0]:g} in every row"
    return ""


def answers_in_cells(
    table: Table, cells: Mapping[str, Sequence[Any]], columns: Columns, about: Sequence[str]
) -> AnswerTable | None:
    """Give each option a row of its own, where cells hold the numbers of all options of a question.

    Numbers are a list beside a list of options, or a mapping of options to them, for everybody or by group.

    Parameters
    ----------
    table : Table
    cells : Mapping of str to sequence
        The columns of lists and mappings, as from :func:`~probsense.tasks.shared.tables.columns.nested_column`.
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
    answers, none = columns.get("answer", ()), columns.get("none", ())
    chosen = (*columns.get("count", ()), *columns.get("share", ()))
    mapped = [name for name, own in cells.items() if any(isinstance(one, dict) for one in own)]
    numbers = [name for name in cells if all(map(_has_numbers, cells[name])) and name not in answers + none]
    numbers = [name for name in numbers if name in chosen] or numbers
    lists = [name for name in cells if name not in (*numbers, *none, *mapped)]
    lists = [name for name in lists if name in answers] or lists
    if not numbers or (not lists and numbers[0] not in mapped):
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
        (row, group, str(option), number)
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
    if not isinstance(given, dict) and len(given) != len(options or ()):
        expected = f"one for each of the {len(options or ())} options"
        raise table.fault(row, f"{name} has {len(given)} numbers", expected)
    pairs = [*given.items()] if isinstance(given, dict) else [*zip(options, given, strict=True)]
    for _, number in pairs:
        if not 0 <= number <= LARGEST:
            raise table.fault(row, f"{name} has {number!r}", "numbers from 0")
    return [(option, float(number)) for option, number in pairs]


def _unit(table: Table, name: str, found: Sequence[tuple[int, str, str, float]], columns: Columns) -> str:
    """Tell whether numbers are counts or shares."""
    for role in ("count", "share"):
        if name in columns.get(role, ()):
            return role
    totals: defaultdict[tuple[int, str], float] = defaultdict(float)
    for row, group, _, number in found:
        totals[row, group] += number
    if not all(number.is_integer() for *_, number in found):
        return "share"
    if sums_to(totals.values(), 1) or sums_to(totals.values(), 100):
        expected = "--columns share=NAME if they are shares, --columns count=NAME if so many people answered"
        raise InputError(f"the numbers of {name} sum to 1 or 100", path=table.path, expected=expected)
    return "count"


def read_shares(table: Table, name: str) -> pl.Series:
    """Read a column of shares; 45 % is .45, and without the sign a number is as it stands.

    Raises
    ------
    InputError
        For what is no number from 0, and a column in which only some numbers have the sign.
    """
    if table.frame[name].dtype != pl.String:
        return table.numbers(name)
    given = table.figures(name)
    signed = given.str.ends_with("%")
    if not signed.any():
        return table.numbers(name)
    table.refuse(~signed.fill_null(True), name, "a percent sign, as in other rows")
    plain = given.str.strip_chars_end("% ").alias(name)
    return table.taken([*range(table.frame.height)], (), **{name: plain}).numbers(name) / 100


def sums_to(totals: Iterable[float], whole: float) -> bool:
    """Tell whether all totals are 1, or 100, but for rounding."""
    return all(abs(total - whole) <= (TOLERANCE + 1e-9) * whole for total in totals)


def shares_of_one(table: Table, name: str, shares: pl.Series, keys: pl.Series) -> tuple[pl.Series, str]:
    """Return shares of 1, and say what they were where they were others.

    Parameters
    ----------
    table : Table
    name : str
        The column in which they stand.
    shares : Series
        As from :func:`read_shares`, null where there is none.
    keys : Series
        The question of each.

    Raises
    ------
    InputError
        For a share below 0, and one above 1 where the shares of some question do not sum to 100.
    """
    sums = pl.DataFrame({"key": keys, "share": shares}).group_by("key").agg(pl.col("share").sum())["share"]
    said = ""
    if sums_to(sums, 100):
        shares, said = shares / 100, "shares of 100"
    table.refuse(
        ~shares.is_between(0, 1).fill_null(True), name, "a share from 0 to 1, or shares that sum to 100"
    )
    return shares, said
