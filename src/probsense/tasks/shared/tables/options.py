"""Tables with a row for each question, and a column for each option that says how many people chose it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import polars as pl

from probsense.core.errors import InputError, plain
from probsense.core.files.table import COUNTS, NoColumnError, Table, columns_named
from probsense.tasks.shared.tables.columns import EXPECTED, AnswerTable, Columns, single_columns
from probsense.tasks.shared.tables.shares import read_shares, sums_to

_YEARS: Final = re.compile(r"(^|[^a-z])(year|years|date|wave|ids?|index|row|age)([^a-z]|$)", re.IGNORECASE)
_FEW: Final = 3
"""As many equal numbers are no chance."""


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
    texts = [table.frame[name].cast(pl.String).str.contains("%").any() for name in names]
    whole = (cells == cells.select(pl.all().floor())).select(pl.all_horizontal(pl.all().all())).item()
    rounded = not whole and (sums_to(totals, 1) or sums_to(totals, 100))
    role = "share" if "people" in kept or any(texts) or rounded else "count"
    if role == "count":
        cells = pl.DataFrame([table.whole_numbers(name, missing=True).alias(name) for name in names])
    table.refuse_repeated(
        table.frame.select(pl.col(single[one]).alias(one) for one in ("question", "group") if one in single)
    )
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
            others = " ".join(f"--columns {plain(f'options={other}')!r}" for other in names if other != name)
            raise InputError(
                f"the column {plain(name)} {doubt}, and may be no option",
                path=table.path,
                expected=f"{others}, and --columns {plain(f'options={name}')!r} if it is one",
            )
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
    if len(own) >= _FEW and (own.diff().drop_nulls() == 1).all() and own.null_count() == 0:
        return "counts the rows"
    if len(own) >= _FEW and own.n_unique() == 1 and own[0] not in (0, None):
        return f"is {own[0]:g} in every row"
    return ""
