"""Rows of a table that belong together, such as those of one question, with what all of them say."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Generic, NamedTuple, TypeVar

from probsense.core.errors import brief
from probsense.core.files.tables import Table

Key = TypeVar("Key")


class RowGroup(NamedTuple, Generic[Key]):
    """Rows of one key, from 0, and what they say, by column."""

    key: Key
    rows: list[int]
    about: dict[str, str]


def row_groups(table: Table, keys: Iterable[Key], about: Sequence[str]) -> list[RowGroup[Key]]:
    """Put together the rows that have one key; refuse those that differ in what they say.

    Parameters
    ----------
    table : Table
    keys : iterable
        The key of each row.
    about : sequence of str
        Columns that say the same in all rows of a key, where they say something; the table need not have them.

    Raises
    ------
    InputError
        For a row that says something else than an earlier one of its key.
    """
    found: dict[Key, RowGroup[Key]] = {}
    for row, key in enumerate(keys):
        found.setdefault(key, RowGroup(key, [], {})).rows.append(row)
    for name in about:
        values = table.values(name).to_list() if name in table.frame.columns else []
        for group in found.values() if values else ():
            said = [row for row in group.rows if values[row] is not None]
            for row in said:
                if values[row] != (first := values[said[0]]):
                    differs = f"{name} is {brief(values[row])}, but {brief(first)} {table.place(said[0])}"
                    raise table.fault(row, differs, f"the same {name} in all rows of a question")
            group.about.update({name: values[said[0]]} if said else {})
    return [*found.values()]
