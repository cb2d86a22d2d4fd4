"""Checks the tables of users: columns of known type, and the exact place of whatever is wrong in them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import polars as pl

from probsense.core.errors import InputError, brief, did_you_mean, plain
from probsense.core.files.place import LARGEST, Place

COUNTS = re.compile(
    r"(^|[^a-z])(n|w|wt|wgt|weights?|counts?|freq|frequency|total|percent|pct|share)([^a-z]|$)|%", re.I
)
"""Names of columns that may say how often a row counts."""
NO_VALUE = "NA"
"""How R writes a number that is missing; among texts, it is one, such as the code of Namibia."""
NAMED = 3
"""The most names that a sentence gives."""
_DECIMAL_COMMA = r"^\s*([+-]?\d*),(\d+(?:[eE][+-]?\d+)?)\s*$"

_THOUSANDS = r"^\s*([1-9]\d{0,2}),(\d{3})(?:,(\d{3}))?(?:,(\d{3}))?(?:,(\d{3}))?\s*$"


def some(names: Sequence[str]) -> str:
    """Name the first of some names."""
    shown = [*map(plain, names[:NAMED])]
    return ", ".join(shown if len(names) <= NAMED else [*shown, "…"])


def columns_named(names: Sequence[str]) -> tuple[str, ...]:
    """Name the first of some columns in a phrase; nothing without any."""
    more = f" ({len(names):,} in all)" if len(names) > NAMED else ""
    return (f"the column{'s' * (len(names) > 1)} {some(names)}{more}",) if names else ()


class NoColumnError(InputError):
    """A table without a column that it needs: most likely one of another kind."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table as it was found.

    Attributes
    ----------
    path : Path
    frame : DataFrame
        All columns are strings, except those of Parquet; null where there is nothing.
    how : tuple of str
        How the file was read, in phrases such as "CSV separated by semicolons".
    asked : Mapping of str to str
        What was asked in a column, where the file says so.
    commas : bool
        Whether a comma between digits is a decimal comma.
    lines : sequence of int
        The lines on which the rows of the file begin; empty where the file has no lines.
    labels : Mapping of str to sequence of str
        The answers that a column may hold, in their order, where the file says so.
    rows : sequence of int, optional
        The rows of the file of which this table's rows are made; without it, they are the same.
    """

    path: Path
    frame: pl.DataFrame
    how: tuple[str, ...] = ()
    asked: Mapping[str, str] = field(default_factory=dict)
    commas: bool = False
    lines: Sequence[int] = ()
    labels: Mapping[str, Sequence[str]] = field(default_factory=dict)
    rows: Sequence[int] | None = None

    def taken(self, rows: list[int], kept: Iterable[str], **made: Any) -> Table:
        """Return a table of some rows (from 0), which may repeat, with columns that it keeps and others made for it."""
        columns = {name: self.frame[name].gather(rows) for name in kept} | made
        return replace(self, frame=pl.DataFrame(columns), rows=[self.row(row) for row in rows])

    def row(self, row: int) -> int:
        """Return the row of the file (from 0) in which a row stands."""
        return row if self.rows is None else self.rows[row]

    def at(self, row: int) -> Place:
        """Return the place of a row (from 0): its line, or its number from 1 where there are no lines."""
        row = self.row(row)
        return Place(self.path, self.lines[row]) if self.lines else Place(self.path, part=f"row {row + 1}")

    def fault(self, row: int, found: str, expected: str | None = None) -> InputError:
        """Make an error about a row (from 0)."""
        return self.at(row).fault(found, expected)

    def place(self, row: int) -> str:
        """Tell in a phrase where a row (from 0) is."""
        place = self.at(row)
        return f"in {place.part}" if place.line is None else f"on line {place.line}"

    def refuse(self, bad: pl.Series, name: str, expected: str) -> None:
        """Raise an error about the first value of a column that is marked as bad, if one is."""
        row = bad.arg_max() if bad.any() else None
        if row is not None:
            value = self.frame[name][row]
            shown = "empty" if value is None else brief(value)
            raise self.fault(row, f"{plain(name) or 'the column without a name'} is {shown}", expected)

    def column(self, *names: str, expected: str) -> str:
        """Find the first of some names that is a column."""
        for name in names:
            if name in self.frame.columns:
                return name
        hint = did_you_mean(names[0], self.frame.columns)
        raise NoColumnError(f"has no column {names[0]}{hint}", path=self.path, expected=expected)

    def columns(self, *names: str, expected: str) -> None:
        """Refuse a table that lacks some of the columns."""
        for name in names:
            self.column(name, expected=expected)

    def refuse_other_case(self, *known: str, expected: str) -> None:
        """Refuse a column whose name differs from a known one only in upper and lower case; it would not count."""
        folded = {name.casefold(): name for name in known}
        for name in self.frame.columns:
            if name not in known and (meant := folded.get(name.casefold())):
                found = f"has a column {plain(name)}; did you mean {meant!r}?"
                raise InputError(found, path=self.path, expected=expected)

    def left_out(self, known: Collection[str], expected: str, *, any_number: bool = False) -> tuple[str, ...]:
        """Say which columns count for nothing; refuse numbers that may say how often a row counts.

        Parameters
        ----------
        known : collection of str
            The columns that count, and those whose numbers are sure to be none of these.
        expected : str
            What settles it, for the error.
        any_number : bool
            Whether all numbers raise a doubt, and not only those in a column that is named for counts or weights.

        Returns
        -------
        tuple of str
            A phrase, or nothing.
        """
        others = [name for name in self.frame.columns if name not in known and self.frame[name].count()]
        for name in others:
            if (any_number or COUNTS.search(name)) and self.has_numbers(name):
                found = f"the column {plain(name)} holds numbers that would not count"
                raise InputError(found, path=self.path, expected=expected)
        return columns_named(others)

    def has_numbers(self, name: str) -> bool:
        """Tell whether a column holds nothing but numbers, and some."""
        given = self.figures(name)
        numbers = self.pointed(given.str.strip_chars("% ")).cast(pl.Float64, strict=False)
        return bool(given.count()) and numbers.null_count() == given.null_count()

    def texts(self, name: str, expected: str = "some text") -> pl.Series:
        """Read a column of texts without the white space around them, none empty."""
        found = self.values(name)
        self.refuse(found.is_null(), name, expected)
        return found

    def words(self, name: str, known: Collection[str]) -> pl.Series:
        """Read a column of texts, each one of some words."""
        found = self.texts(name)
        self.refuse(~found.is_in(list(known)), name, f"one of {', '.join(known)}")
        return found

    def numbers(self, name: str) -> pl.Series:
        """Read a column of numbers, null where there is none (an empty cell, or :data:`NO_VALUE`)."""
        column = self.frame[name]
        if column.dtype.is_numeric() or column.dtype == pl.Boolean:
            return column.cast(pl.Float64)
        given = self.figures(name)
        found = self.pointed(given).cast(pl.Float64, strict=False)
        self.refuse(found.is_null() & given.is_not_null(), name, "a number")
        return found

    def pointed(self, texts: pl.Series) -> pl.Series:
        """Write numbers with decimal commas by points, if the table has such commas."""
        return texts.str.replace(_DECIMAL_COMMA, "$1.$2") if self.commas else texts

    def values(self, name: str) -> pl.Series:
        """Read a column of texts without the white space around them, null where there is none (an empty cell)."""
        column = self.frame[name]
        if column.dtype.is_nested() or column.dtype in (pl.Binary, pl.Object):
            raise InputError(
                f"{plain(name)} holds {plain(str(column.dtype))}", path=self.path, expected="texts or numbers"
            )
        return column.cast(pl.String).str.strip_chars().replace("", None)

    def figures(self, name: str) -> pl.Series:
        """Read a column of numbers, or words for numbers, as it is written; null where :data:`NO_VALUE` stands, too."""
        return self.values(name).replace(NO_VALUE, None)

    def whole_numbers(self, name: str, *, missing: bool = False) -> pl.Series:
        """Read a column of whole numbers from 0, such as 1,204; ``missing`` says whether some may be missing."""
        column = self.frame[name]
        if column.dtype == pl.String and not self.commas:
            column = column.str.replace(_THOUSANDS, "$1$2$3$4$5")
        found = replace(self, frame=self.frame.with_columns(column)).numbers(name)
        fine = found.is_between(0, LARGEST) & (found.floor() == found)
        self.refuse(~fine.fill_null(missing), name, "a whole number from 0")
        return found.cast(pl.Int64)

    def refuse_repeated(self, key: pl.DataFrame) -> None:
        """Raise an error about the first row that repeats an earlier key; ``key`` has one row for each of the table."""
        repeated = ~key.to_struct().is_first_distinct()
        if repeated.any():
            row = repeated.arg_max() or 0
            first = key.rows().index(key.row(row))
            what = ", ".join(
                f"{name} {plain(str(value))}" for name, value in key.row(row, named=True).items()
            )
            raise self.fault(row, f"{what} again, first {self.place(first)}", "each once")
