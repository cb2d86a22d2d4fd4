"""Plain facts as tables: what was covered, and how it was run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from probsense.core.records import Json
from probsense.show.tables import ABSENT, Table
from probsense.show.text import plain


def records(title: str, rows: Sequence[Mapping[str, Json]]) -> Table:
    """Make a table with a row for each mapping; its keys are the columns, those of words first."""
    columns = list(dict.fromkeys(key for row in rows for key in row))
    words = {key for row in rows for key, value in row.items() if isinstance(value, str)}
    columns.sort(key=lambda key: key not in words)
    return Table(
        title,
        tuple(_human(key) for key in columns),
        tuple(tuple(_count(row.get(key)) for key in columns) for row in rows),
        heads=sum(key in words for key in columns),
    )


def facts_tables(runs: Sequence[Mapping[str, Json]]) -> list[Table]:
    """Make a table of what all runs have in common, and one of what differs, with a column for each run."""
    spread = [dict(_spread(run)) for run in runs]
    keys = list(dict.fromkeys(key for run in spread for key in run))
    same = [key for key in keys if len({run.get(key) for run in spread}) == 1]
    other = [key for key in keys if key not in same]
    columns = ("What", *(f"Run {i + 1}" for i in range(len(runs))))
    rows = tuple((_human(key), *(run.get(key, ABSENT) for run in spread)) for key in other)
    tables = [
        Table(
            "In every run" if runs[1:] else "The run",
            ("What", "Value"),
            tuple((_human(k), spread[0][k]) for k in same),
        ),
        Table("Run by run", columns, rows),
    ]
    return [table for table in tables if table.rows]


def _spread(facts: Mapping[str, Json], before: str = "") -> Iterable[tuple[str, str]]:
    for key, value in facts.items():
        if isinstance(value, Mapping):
            yield from _spread(value, f"{before}{key} › ")
        else:
            yield f"{before}{key}", _text(value)


def _count(value: Json) -> str:
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else _text(value)


def _human(key: str) -> str:
    words = plain(key).replace("_", " ")
    return words[:1].upper() + words[1:]


def _text(value: Json) -> str:
    match value:
        case None | "":
            return ABSENT
        case bool():
            return "yes" if value else "no"
        case float():
            return f"{value:.6g}"
        case list():
            return ", ".join(_text(item) for item in value) or ABSENT
        case dict():
            return "; ".join(f"{plain(key)}: {_text(item)}" for key, item in value.items()) or ABSENT
        case _:
            return plain(value)
