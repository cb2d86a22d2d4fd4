"""The neutral table: one row an option or a rater, or a column for each option."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final

import polars as pl

from probsense.core.errors import InputError, brief, plain
from probsense.core.files.table import COUNTS, columns_named
from probsense.core.files.tables import Table, read_table
from probsense.tasks.choices.data.collected import read_collected
from probsense.tasks.choices.data.question import (
    Fault,
    Question,
    checked_options,
    checked_shares,
    gold_index,
    normalised,
)
from probsense.tasks.people_forms import CHOSEN
from probsense.tasks.shared.row_table import row_groups

ABOUT: Final = ("text", "context", "gold", "cluster")
"""Columns that say the same in all rows of a question."""
WEIGHTS: Final = ("count", "share", "rater")
KNOWN: Final = ("question", "option", *ABOUT, *WEIGHTS, "group", "order", "people")
YEARS: Final = re.compile(r"(^|[^a-z])(year|years|date|wave|ids?|index|row|age)([^a-z]|$)", re.IGNORECASE)
FEW: Final = 3
"""As many equal numbers are no chance."""
LONG: Final = "the columns question, option and count (or share with people, or rater)"
WIDE: Final = "the column question, and a column of counts for each option"


def read_neutral(path: Path, options: Sequence[str] = ()) -> list[Question]:
    """Read questions from a table of any kind.

    Parameters
    ----------
    path : Path
        CSV, XLSX, SPSS, Parquet or JSON lines. A long table has a row for each option of a question (``question``,
        ``option``, and ``count`` or ``share``) or for each rater's answer (``rater``, without a count); a rater with
        several options of a question counts once, in parts. A wide table has a row for each question, and a column for
        each option with its counts, or shares where there is a column ``people``. ``choices.csv`` of ``probsense
        collect export`` is read, too.
    options : sequence of str
        The columns of a wide table that are options; without any, all that are not known by their names, unless one of
        them may be something else.

    Raises
    ------
    InputError
        For whatever is wrong in it; the error names the line.
    """
    table = read_table(path)
    if {*CHOSEN} <= {*table.frame.columns}:
        return read_collected(path)
    table.refuse_other_case(*KNOWN, expected=LONG)
    left_out(table, options)
    if _is_long(table):
        table.columns("question", "option", expected=LONG)
        return _long(table)
    table.columns("question", expected=WIDE)
    return _wide(table, options or _proved_options(table))


def _is_long(table: Table) -> bool:
    return bool({"option", "order", *WEIGHTS} & {*table.frame.columns})


def left_out(table: Table, options: Sequence[str] = ()) -> tuple[str, ...]:
    """Say which columns count for nothing: those that are not named among the options, or not known in a long table.

    Raises
    ------
    InputError
        For an option that is no column, and for numbers in a long table that may be counts or weights.
    """
    if {*CHOSEN} <= {*table.frame.columns}:
        return ()
    if _is_long(table):
        return table.left_out(KNOWN, "the name count, or a table without that column", any_number=True)
    for name in options:
        table.column(name, expected="the names of columns after --options")
    return columns_named([name for name in table.frame.columns if options and name not in (*KNOWN, *options)])


def _proved_options(table: Table) -> list[str]:
    """Find the columns that are options, where nothing else in the table speaks against one of them."""
    names = [name for name in table.frame.columns if name not in KNOWN]
    cells = {name: table.frame[name].cast(pl.String).cast(pl.Float64, strict=False) for name in names}
    for name, own in cells.items():
        rest = [cells[other] for other in names if other != name]
        if doubt := _doubt(name, own, rest):
            others = " ".join(f"--options {plain(other)!r}" for other in names if other != name)
            raise InputError(
                f"the column {plain(name)} {doubt}, and may be no option",
                path=table.path,
                expected=f"{others}, and --options {plain(name)!r} if it is one",
            )
    return names


def _doubt(name: str, own: pl.Series, rest: Sequence[pl.Series]) -> str:
    """Say why a column of numbers may be none of the options beside it."""
    if COUNTS.search(name) or YEARS.search(name):
        return "is named like a number of people, a weight, an id or a year"
    if len(rest) > 1 and own.count() and (own == sum(one.fill_null(0) for one in rest)).all():
        return "is the sum of the others"
    years = [one.is_between(1900, 2100).all() and one.count() > 0 for one in (own, *rest)]
    if years[0] and not any(years[1:]):
        return "holds numbers like years"
    if len(own) >= FEW and (own.diff().drop_nulls() == 1).all() and own.null_count() == 0:
        return "counts the rows"
    if len(own) >= FEW and own.n_unique() == 1 and own[0] not in (0, None):
        return f"is {own[0]:g} in every row"
    return ""


def _long(table: Table) -> list[Question]:
    columns = table.frame.columns
    given = [name for name in WEIGHTS[:2] if name in columns]
    if len(given) > 1:
        raise InputError("has the columns count and share", path=table.path, expected="one of them")
    raters = table.values("rater").to_list() if "rater" in columns else None
    if not given and raters is None:
        table.column("count", expected=LONG)
    weights = _weights(table, given[0]) if given else []
    if raters is not None and given:
        expected = "1, because each row is the answer of one rater"
        table.refuse(table.numbers(given[0]) != 1, given[0], expected)
    option, order, people = table.texts("option").to_list(), _numbers(table, "order"), _people(table)
    found = []
    for key, rows, about in row_groups(table, _keys(table), ABOUT):
        fault: Fault = partial(table.fault, rows[0])
        places, chosen = _entered(table, rows, option, raters)
        options = checked_options([option[row] for row in places.values()], fault)
        counts = [weights[row] for row in places.values()] if raters is None else _parts(places, chosen)
        known = {asked for row in rows if (asked := people[row]) is not None}
        if len(known) > 1:
            both = " and ".join(f"{one:.0f}" for one in sorted(known))
            raise fault(f"people is {both} in one question", "one number")
        made = _made(
            *(key, options, counts, known.pop() if known else None, about, fault),
            share=given == ["share"],
            order=_scale([order[row] for row in places.values()], options, fault),
        )
        if all(len(own) == 1 for own in chosen.values()):
            named = [*places]
            made = replace(made, raters=tuple((who, named.index(one)) for who, (one,) in chosen.items()))
        found.append(made)
    return found


def _keys(table: Table) -> list[tuple[str, str]]:
    """Return the question and the group of each row."""
    group = table.values("group").fill_null("") if "group" in table.frame.columns else None
    questions = table.texts("question").to_list()
    return [*zip(questions, [""] * len(questions) if group is None else group.to_list(), strict=True)]


def _weights(table: Table, name: str) -> list[float]:
    if name == "count":
        return table.whole_numbers("count").cast(pl.Float64).to_list()
    return _shares(table, name).to_list()


def _shares(table: Table, name: str, *, missing: bool = False) -> pl.Series:
    numbers = table.numbers(name)
    table.refuse(~numbers.is_between(0, 1).fill_null(missing), name, "a share from 0 to 1")
    return numbers


def _numbers(table: Table, name: str) -> list[float | None]:
    if name not in table.frame.columns:
        return [None] * table.frame.height
    numbers = table.numbers(name)
    table.refuse(~numbers.is_finite().fill_null(True), name, "a number")
    return numbers.to_list()


def _people(table: Table) -> list[float | None]:
    if "people" not in table.frame.columns:
        return [None] * table.frame.height
    numbers = table.whole_numbers("people", missing=True)
    table.refuse((numbers < 1).fill_null(False), "people", "a whole number from 1")
    return numbers.cast(pl.Float64).to_list()


def _entered(
    table: Table, rows: Sequence[int], option: Sequence[str], raters: Sequence[str] | None
) -> tuple[dict[str, int], dict[str, list[str]]]:
    """Return the options of a question, normalised, with the row where each stands first, and those that each rater
    chose; refuse one that stands there already, and one that is spelt in two ways.
    """
    places: dict[str, int] = {}
    chosen: dict[str, list[str]] = {}
    for row in rows:
        name = normalised(option[row])
        first = places.setdefault(name, row)
        rater = None if raters is None else raters[row]
        if rater is None:
            if first != row:
                again = f"option {brief(option[row])} again, first {table.place(first)}"
                raise table.fault(row, again, "each once")
            continue
        if option[first] != option[row]:
            found = f"option {brief(option[row])} is spelt {brief(option[first])} {table.place(first)}"
            raise table.fault(row, found, "one spelling")
        if name in (own := chosen.setdefault(rater, [])):
            again = f"rater {plain(rater)} with option {brief(option[row])} again"
            raise table.fault(row, again, "each once")
        own.append(name)
    return places, chosen


def _parts(options: Iterable[str], chosen: Mapping[str, Sequence[str]]) -> list[float]:
    """Count the raters of each option; one who chose several counts once, in parts."""
    counts = dict.fromkeys(options, 0.0)
    for own in chosen.values():
        for one in own:
            counts[one] += 1 / len(own)
    return [*counts.values()]


def _scale(order: Sequence[float | None], options: Sequence[str], fault: Fault) -> tuple[float, ...]:
    known = [value for value in order if value is not None]
    if not known:
        return ()
    if len(known) < len(options):
        raise fault("order is known of some options only", "a number for each, or for none")
    if len({*known}) < len(known):
        raise fault("order is the same for two options", "different numbers")
    return tuple(known)


def _wide(table: Table, names: Sequence[str]) -> list[Question]:
    options = checked_options(
        names,
        lambda found, expected: InputError(found, path=table.path, line=1, expected=f"{expected}; {WIDE}"),
    )
    share = "people" in table.frame.columns
    read = partial(_shares, table) if share else table.whole_numbers
    cells = {name: read(name, missing=True).to_list() for name in options}
    keys, people = _keys(table), _people(table)
    table.refuse_repeated(pl.DataFrame(keys, schema=["question", "group"], orient="row"))
    found = []
    for key, (row,), about in row_groups(table, keys, ABOUT):
        fault: Fault = partial(table.fault, row)
        own = checked_options([name for name in options if cells[name][row] is not None], fault)
        given = [float(cells[name][row]) for name in own]
        found.append(_made(key, own, given, people[row], about, fault, share=share))
    return found


def _made(
    key: tuple[str, str],
    options: tuple[str, ...],
    given: Sequence[float],
    people: float | None,
    about: Mapping[str, str],
    fault: Fault,
    *,
    share: bool,
    order: tuple[float, ...] = (),
) -> Question:
    """Make a question of counts, or of shares and the number of people."""
    total = float(sum(given))
    if share:
        shares = checked_shares(given, fault)
        counts = shares if people is None else tuple(one * people for one in shares)
    elif not total:
        raise fault(f"nobody answered question {brief(key[0])}", "a count above 0")
    elif people is not None and abs(people - total) > 1e-9:
        raise fault(f"people is {people:g}, and the counts sum to {total:g}", "the same")
    else:
        counts, people = tuple(map(float, given)), total
    gold = about.get("gold")
    return Question(
        key[0],
        about.get("text", key[0]),
        options,
        counts,
        people,
        key[1],
        about.get("context", ""),
        None if gold is None else gold_index(gold, options, fault),
        about.get("cluster", key[0]),
        order,
    )
