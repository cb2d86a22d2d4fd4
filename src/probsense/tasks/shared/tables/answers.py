"""Tables of people's answers: the shape of a table is recognised, and each becomes a row for each answer or option.

A table has a row for each option of a question, for each answer, for each question or for each person, or it has lists
or mappings in its cells.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from typing import Any, Final, NamedTuple

import polars as pl

from probsense.core.errors import InputError, brief, plain
from probsense.core.files.place import LARGEST
from probsense.core.files.table import COUNTS, NoColumnError, Table, columns_named, some
from probsense.tasks.shared.tables.cells import nested
from probsense.tasks.shared.tables.columns import (
    SETTLED,
    SINGLE,
    Columns,
    beside_answers,
    columns_of,
    question_columns,
    without_trials,
)
from probsense.tasks.shared.tables.shares import read_shares, sums_to

_PEOPLE: Final = (
    "or a row for each person, with --columns questions=NAME for each question (* stands for any text)"
)
EXPECTED: Final = (
    "the columns question, option and count (or share with people, or person), a column of counts for each option,"
    f" {_PEOPLE}"
)
OPEN: Final = (
    f"the columns question (or context and slot) and answer, and if need be count, cluster, id, {_PEOPLE}"
)
NOT_COUNTED: Final = "--columns with count=, share= or weight= and its name if it counts, or none= if not"
_YEARS: Final = re.compile(r"(^|[^a-z])(year|years|date|wave|ids?|index|row|age)([^a-z]|$)", re.IGNORECASE)
_FEW: Final = 3
"""As many equal numbers are no chance."""
_MANY: Final = 20
"""A question with more answers than this, most of them given once, has no fixed answers."""
_TICKED: Final = (" [{}]", " - {}")
"""How the heading of a column that people tick ends, with the option."""


class AnswerTable(NamedTuple):
    """A table with a row for each answer, or for each option of a question.

    Attributes
    ----------
    table : Table
    columns : Mapping of str to str
        The column for each role that the table has: question, answer, person, count, share, weight, group.
    said : str
        How the table was read.
    dropped : sequence of str
        What of it counts for nothing.
    options : Mapping of str to sequence of str
        The options of a question, in their order, where the file lists them.
    usual : bool
        Whether the table has a usual form, so that a run need not tell how it was read.
    """

    table: Table
    columns: Mapping[str, str]
    said: str
    dropped: Sequence[str] = ()
    options: Mapping[str, Sequence[str]] = {}
    usual: bool = False


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
    if listed and (found := _of_cells(table, columns, about)):
        return found
    named = {*table.frame.columns}
    if "answer" in columns:
        # A mapping in a cell names the questions.
        cells = _nested(table, columns["answer"][0])
        if (
            "question" in columns
            or any(isinstance(one, dict) for one in cells)
            or (not listed and "context" in named)
        ):
            return _of_answers(table, columns, about)
    if listed and "question" in columns and not {"count", "share"} & columns.keys() and "order" not in named:
        return _of_questions(table, columns, about)
    of_people = {"person", "questions", "multiple"} & columns.keys() or beside_answers(table)
    if not of_people or {"question", "answer"} & columns.keys():
        name = "answer" if "question" in columns else "question"
        raise NoColumnError(f"has no column {name}", path=table.path, expected=EXPECTED if listed else OPEN)
    return _of_people(table, columns, listed=listed)


def _single(columns: Columns) -> dict[str, str]:
    """Return the column of each role that has one column."""
    return {role: names[0] for role, names in columns.items() if len(names) == 1}


def _of_answers(table: Table, columns: Columns, about: Sequence[str]) -> AnswerTable:
    """Read a table with a row for each answer or option; cells of answers may hold several."""
    own = {name for names in columns.values() for name in names}
    written = [name for name in beside_answers(table) if name not in own and name not in about]
    dropped = (
        *columns_named(written),
        *table.left_out((*own, *about, *written), NOT_COUNTED, any_number=True),
    )
    single = _single(columns)
    counted = [role for role in ("count", "share", "weight") if role in single]
    if len(counted) > 1:
        found = " and ".join(plain(single[role]) for role in counted)
        raise InputError(f"has the columns {found}", path=table.path, expected="one of them")
    counted = [role for role in counted if role != "weight"]
    each = f"answer with its {counted[0]}" if counted else "answer"
    cells = table.values(single["answer"]).to_list()
    if not counted and (parts := [cell and nested(cell) for cell in cells]) and any(parts):
        table, single = _parted(table, single, parts), {"question": "question", **single}
        each += ", several in a cell"
    usual = "several" not in each
    return AnswerTable(table, single, f"a row for each {each} ({', '.join(table.how)})", dropped, usual=usual)


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
    return table.taken(
        table.frame[rows].with_columns(**{key: pl.Series(own, dtype=pl.String) for key, own in made.items()}),
        rows,
    )


def _of_people(table: Table, columns: Columns, *, listed: bool) -> AnswerTable:
    """Read a table with a row for each person and a column for each question."""
    table, dropped = without_trials(table)
    names, left = question_columns(table, columns)
    single = {role: name for role, name in _single(columns).items() if role in ("person", "weight", "group")}
    if person := single.get("person"):
        table.texts(person, "a name")
        table.refuse_repeated(table.frame.select(person))
    found: list[tuple[int, str, str]] = []
    options: dict[str, Sequence[str]] = {}
    several = []
    for question, members in _ticked(table, names).items():
        before = len(found)
        for name in members:
            cells = table.figures(name)
            if parted := listed and (name in columns.get("multiple", ()) or _joined(cells, name, columns)):
                several.append(name)
            found += (
                (row, question, answer.strip())
                for row, cell in enumerate(cells)
                if cell is not None
                for answer in (cell.split(",") if parted else (cell,))
            )
        if listed:
            answers = [answer for _, _, answer in found[before:]]
            options[question] = _listed(table, question, members, answers)
    if not found:
        raise InputError("holds no answers", path=table.path, expected=EXPECTED)
    rows = [row for row, _, _ in found]
    frame = pl.DataFrame(found, schema=["row", "question", "answer"], orient="row").drop("row")
    people = table.frame[person] if person else pl.Series([str(row + 1) for row in range(table.frame.height)])
    further = {role: table.frame[name].gather(rows) for role, name in single.items() if role != "person"}
    frame = frame.with_columns(person=people.gather(rows), **further)
    if table.asked:
        frame = frame.with_columns(text=pl.col("question").replace(_heading(table, names)))
    parts = f"; several answers in a cell of {some(several)}" if several else ""
    return AnswerTable(
        table.taken(frame, rows),
        {role: role for role in ("question", "answer", "person", *further)},
        f"{table.frame.height:,} people × {frame['question'].n_unique():,} questions, a column for each{parts}"
        f" ({', '.join(table.how)})",
        [*dropped, *left],
        options,
    )


def _ticked(table: Table, names: Sequence[str]) -> dict[str, list[str]]:
    """Put together the columns that are the options of one question, which people tick, with the question's name.

    A column is one if its cells hold nothing but one text, with which its heading ends, and another of the same heading
    is like it.
    """
    found: dict[str, list[str]] = {}
    for name in names:
        cells = table.figures(name).drop_nulls().unique()
        headings = [name, table.asked.get(name, "")]
        ends = [form.format(cells[0]) for form in _TICKED] if len(cells) == 1 else []
        base = next((one.removesuffix(end) for one in headings for end in ends if one.endswith(end)), name)
        found.setdefault(base, []).append(name)
    return {base if len(own) > 1 else own[0]: own for base, own in found.items()}


def _heading(table: Table, names: Sequence[str]) -> dict[str, str]:
    """Return what was asked in each column, where the file says so."""
    return {name: table.asked[name] for name in names if name in table.asked}


def _joined(cells: pl.Series, name: str, columns: Columns) -> bool:
    """Tell whether cells hold several answers, joined by commas: each of these is all of another cell, too."""
    known = {*cells.drop_nulls()}
    joined = [one for one in known if "," in one]
    parts = {part.strip() for one in joined for part in one.split(",")}
    return bool(joined) and parts <= known and name not in columns.get("questions", ())


def _listed(table: Table, question: str, members: Sequence[str], answers: Sequence[str]) -> Sequence[str]:
    """Return the options of a question in the order that the file gives them: that of its labels, or of numbers."""
    if own := table.labels.get(members[0]):
        return [*dict.fromkeys((*own, *answers))]
    different = [*dict.fromkeys(answers)]
    numbers = pl.Series(different, dtype=pl.String).cast(pl.Float64, strict=False)
    if len(different) > _MANY and len(different) > len(answers) / 2:
        found = f"the column {plain(question)} has {len(different):,} different answers"
        raise InputError(found, path=table.path, expected=SETTLED)
    return different if numbers.null_count() else [different[place] for place in numbers.arg_sort()]


def _of_cells(table: Table, columns: Columns, about: Sequence[str]) -> AnswerTable | None:
    """Read a table with a row for each question whose cells hold lists or mappings; None if they hold no numbers."""
    cells = {name: own for name in table.frame.columns if (own := _nested(table, name))}
    chosen = [name for role in ("count", "share") for name in columns.get(role, ())]
    numbers = [
        name
        for name, own in cells.items()
        if all(_has_numbers(one) for one in own if one is not None)
        if name in chosen or (name not in columns.get("answer", ()) and name not in columns.get("none", ()))
    ]
    numbers = [name for name in numbers if name in chosen] or numbers
    lists = [
        name
        for name, own in cells.items()
        if name not in numbers and all(isinstance(one, list | None) for one in own)
    ]
    lists = [name for name in lists if name in columns.get("answer", ())] or lists
    if not numbers or (not lists and not all(isinstance(one, dict | None) for one in cells[numbers[0]])):
        return None
    for own, what, option in (
        (numbers, "numbers", "count=NAME or --columns share=NAME"),
        (lists, "lists", "answer=NAME"),
    ):
        if len(own) > 1:
            raise InputError(
                f"the columns {some(own)} hold {what}", path=table.path, expected=f"--columns {option}"
            )
    single = {role: name for role, name in _single(columns).items() if role in ("question", "group")}
    if "question" not in single:
        raise NoColumnError("has no column question", path=table.path, expected="--columns question=NAME")
    (name,), found = numbers, []
    for row, value in enumerate(cells[name]):
        listed = cells[lists[0]][row] if lists else None
        for group, given in _by_group(value or {}):
            options = [*given] if isinstance(given, dict) else listed or ()
            amounts = [*given.values()] if isinstance(given, dict) else given
            if len(options) != len(amounts):
                expected = f"one for each of the {len(options)} options"
                raise table.fault(row, f"{name} has {len(amounts)} numbers", expected)
            for option, number in zip(options, amounts, strict=True):
                if not 0 <= number <= LARGEST:
                    raise table.fault(row, f"{name} has {number!r}", "numbers from 0")
                found.append((row, group, str(option), float(number)))
    rows = [row for row, *_ in found]
    role = (
        "count"
        if name in columns.get("count", ())
        else "share"
        if name in chosen
        else _unit(table, name, found)
    )
    kept = [*single.values(), *(one for one in about if one in table.frame.columns)]
    made = pl.DataFrame(found, schema=["row", "group", "answer", role], orient="row").drop("row")
    if any(group for _, group, _, _ in found):
        kept, single = [one for one in kept if one != single.get("group")], {**single, "group": "group"}
    else:
        made = made.drop("group")
    frame = table.frame.select(kept)[rows].hstack(made)
    left = [one for one in table.frame.columns if one not in (*kept, name, *lists)]
    return AnswerTable(
        table.taken(frame, rows),
        {**single, "answer": "answer", role: role},
        f"a row for each question, its {role}s in the cells of {name} ({', '.join(table.how)})",
        columns_named(left),
    )


def _nested(table: Table, name: str) -> list[Any]:
    """Read a column of lists or mappings; nothing if it holds anything else."""
    if table.frame[name].dtype != pl.String:
        return []
    found: list[Any] = []
    for cell in table.frame[name]:
        found.append(None if cell is None else nested(cell))
        if cell is not None and found[-1] is None:
            return []
    return found if any(one is not None for one in found) else []


def _has_numbers(value: Any) -> bool:
    """Tell whether a cell holds numbers: for each option, or for each group."""
    parts = [*(value.values() if isinstance(value, dict) else value)]
    if isinstance(value, dict) and parts and all(isinstance(one, list | dict) for one in parts):
        return all(map(_has_numbers, parts))
    return all(isinstance(one, int | float) and not isinstance(one, bool) for one in parts)


def _by_group(value: Any) -> list[tuple[str, Any]]:
    """List the numbers of each group; one without a name where there are no groups."""
    nested_parts = isinstance(value, dict) and any(isinstance(one, list | dict) for one in value.values())
    return [(str(group), given) for group, given in value.items()] if nested_parts else [("", value)]


def _unit(table: Table, name: str, found: Sequence[tuple[int, str, str, float]]) -> str:
    """Tell whether numbers are counts or shares."""
    totals: dict[tuple[int, str], float] = {}
    for row, group, _, number in found:
        totals[row, group] = totals.get((row, group), 0.0) + number
    shares = sums_to(totals.values(), 1) or sums_to(totals.values(), 100)
    whole = all(number.is_integer() for *_, number in found)
    if shares and whole:
        expected = "--columns share=NAME if they are shares, --columns count=NAME if so many people answered"
        raise InputError(
            f"the numbers of {name} sum to 1 or 100 everywhere", path=table.path, expected=expected
        )
    return "count" if whole else "share"


def _of_questions(table: Table, columns: Columns, about: Sequence[str]) -> AnswerTable:
    """Read a table with a row for each question, and a column with how many people chose it for each option."""
    single = _single(columns)
    kept = [*single.values(), *(name for name in about if name in table.frame.columns)]
    names = [*columns.get("options", ())] or _proved_options(table, [*kept, *columns.get("none", ())])
    role = "share" if "people" in kept else "count"
    if not names:
        raise NoColumnError("has no column answer", path=table.path, expected=EXPECTED)
    read = partial(read_shares, table) if role == "share" else partial(table.whole_numbers, missing=True)
    cells = pl.DataFrame([read(name).cast(pl.Float64).alias(name) for name in names])
    keys = [table.frame[single[role]].alias(role) for role in ("question", "group") if role in single]
    table.refuse_repeated(pl.DataFrame(keys))
    for row in pl.DataFrame(cells).select(pl.all_horizontal(pl.all().is_null())).to_series().arg_true():
        raise table.fault(row, "a question with 0 options", "at least two")
    long = table.frame.select(kept).with_row_index("row").hstack(cells)
    frame = long.unpivot(names, index=["row", *kept], variable_name="answer", value_name=role)
    frame = frame.drop_nulls(role).sort("row", maintain_order=True)
    left = [name for name in table.frame.columns if name not in (*kept, *names)]
    return AnswerTable(
        table.taken(frame.drop("row"), frame["row"].to_list()),
        {**single, "answer": "answer", role: role},
        f"a row for each question, a column for each option ({', '.join(table.how)})",
        columns_named(left),
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
