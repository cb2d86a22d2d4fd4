"""Pairs of sentences, a good and a bad one, from a table such as those of BLiMP."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import polars as pl

from probsense.core.files.tables import read_table
from probsense.core.options import named_values
from probsense.core.records import Item
from probsense.show.text import counted, joined
from probsense.tasks.shared.understood import Understood, items_understood, run_command

PARADIGM: Final = "UID"
PARTS: Final = ("field", "linguistics_term", PARADIGM)
"""The columns that may sort pairs, from wide to narrow."""
COLUMNS: Final = {"good": ("sentence_good", "good"), "bad": ("sentence_bad", "bad")} | {
    name: (name,) for name in PARTS
}
"""What a column may be for, and how it is called where the user does not say it."""
_EXPECTED: Final = "sentence_good and sentence_bad, good and bad, or --columns good=NAME,bad=NAME"


def read_pairs(path: Path, columns: Sequence[str] = ()) -> list[Item]:
    """Read pairs from a table.

    Parameters
    ----------
    path : Path
    columns : sequence of str
        Names of columns, such as "good=grammatical", by the keys of :data:`COLUMNS`.

    Returns
    -------
    list of Item
        Named by their number, from 1. Their data are those of a context, without instructions, whose text is the good
        sentence, and what the columns of :data:`PARTS` hold. The good one is the last option: of equals, the first
        wins.

    Raises
    ------
    InputError
        For a file that :func:`~probsense.core.files.tables.read_table` refuses, a missing column, a column whose name
        is one of these in other letters, an empty sentence, and one that is its own counterpart.
    """
    given = named_values("--columns", columns, [*COLUMNS])
    table = read_table(path)
    own = {
        key: table.column(*([given[key]] if key in given else names), expected=_EXPECTED)
        for key, names in COLUMNS.items()
        if key not in PARTS or key in given or key in table.frame.columns
    }
    table.refuse_other_case(*own.values(), *PARTS, expected=f"one of {', '.join(PARTS)}, or another name")
    for key, name in own.items():
        (table.values if key in PARTS else table.texts)(name)
    # A sentence keeps the white space around it.
    frame = table.frame.select(pl.col(name).cast(pl.String).alias(key) for key, name in own.items())
    table.refuse(frame["good"] == frame["bad"], own["bad"], "another sentence than the good one")
    stem = path.name.partition(".")[0]
    found = []
    for number, row in enumerate(frame.iter_rows(named=True), 1):
        name, options = f"{stem}/pairs/{number}", [row.pop("bad"), row.pop("good")]
        data = {"prompt": stem, "test": "pairs", "text": options[1], "options": options, **row}
        found.append(Item(name, name, "1", data))
    return found


def check_data(file: Path, *, columns: Sequence[str] = ()) -> Understood:
    """Read a table of pairs of sentences, and say what was understood.

    Parameters
    ----------
    file : Path
        A table of pairs.
    columns : sequence of str
        As for :class:`probsense.tasks.suite.task.Suite`.
    """
    items = read_pairs(Path(file), columns)
    parts = [
        f"{len({item.data[name] for item in items}):,} of {name}" for name in PARTS if name in items[0].data
    ]
    return items_understood(
        items,
        f"{counted(len(items), 'pair')} of sentences{f'; parts: {joined(parts)}' if parts else ''}",
        "pairs of sentences",
        "",
        run_command("suite", pairs=file, columns=columns),
    )


def by_paradigm(items: Sequence[Item]) -> Sequence[Item]:
    """Make clusters of paradigms, if the items are pairs of several."""
    if len({item.data.get(PARADIGM) for item in items}) < 2:
        return items
    return [replace(item, cluster=item.data[PARADIGM] or item.cluster) for item in items]
