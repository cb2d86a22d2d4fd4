"""Yes and no as people's answers spell them: 1 and 0, words, or the texts that the user names."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

import polars as pl

from probsense.core.errors import InputError
from probsense.core.files.tables import Table
from probsense.core.options import named_values
from probsense.core.records import Json

RATING: Final = (
    "0 or 1 (no or yes, false or true), or nothing; --labels yes=TEXT,no=TEXT names others, and"
    " yes=4-5,no=1-2,none=3 parts a scale"
)
LABELS: Final = {"yes": 1, "no": 0, "none": None}
"""The labels that texts may be given, and the rating that each is; "none" is no answer."""
QUESTIONS: Final = ("q1", "q2")
"""The questions to which people's tables hold answers."""
NAMED: Final = (*QUESTIONS, "statement_id", "statement", "person", "majority", "share", "yes", "no", "weight")
"""What a column may be."""
RATINGS: Final = {"1": 1, "yes": 1, "true": 1, "0": 0, "no": 0, "false": 0}
"""The rating that a text is where the user does not say it."""


class Reading(NamedTuple):
    """Options that say how to read people's tables.

    Attributes
    ----------
    texts : Mapping of str to int or None
        The rating that each text is, by the text as :func:`_plain` writes it; without any, 1, 0, yes, no, true and
        false have their own meaning.
    columns : Mapping of str to str
        The names of columns by what they are (:data:`NAMED`); for a question in a wide table, with an asterisk for the
        statement.
    """

    texts: Mapping[str, int | None] = {}
    columns: Mapping[str, str] = {}

    @classmethod
    def of(cls, labels: Sequence[str], columns: Sequence[str]) -> Reading:
        """Read the options ``labels`` and ``columns``.

        Parameters
        ----------
        labels : sequence of str
            Such as "yes=ja|agree" and "no=nein", or "yes=4-5" for 4 and 5.
        columns : sequence of str
            Such as "q1=*_agree" and "q2=*_most", or "person=name".

        Raises
        ------
        InputError
            For an unknown name before the equals sign or none, one that stands twice, a text with two labels, yes
            without no, and columns without one asterisk.
        """
        texts: dict[str, int | None] = {}
        for label, said in named_values("--labels", labels, [*LABELS]).items():
            points = [one for part in said.split("|") for one in _scale(part)]
            for text in _plain(pl.Series(points)).to_list():
                if not text or text in texts:
                    raise InputError(f"--labels {label}={said}", expected="each text once, and none empty")
                texts[text] = LABELS[label]
        if texts and not {0, 1} <= {*texts.values()}:
            raise InputError("--labels without yes or without no", expected="both, such as yes=ja,no=nein")
        named = named_values("--columns", columns, NAMED)
        for name, column in named.items():
            if column.count("*") > (name in QUESTIONS):
                expected = "one * where the statement stands, such as q1=*_agree, or none in other names"
                raise InputError(f"--columns {name}={column}", expected=expected)
        return cls(texts, named)

    @property
    def patterns(self) -> dict[str, str]:
        """Return the names of columns with an asterisk, by question."""
        return {question: name for question, name in self.columns.items() if "*" in name}

    def renamed(self, table: Table) -> Table:
        """Give the columns that the user names the names that they are known by."""
        named = {name: role for role, name in self.columns.items() if "*" not in name}
        table.columns(*named, expected="a column, after --columns")
        if both := {*named.values()} & {*table.frame.columns} - {*named}:
            found = f"has a column {min(both)} beside the one that --columns names"
            raise InputError(found, path=table.path, expected="one of them")
        return replace(table, frame=table.frame.rename(named))

    @property
    def expected(self) -> str:
        """What a rating must be, in words."""
        return f"one of {', '.join(self.texts)}, as --labels says, or nothing" if self.texts else RATING

    def ratings(self, given: pl.Series) -> pl.Series:
        """Turn texts into 0 and 1; null where a text is no answer or no rating."""
        known: Mapping[str, int | None] = self.texts or RATINGS
        return _plain(given).replace_strict(known, default=None, return_dtype=pl.Int8)

    def unknown(self, given: pl.Series) -> pl.Series:
        """Mark the texts that are neither a rating nor said to be no answer."""
        return given.is_not_null() & ~_plain(given).is_in([*(self.texts or RATINGS)])


def _scale(text: str) -> Sequence[str]:
    """List the points of a part of a scale, such as 4-5; any other text is itself."""
    ends = re.fullmatch(r"\s*(\d{1,3})\s*-\s*(\d{1,3})\s*", text)
    return [text] if ends is None else [str(point) for point in range(int(ends[1]), int(ends[2]) + 1)]


def people_facts(options: Mapping[str, Json]) -> dict[str, Json]:
    """Leave out ``labels`` and ``columns`` where they say nothing, so that earlier runs keep their ids."""
    return {name: value for name, value in options.items() if value or name not in ("labels", "columns")}


def ratings_of(table: Table, name: str, reading: Reading) -> pl.Series:
    """Read a column of ratings: 0 or no, 1 or yes, or nothing; or the texts that the reading names.

    Raises
    ------
    InputError
        For a text that is no rating; the error names its line.
    """
    given = table.pointed(table.figures(name))
    table.refuse(reading.unknown(given), name, reading.expected)
    return reading.ratings(given)


def _plain(texts: pl.Series) -> pl.Series:
    """Write texts in lower case, and whole numbers without decimals: SPSS and R add them."""
    return texts.str.strip_chars().str.to_lowercase().str.replace(r"^([+-]?\d+)\.0+$", "$1")
