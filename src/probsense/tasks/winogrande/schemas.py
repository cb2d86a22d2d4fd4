"""Schemas from a table: sentences with a blank, the options for it, and the right one of these."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Final, NamedTuple

import polars as pl

from probsense.core.errors import brief
from probsense.core.files.tables import Table, read_table
from probsense.core.records import Item
from probsense.show.text import counted
from probsense.tasks.shared.understood import Understood, items_understood, run_command
from probsense.tasks.winogrande.layouts import LAYOUTS, layout_of

PACKAGED = Path(str(files(__package__) / "schemas.jsonl"))
"""Thirty twin pairs that come with the package."""

_TWIN = re.compile(r"(.+)-[12]")
_UNKNOWN: Final = "-1"
"""The label of published schemas whose answer is kept secret."""
_NONE: Final = "none"


class Parts(NamedTuple):
    """A sentence around its blank; each option is read as ``join`` + option."""

    prefix: str
    join: str
    suffix: str


def split(sentence: str) -> Parts:
    """Split a sentence at its blank: a space before the blank belongs to the options.

    Parameters
    ----------
    sentence : str
        Holds "_" once.
    """
    before, _, suffix = sentence.partition("_")
    prefix = before.removesuffix(" ")
    return Parts(prefix, before[len(prefix) :], suffix)


def check_data(file: Path) -> Understood:
    """Read a table of schemas, and say what was understood.

    Parameters
    ----------
    file : Path
        A table of schemas.
    """
    table = read_table(Path(file))
    items, layout = _items(table), layout_of(table)
    return items_understood(
        items,
        f"{counted(len(items), 'schema')}, {sum(bool(one.gold) for one in items):,} with a right option",
        f"schemas in the columns of {next(name for name, one in LAYOUTS.items() if one is layout)}",
        "sentence",
        run_command("winogrande", data=file, rule="sum"),
    )


def read_schemas(path: Path) -> list[Item]:
    """Read schemas; twins (ids that end in -1 and -2) share a cluster.

    Parameters
    ----------
    path : Path
        A table with the columns of one of the :data:`~probsense.tasks.winogrande.layouts.LAYOUTS` and, if need be,
        ``qID``; without it, rows have numbers for ids. The right option is given by its number or its text; nothing
        or -1 stands where nobody knows it.

    Returns
    -------
    list of Item
        Their data are the sentence and the options; their gold is the index of the right option, from 0, as text.

    Raises
    ------
    InputError
        For a file that :func:`~probsense.core.files.tables.read_table` refuses, other columns, a sentence without
        exactly one blank, an option that is empty or stands twice, an answer that is no option, numbers that may count
        from 0 or from 1, and an id that stands twice.
    """
    return _items(read_table(path))


def _items(table: Table) -> list[Item]:
    """Make an item of each row of a table."""
    layout = layout_of(table)
    schemas = [*layout.schemas(table)]
    numbers = pl.Series("qID", range(1, len(schemas) + 1)).cast(pl.String)
    ids = table.texts("qID") if "qID" in table.frame.columns else numbers
    table.refuse_repeated(ids.to_frame())
    golds = _golds(table, layout.labels, [schema.written for schema in schemas])
    return [
        Item(
            id=name,
            cluster=twin[1] if (twin := _TWIN.fullmatch(name)) else schema.cluster or name,
            gold=gold,
            data={"sentence": schema.sentence, "options": schema.options},
        )
        for name, schema, gold in zip(ids, schemas, golds, strict=True)
    ]


def _golds(table: Table, columns: Mapping[str, str], options: Sequence[Sequence[str]]) -> list[str]:
    """Read the right options, as indices from 0; "" where nobody knows it.

    A column whose layout does not say from what it counts has to leave no doubt: all readings that fit every row agree.
    """
    column = next((name for name in columns if name in table.frame.columns), None)
    if column is None:
        return [""] * len(options)
    labels = table.values(column).replace(_UNKNOWN, "").fill_null("").to_list()
    fixed = columns[column]
    readings = [
        [_place(label, own, start) for label, own in zip(labels, options, strict=True)]
        for start in (*(fixed or "01"), "")
    ]
    fitting = [golds for golds in readings if _NONE not in golds]
    if not fitting:
        row = max(golds.index(_NONE) for golds in readings)
        expected = f"the text of an option, or its number from {fixed or '0 or from 1 in all rows'} on"
        raise table.fault(row, f"{column} is {brief(labels[row])}", expected)
    if not fixed and any(golds != fitting[0] for golds in fitting):
        row = next(row for row, label in enumerate(labels) if label)
        found = f"{column} is {brief(labels[row])}, and in all rows may count from 0 or from 1"
        raise table.fault(row, found, "the text of the option, or a column answer, which counts from 1")
    return fitting[0]


def _place(label: str, options: Sequence[str], start: str) -> str:
    """Find the index of the option that a label names by its number from ``start`` on, or by its text without one."""
    names = [str(int(start) + place) if start else text.strip() for place, text in enumerate(options)]
    return str(names.index(label)) if label in names else _NONE if label else ""
